/// The delay before the next attempt: twice as long each time, up to a limit, and partly random, so that not all
/// clients of a server reconnect at once. Pure.
public struct BackOff: Hashable, Sendable {
  /// Seconds before the first attempt.
  public var firstDelay = 0.25
  /// The longest delay, in seconds.
  public var longestDelay = 10.0
  /// Attempts without progress before the resource fails.
  public var limit = 10

  /// The player's defaults.
  public init() {}

  /// Seconds before attempt number `attempt`, counted from 0; `nil` after the last one. Half of the delay is fixed, the
  /// rest is random.
  func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Double? {
    guard attempt < limit else { return nil }
    let longest = max(0, longestDelay)
    var delay = min(longest, max(0, firstDelay))
    for _ in 0..<max(0, attempt) where delay < longest { delay = min(longest, delay * 2) }
    return Double.random(in: (delay / 2)...delay, using: &generator)
  }
}
