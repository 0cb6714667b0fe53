public import AudioModel

/// No device, but its clock: frames are consumed in real time and nobody hears them.
public final class SilentOutput: AudioOutput {
  /// An output; each of its streams has a thread.
  public init() {}

  /// Opens a stream, which never fails.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    SilentStream(format: format, buffering: buffering, source: source)
  }

  /// Nothing to be heard.
  public func setVolume(_ volume: Double, isMuted: Bool) {}

  /// Nothing to be shown.
  public func setTrack(title: String?, artist: String?) {}
}
