internal import AudioModel

/// A sentence that covers the rule until the next key, or for some seconds.
struct Notice: Sendable {
  private static let duration = TimeSpan.seconds(6)

  private(set) var text: String?
  /// The time at which it disappears.
  private(set) var deadline: MonotonicTime?

  mutating func say(_ text: String, at now: MonotonicTime) {
    (self.text, deadline) = (text.withoutErrorCode, now + Self.duration)
  }

  mutating func clear() { (text, deadline) = (nil, nil) }

  mutating func expire(at now: MonotonicTime) {
    if let deadline, deadline <= now { clear() }
  }
}

extension String {
  /// An error message without the code and the byte offset in brackets at its end, which the log keeps:
  /// `not an audio file ('typ?', byte offset 0)`.
  var withoutErrorCode: String {
    guard hasSuffix(")"), let open = ranges(of: " (").last else { return self }
    let bracket = self[open.upperBound...].dropLast()
    let isCode =
      bracket.first == "'" && bracket.dropFirst(5).first == "'"
      || bracket.first == "-" && Int(bracket.prefix { $0 != "," }) != nil
    guard isCode || bracket.hasPrefix("byte offset ") || bracket.hasPrefix("first at byte offset ") else { return self }
    return String(self[..<open.lowerBound])
  }
}
