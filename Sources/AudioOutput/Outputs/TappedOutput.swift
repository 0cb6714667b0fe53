public import AudioModel
internal import Threads

/// Plays through another output and gives a copy of the frames to a tap, for example to record or draw them.
///
/// The tap gets each frame with its number among the audible frames, from 0 in each stream. If the device returns
/// frames that were not heard (a seek, a change of volume), other frames with the same numbers follow: the last ones
/// count.
public final class TappedOutput: AudioOutput {
  /// Called on the output's thread with rendered frames, before they are audible. Must copy them and return.
  public typealias Tap = @Sendable (_ frames: UnsafeRawBufferPointer, _ format: PCMFormat, _ firstFrame: Int64) -> Void

  private let output: any AudioOutput
  private let tap: Tap

  /// An output that plays through `output`.
  public init(_ output: any AudioOutput, tap: @escaping Tap) { (self.output, self.tap) = (output, tap) }

  /// Connects the other output.
  public func connect() { output.connect() }

  /// Opens a stream of the other output.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    let tapped = TappedSource(source, format: format, tap: tap)
    return TappedStream(output.openStream(format, buffering: buffering, source: tapped), tapped)
  }

  /// Sets the volume of the other output. The frames for the tap do not change.
  public func setVolume(_ volume: Double, isMuted: Bool) { output.setVolume(volume, isMuted: isMuted) }

  /// Sets the track of the other output.
  public func setTrack(title: String?, artist: String?) { output.setTrack(title: title, artist: artist) }

  /// Sets the role of the other output.
  public func setRole(_ role: String, ducksOthers: Bool) { output.setRole(role, ducksOthers: ducksOthers) }

  /// Passes the rate on to the other output.
  public func setPreferredSampleRate(_ rate: Double?) { output.setPreferredSampleRate(rate) }

  /// As the other output does.
  public var mixes: Bool { output.mixes }

  /// Those of the other output.
  public var devices: AudioDevices? { output.devices }

  /// Chooses the device of the other output.
  public func setDevice(_ name: String?) { output.setDevice(name) }
}

private final class TappedSource: AudioOutputSource {
  private let source: any AudioOutputSource
  private let format: PCMFormat
  private let tap: TappedOutput.Tap
  private let count = Guarded(Count())

  private struct Count {
    /// Frames as the device counts them.
    var rendered: Int64 = 0
    /// The number of frames that were dropped and never heard.
    var dropped: Int64 = 0
  }

  init(_ source: any AudioOutputSource, format: PCMFormat, tap: @escaping TappedOutput.Tap) {
    (self.source, self.format, self.tap) = (source, format, tap)
  }

  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let byteCount = source.render(into: bytes)
    guard byteCount > 0 else { return byteCount }
    let first = count.withLock { count in
      defer { count.rendered += Int64(byteCount / format.bytesPerFrame) }
      return count.rendered - count.dropped
    }
    tap(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<byteCount]), format, first)
    return byteCount
  }

  func handle(_ event: AudioOutputEvent) { source.handle(event) }

  /// Frames from that one on will be rendered again. The queue renders nothing while it takes frames back.
  func rewind(to frame: Int64) { count.withLock { $0.rendered = min($0.rendered, frame) } }

  /// Frames from that one on will not be heard, and are not rendered again.
  func drop(from frame: Int64) { count.withLock { $0.dropped += max(0, $0.rendered - frame) } }
}

private final class TappedStream: AudioOutputStream {
  private let stream: any AudioOutputStream
  private let source: TappedSource

  init(_ stream: any AudioOutputStream, _ source: TappedSource) { (self.stream, self.source) = (stream, source) }

  var clock: AudioClock { stream.clock }
  func sourceHasFrames() { stream.sourceHasFrames() }
  func resume() { stream.resume() }
  func pause() { stream.pause() }
  func drain() { stream.drain() }
  func close() { stream.close() }

  func flush() {
    source.drop(from: stream.clock.frame(at: .now))
    stream.flush()
  }

  func rewind(toFrame frame: Int64) -> Bool {
    let isTaken = stream.rewind(toFrame: frame)
    if isTaken { source.rewind(to: frame) }
    return isTaken
  }

  func rewind(notBefore frame: Int64) -> Int64 {
    let first = stream.rewind(notBefore: frame)
    source.rewind(to: first)
    return first
  }
}
