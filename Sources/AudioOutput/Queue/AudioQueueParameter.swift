/// A parameter of an audio queue that changes with a buffer.
public enum AudioQueueParameter: Sendable, Hashable {
  /// The factor for the samples, limited to 0...1.
  case volume(Float)
  /// The duration of later changes of volume, in seconds.
  case volumeRampTime(Double)
  /// From -1, the left channel only, to 1, the right channel only.
  case pan(Float)
}

/// The number and length of breaks in an audio queue's time. Compare two values to find a break between them.
public struct AudioQueueDiscontinuities: Sendable, Hashable {
  /// Underruns, moves to another device, and suspensions.
  public var count = 0
  /// The length of all underruns in frames.
  public var lostFrames: Int64 = 0

  /// No breaks.
  public init() {}
}
