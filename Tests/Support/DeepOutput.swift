public import AudioModel
public import AudioOutput
internal import Threads

/// A device that holds `depth` frames, plays them when the test says so, and gives back all that it has not played.
public final class DeepOutput: AudioOutput {
  private let depth: Int
  private let opened = Guarded<DeepStream?>(nil)

  /// A device with a buffer of that many frames.
  public init(depth: Int) { self.depth = depth }

  /// The stream opened last.
  public var stream: DeepStream? { opened.withLock { $0 } }

  /// Opens a stream, which never fails.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    let stream = DeepStream(bytesPerFrame: format.bytesPerFrame, depth: depth, source: source)
    opened.withLock { $0 = stream }
    return stream
  }

  /// Plays up to that many frames. Returns the audible ones.
  @discardableResult
  public func play(_ frameCount: Int) -> [UInt8] { stream?.play(frameCount) ?? [] }

  /// Has no listener.
  public func setVolume(_ volume: Double, isMuted: Bool) {}
  /// Nothing to be shown.
  public func setTrack(title: String?, artist: String?) {}
}

/// A stream of a `DeepOutput`. Safety: stored variables are touched only under the monitor.
public final class DeepStream: AudioOutputStream, @unchecked Sendable {
  private let bytesPerFrame: Int
  private let depth: Int
  private let source: any AudioOutputSource
  private let monitor = Monitor()
  private var isResumed = false
  private var isStarted = false
  private var drains = false
  private var hasClosed = false
  private var held: [UInt8] = []
  private var playedFrames: Int64 = 0
  /// Frames that it says it cannot give back, though not played.
  public var unreplaceableFrames: Int64 = 0

  init(bytesPerFrame: Int, depth: Int, source: any AudioOutputSource) {
    (self.bytesPerFrame, self.depth, self.source) = (bytesPerFrame, depth, source)
  }

  private var writtenFrames: Int64 { playedFrames + Int64(held.count / bytesPerFrame) }

  /// The number of frames that were played.
  public var clock: AudioClock {
    AudioClock(
      frame: monitor.locked { playedFrames }, referenceTime: .now, framesPerSecond: 0)
  }

  /// Plays up to that many frames. Returns the audible ones.
  func play(_ frameCount: Int) -> [UInt8] {
    monitor.locked {
      fill()
      guard isResumed else { return [] }
      guard !held.isEmpty else {
        // Asked for when it had run dry already.
        if drains { source.handle(.drained) }
        drains = false
        return []
      }
      let heard = Array(held.prefix(frameCount * bytesPerFrame))
      held.removeFirst(heard.count)
      playedFrames += Int64(heard.count / bytesPerFrame)
      if !isStarted { source.handle(.started) }
      isStarted = true
      fill()
      if held.isEmpty {
        isStarted = false
        source.handle(drains ? .drained : .underrun)
        drains = false
      }
      return heard
    }
  }

  private func fill() {
    var room = [UInt8](repeating: 0, count: depth * bytesPerFrame - held.count)
    let count = room.withUnsafeMutableBytes { $0.isEmpty ? 0 : source.render(into: $0) }
    held += room.prefix(count)
  }

  /// Takes as much as it holds.
  public func sourceHasFrames() { monitor.locked { fill() } }
  /// Lets `play` play.
  public func resume() { monitor.locked { isResumed = true } }
  /// Keeps `play` from playing.
  public func pause() { monitor.locked { isResumed = false } }
  /// Drops the frames that were not played.
  public func flush() {
    monitor.locked {
      drains = false
      // Its count continues after the enqueued frames.
      playedFrames = writtenFrames
      held = []
    }
  }
  /// Returns the buffers that were not played.
  public func rewind(toFrame frame: Int64) -> Bool {
    monitor.locked {
      guard frame >= min(playedFrames + unreplaceableFrames, writtenFrames) else { return false }
      drains = false
      held = Array(held.prefix(Int(frame - playedFrames) * bytesPerFrame))
      return true
    }
  }
  /// The same, as far as it can.
  public func rewind(notBefore frame: Int64) -> Int64 {
    monitor.locked {
      let target = min(writtenFrames, max(frame, playedFrames + unreplaceableFrames))
      _ = rewind(toFrame: target)
      return target
    }
  }
  /// Reports the end of all enqueued frames.
  public func drain() { monitor.locked { drains = true } }
  /// Plays nothing more.
  public func close() {
    monitor.locked { (isResumed, hasClosed) = (false, true) }
  }
  /// True after `close`.
  public var isClosed: Bool { monitor.locked { hasClosed } }
  /// Pauses as a server does for a call.
  public func requestPause() {
    pause()
    source.handle(.pauseRequested)
  }
}
