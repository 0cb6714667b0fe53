/// A parameter of an audio queue that changes with a buffer.
public enum AudioQueueParameter: Sendable, Hashable {
  /// The factor for the samples, limited to 0...1.
  case volume(Float)
  /// The duration of later changes of volume, in seconds.
  case volumeRampTime(Double)
  /// From -1, the left channel only, to 1, the right channel only.
  case pan(Float)
}
