internal import Commands

/// Start and end of the A-B loop, in seconds into the track.
struct LoopMarks: Sendable, Hashable {
  /// A shorter loop, in seconds, would consist of seeks only.
  static let shortestLoop = 0.1

  private(set) var a: Double?
  private(set) var b: Double?

  /// The loop, if both ends are set.
  var loop: ClosedRange<Double>? {
    guard let a, let b, b - a >= Self.shortestLoop else { return nil }
    return a...b
  }

  /// The meaning of one key for all marks: A, then B, then clear.
  func resolved(_ mark: LoopMark) -> LoopMark {
    guard mark == .cycle else { return mark }
    return a == nil ? .a : b == nil ? .b : .clear
  }

  /// Sets a mark at a position. Returns the sentence that tells the listener.
  ///
  /// - Parameter howToSet: The way to set the other mark, as in `press '`.
  mutating func set(_ mark: LoopMark, at position: Double, howToSet: (LoopMark) -> String) -> String {
    if mark == .a { a = position } else { b = position }
    switch (a, b) {
    case (let a?, let b?) where abs(b - a) < Self.shortestLoop:
      if mark == .a { self.a = nil } else { self.b = nil }
      return "Loop too short: at least \(written(Self.shortestLoop)) s"
    case (let a?, let b?) where a > b:
      if mark == .a { self.b = nil } else { self.a = nil }
      return mark == .a
        ? "Loop start set; the end before it was cleared" : "Loop end set; the start after it was cleared"
    case (let a?, let b?): return "Looping \(timeText(a))-\(timeText(b))"
    case (let a?, nil): return "Loop start \(timeText(a)); \(howToSet(.b)) at the end"
    case (nil, _): return "Loop end \(timeText(position)); \(howToSet(.a)) at the start"
    }
  }
}
