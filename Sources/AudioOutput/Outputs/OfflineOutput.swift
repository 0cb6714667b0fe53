public import AudioModel
internal import Threads

/// An output whose owner renders the frames, at any speed. A rendered frame counts as played.
///
/// Safety: the stream is used only under the monitor.
public final class OfflineOutput: AudioOutput, @unchecked Sendable {
  private let monitor = Monitor()
  private var stream: OfflineStream?

  /// An output. `render` renders the queue that was created last.
  public init() {}

  /// Opens a stream, which never fails.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    let stream = OfflineStream(format: format, source: source, monitor: monitor)
    monitor.locked { self.stream = stream }
    return stream
  }

  /// Renders the next frames of the queue to the start of `bytes`. Returns the number of bytes, which is smaller than
  /// requested if no more frames are queued. Calls the queue's listener.
  ///
  /// Throws `invalidOfflineMode` if no queue is running.
  public func render(into bytes: UnsafeMutableRawBufferPointer) throws(AudioQueueError) -> Int {
    try monitor.locked { () throws(AudioQueueError) in
      guard let stream, let byteCount = stream.render(into: bytes) else { throw .invalidOfflineMode }
      return byteCount
    }
  }

  /// Does nothing: samples are rendered unchanged.
  public func setVolume(_ volume: Double, isMuted: Bool) {}

  /// Does nothing.
  public func setTrack(title: String?, artist: String?) {}
}

/// A stream of an `OfflineOutput`. Safety: stored variables are used only under the output's monitor.
private final class OfflineStream: AudioOutputStream, @unchecked Sendable {
  private let format: PCMFormat
  private let source: any AudioOutputSource
  private let monitor: Monitor
  private var renderedFrames: Int64 = 0
  private var isResumed = false
  private var isStarted = false
  private var drains = false
  private var isClosed = false

  init(format: PCMFormat, source: any AudioOutputSource, monitor: Monitor) {
    (self.format, self.source, self.monitor) = (format, source, monitor)
  }

  var clock: AudioClock {
    AudioClock(
      frame: monitor.locked { renderedFrames }, referenceTime: .now, framesPerSecond: 0)
  }

  func sourceHasFrames() {}

  func resume() { monitor.locked { isResumed = true } }

  func pause() { monitor.locked { isResumed = false } }

  func flush() {
    monitor.locked {
      drains = false
      isStarted = false
    }
  }

  func rewind(toFrame frame: Int64) -> Bool {
    monitor.locked {
      guard frame >= renderedFrames else { return false }
      drains = false
      return true
    }
  }

  func rewind(notBefore frame: Int64) -> Int64 {
    monitor.locked {
      drains = false
      return renderedFrames
    }
  }

  func drain() { monitor.locked { drains = true } }

  func close() { monitor.locked { isClosed = true } }

  /// Under the monitor. `nil` while it does not run.
  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int? {
    guard isResumed, !isClosed else { return nil }
    let wanted = bytes.count - bytes.count % format.bytesPerFrame
    let byteCount = source.render(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]))
    renderedFrames += Int64(byteCount / format.bytesPerFrame)
    if byteCount > 0, !isStarted {
      isStarted = true
      source.handle(.started)
    }
    guard byteCount < wanted else { return byteCount }
    if drains {
      (drains, isResumed, isStarted) = (false, false, false)
      source.handle(.drained)
    } else if isStarted {
      isStarted = false
      source.handle(.underrun)
    }
    return byteCount
  }
}
