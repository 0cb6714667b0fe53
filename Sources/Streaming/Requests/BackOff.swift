public import AudioModel

/// The delay before the next attempt: twice as long each time, up to a limit, and partly random, so that not all
/// clients of a server reconnect at once. Pure.
public struct BackOff: Hashable, Sendable {
  /// The delay before the first attempt.
  public var firstDelay = TimeSpan.milliseconds(250)
  /// The delay up to which the later ones double.
  public var longestDelay = TimeSpan.seconds(10)
  /// Attempts without progress before the resource fails.
  public var limit = 10

  /// The player's defaults.
  public init() {}

  /// The time before attempt number `attempt`, counted from 0; `nil` after the last one. Half of it is fixed, the rest
  /// is random.
  func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> TimeSpan? {
    guard attempt < limit else { return nil }
    let longest = max(.zero, longestDelay)
    var delay = min(longest, max(.zero, firstDelay))
    for _ in 0..<max(0, attempt) where delay < longest { delay = min(longest, delay * 2) }
    return TimeSpan(nanoseconds: .random(in: (delay / 2).nanoseconds...delay.nanoseconds, using: &generator))
  }
}
