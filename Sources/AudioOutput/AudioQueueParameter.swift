/// A parameter of an audio queue, for a change that is to come with a buffer.
public enum AudioQueueParameter: Sendable, Hashable {
  /// Factor for the samples; its effect ends at 0 and 1.
  case volume(Float)
  /// Seconds that changes of volume take from now on.
  case volumeRampTime(Double)
  /// From -1, the left alone, to 1, the right alone.
  case pan(Float)
}

/// Breaks in an audio queue's time: comparing two values shows whether one happened in
/// between.
public struct AudioQueueDiscontinuities: Sendable, Hashable {
  /// Underruns, moves to another device, and suspensions.
  public var count = 0
  /// Frames that could have been heard while the queue ran and had none.
  public var lostFrames: Int64 = 0

  /// None.
  public init() {}
}
