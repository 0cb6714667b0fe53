/// The audible frame as a line through time: any thread can compute the position without asking the device.
public struct AudioClock: Sendable, Hashable {
  /// The audible frame at `referenceNanoseconds`.
  public var frame: Int64
  /// The time (CLOCK_MONOTONIC) of `frame`.
  public var referenceNanoseconds: UInt64
  /// Frames per second; 0 while the device stands still.
  public var framesPerSecond: Int

  /// A line.
  public init(frame: Int64, referenceNanoseconds: UInt64, framesPerSecond: Int) {
    self.frame = frame
    self.referenceNanoseconds = referenceNanoseconds
    self.framesPerSecond = framesPerSecond
  }

  /// True if the clock runs.
  public var isAdvancing: Bool { framesPerSecond > 0 }

  /// The audible frame at a moment (CLOCK_MONOTONIC); before the reference, the frame of the reference.
  public func frame(atNanoseconds now: UInt64) -> Int64 {
    guard isAdvancing, now > referenceNanoseconds else { return frame }
    // A day at 768 kHz is 6.6e10 frames: exact in a Double.
    return frame &+ Int64(Double(now - referenceNanoseconds) * Double(framesPerSecond) / 1e9)
  }
}
