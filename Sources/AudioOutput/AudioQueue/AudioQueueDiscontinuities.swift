/// The number and length of breaks in an audio queue's time. Compare two values to find a break between them.
public struct AudioQueueDiscontinuities: Sendable, Hashable {
  /// Underruns, moves to another device, and suspensions.
  public var count = 0
  /// The length of all underruns in frames.
  public var lostFrames: Int64 = 0

  /// No breaks.
  public init() {}
}
