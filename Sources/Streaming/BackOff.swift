/// The delay before the next attempt: twice as long each time, up to a limit, and partly random, so that not all clients
/// of a server come back at once. Pure.
public struct BackOff: Hashable, Sendable {
  /// Seconds before the first try.
  public var firstDelay = 0.25
  /// Seconds at most.
  public var longestDelay = 10.0
  /// Tries without any progress before it is given up.
  public var limit = 10

  /// The player's.
  public init() {}

  /// Seconds before try number `attempt`, from 0; `nil` when there were enough. At least half of the time is waited,
  /// the rest is chance.
  func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Double? {
    guard attempt < limit else { return nil }
    let longest = max(0, longestDelay)
    var delay = min(longest, max(0, firstDelay))
    for _ in 0..<max(0, attempt) where delay < longest { delay = min(longest, delay * 2) }
    return Double.random(in: (delay / 2)...delay, using: &generator)
  }
}
