/// A sentence that covers the rule until the next key, or for some seconds.
struct Notice: Sendable {
  private static let duration: UInt64 = 6_000_000_000

  private(set) var text: String?
  /// When it disappears (CLOCK_MONOTONIC, nanoseconds).
  private(set) var deadline: UInt64?

  mutating func say(_ text: String, at now: UInt64) { (self.text, deadline) = (text, now + Self.duration) }

  mutating func clear() { (text, deadline) = (nil, nil) }

  mutating func expire(at now: UInt64) {
    if let deadline, deadline <= now { clear() }
  }
}
