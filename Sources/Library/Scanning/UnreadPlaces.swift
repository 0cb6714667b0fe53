internal import ByteIO

/// Files or folders that the system could not read during a scan, which the next scan reads again.
public struct UnreadPlaces: Sendable, Hashable {
  /// The number of all of them.
  public private(set) var count = 0
  /// The first of them, with the reasons.
  public private(set) var first: [BadFile] = []
  private static let limit = 100

  mutating func note(_ path: BytePath, _ reason: String) {
    count += 1
    if first.count < Self.limit { first.append(BadFile(path: path, reason: reason)) }
  }

  /// The words for a list of counts, with the first one.
  func words(_ text: String) -> String { text + (first.first.map { " (\($0.path): \($0.reason))" } ?? "") }
}
