public import AudioModel
public import AudioOutput

/// An output without a device: the test asks the queue for frames.
public final class AskingOutput: AudioOutput, AudioOutputStream {
  /// The queue of the open stream.
  nonisolated(unsafe) public private(set) var source: (any AudioOutputSource)?

  /// An output without a stream.
  public init() {}

  /// Opens the only stream.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    self.source = source
    return self
  }

  /// A clock that stands still.
  public let clock = AudioClock(frame: 0, referenceTime: .zero, framesPerSecond: 0)
  /// Does nothing.
  public func setVolume(_ volume: Double, isMuted: Bool) {}
  /// Does nothing.
  public func setTrack(title: String?, artist: String?) {}
  /// Does nothing.
  public func sourceHasFrames() {}
  /// Does nothing.
  public func resume() {}
  /// Does nothing.
  public func pause() {}
  /// Does nothing.
  public func flush() {}
  /// Refuses.
  public func rewind(toFrame frame: Int64) -> Bool { false }
  /// Rewinds nothing.
  public func rewind(notBefore frame: Int64) -> Int64 { frame }
  /// Does nothing.
  public func drain() {}
  /// Forgets the queue.
  public func close() { source = nil }
}
