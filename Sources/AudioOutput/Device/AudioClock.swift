public import AudioModel
internal import Threads

/// The audible frame as a line through time: any thread can compute the position without asking the device.
public struct AudioClock: Sendable, Hashable {
  /// The audible frame at `referenceTime`.
  public var frame: Int64
  /// The moment at which `frame` is audible.
  public var referenceTime: MonotonicTime
  /// Frames per second; 0 while the device stands still.
  public var framesPerSecond: Int

  /// A line through one point; 0 frames per second for a device that stands still.
  public init(frame: Int64, referenceTime: MonotonicTime, framesPerSecond: Int) {
    self.frame = frame
    self.referenceTime = referenceTime
    self.framesPerSecond = framesPerSecond
  }

  /// The present moment on the clock of all devices, for `frame(at:)` and `AudioQueue.start(at:)`.
  public static var now: MonotonicTime { .now }

  /// True if the clock runs.
  public var isAdvancing: Bool { framesPerSecond > 0 }

  /// The audible frame at a moment; before the reference, the frame of the reference.
  public func frame(at now: MonotonicTime) -> Int64 {
    guard isAdvancing, now > referenceTime else { return frame }
    // A day at 768 kHz is 6.6e10 frames: exact in a Double.
    return frame &+ Int64((now - referenceTime).frames(atSampleRate: Double(framesPerSecond)))
  }
}
