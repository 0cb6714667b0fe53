public import AudioModel

/// An output without sound that consumes frames in real time.
public final class SilentOutput: AudioOutput {
  /// An output; each of its streams has a thread.
  public init() {}

  /// Opens a stream, which never fails.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    SilentStream(format: format, buffering: buffering, source: source)
  }

  /// Does nothing.
  public func setVolume(_ volume: Double, isMuted: Bool) {}

  /// Does nothing.
  public func setTrack(title: String?, artist: String?) {}
}
