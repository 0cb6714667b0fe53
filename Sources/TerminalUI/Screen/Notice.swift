internal import AudioModel

/// A sentence that covers the rule until the next key, or for some seconds.
struct Notice: Sendable {
  static let duration = TimeSpan.seconds(6)

  private(set) var text: String?
  /// The time at which it disappears.
  private(set) var deadline: MonotonicTime?

  mutating func say(_ text: String, at now: MonotonicTime) {
    (self.text, deadline) = (text, now + Self.duration)
  }

  mutating func clear() { (text, deadline) = (nil, nil) }

  mutating func expire(at now: MonotonicTime) {
    if let deadline, deadline <= now { clear() }
  }
}
