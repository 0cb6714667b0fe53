internal import Threads

/// The cookies of one stream, as libcurl writes them: what a playlist or a redirect sets, its segments, keys and redirects
/// send to the hosts that it is for. In memory only. Any thread.
final class CookieJar: Sendable {
  /// More would only fill the memory.
  private static let limit = 100

  private let kept = Guarded<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  /// Replaces the cookies by those that libcurl has after an answer.
  func keep(_ lines: [String]) { kept.withLock { $0 = lines.suffix(Self.limit) } }
}
