public import AudioModel
public import AudioOutput
public import Threads

/// A device that consumes frames only when the test turns the crank, and keeps them.
public final class HandCrankedOutput: AudioOutput {
  private let opened = Guarded<[HandCrankedStream]>([])
  private let tellsUnderruns: Bool
  private let resumed: @Sendable (HandCrankedStream) -> Void

  /// `tellsUnderruns`: it says when it runs dry, as a sound server does; `resumed` is called by the thread that starts a
  /// stream.
  public init(tellsUnderruns: Bool = false, resumed: @escaping @Sendable (HandCrankedStream) -> Void = { _ in }) {
    (self.tellsUnderruns, self.resumed) = (tellsUnderruns, resumed)
  }

  /// The audible stream: the oldest running one, else the one opened last.
  public var stream: HandCrankedStream? {
    opened.withLock { opened in opened.first(where: \.isRunning) ?? opened.last }
  }
  /// The stream opened last.
  public var last: HandCrankedStream? { opened.withLock { $0.last } }
  /// The number of streams that were opened.
  public var streamCount: Int { opened.withLock { $0.count } + forgottenCount.withLock { $0 } }
  private let forgottenCount = Guarded(0)

  /// Lets go of those that are closed.
  public func forgetClosed() {
    let count = opened.withLock { opened in
      let count = opened.count
      opened.removeAll(where: \.isClosed)
      return count - opened.count
    }
    forgottenCount.withLock { $0 += count }
  }

  /// Opens a stream, which never fails.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    let stream = HandCrankedStream(
      format: format, buffering: buffering, source: source, tellsUnderruns: tellsUnderruns, resumed: resumed)
    opened.withLock { $0.append(stream) }
    return stream
  }

  /// Blocks the thread that sets the volume, the feeder.
  public let gate = Monitor()
  /// Notes the volume.
  public func setVolume(_ volume: Double, isMuted: Bool) {
    gate.locked {}
    allVolumes.withLock { $0.append(volume) }
  }
  private let allVolumes = Guarded<[Double]>([])
  /// All that were set.
  public var volumes: [Double] { allVolumes.withLock { $0 } }
  /// Nothing to be shown.
  public func setTrack(title: String?, artist: String?) {}
  private let lastRole = Guarded("")
  /// The last role that was set.
  public var role: String { lastRole.withLock { $0 } }
  /// Notes it.
  public func setRole(_ role: String, ducksOthers: Bool) {
    lastRole.withLock { $0 = ducksOthers ? role + ", ducks others" : role }
  }
  private let lastRate = Guarded<Double?>(nil)
  /// The last rate that was asked for.
  public var preferredSampleRate: Double? { lastRate.withLock { $0 } }
  /// Notes it.
  public func setPreferredSampleRate(_ rate: Double?) { lastRate.withLock { $0 = rate } }
}

/// A stream of a `HandCrankedOutput`.
public final class HandCrankedStream: AudioOutputStream {
  private struct State {
    var isResumed = false
    var isAnnounced = false
    var drains = false
    var isClosed = false
    var frames: Int64 = 0
    var unheardFrames: Int64 = 0
    var bytes: [UInt8] = []
  }

  /// The format of the stream.
  public let format: PCMFormat
  private let source: any AudioOutputSource
  private let tellsUnderruns: Bool
  private let resumed: @Sendable (HandCrankedStream) -> Void
  private let state = Guarded(State())

  /// The depth that was asked for.
  public let buffering: AudioOutputBuffering

  /// A stream that is held.
  public init(
    format: PCMFormat, buffering: AudioOutputBuffering = .deep, source: any AudioOutputSource,
    tellsUnderruns: Bool = false, resumed: @escaping @Sendable (HandCrankedStream) -> Void = { _ in }
  ) {
    self.format = format
    self.buffering = buffering
    self.source = source
    self.tellsUnderruns = tellsUnderruns
    self.resumed = resumed
  }

  /// All that was consumed since the last call.
  public func takeBytes() -> [UInt8] {
    state.withLock { state in
      defer { state.bytes = [] }
      return state.bytes
    }
  }

  /// True if frames are consumed.
  public var isRunning: Bool { state.withLock { $0.isResumed && !$0.isClosed } }
  /// True if it is over.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Consumes up to that many frames, if it runs. Returns their number.
  @discardableResult
  public func turn(frames: Int) -> Int {
    guard state.withLock({ $0.isResumed && !$0.isClosed }) else { return 0 }
    var buffer = [UInt8](repeating: 0, count: frames * format.bytesPerFrame)
    let count = buffer.withUnsafeMutableBytes { source.render(into: $0) }
    let (starts, ends, starves) = state.withLock { state in
      state.bytes += buffer.prefix(count)
      state.frames += Int64(count / format.bytesPerFrame)
      let starts = count > 0 && !state.isAnnounced
      let starves = tellsUnderruns && state.isAnnounced && count == 0 && !state.drains
      state.isAnnounced = (state.isAnnounced || starts) && !starves
      return (starts, count < buffer.count && state.drains, starves)
    }
    if starts { source.handle(.started) }
    if ends { source.handle(.drained) }
    if starves { source.handle(.underrun) }
    return count / format.bytesPerFrame
  }

  /// The server dies, or never was.
  public func fail(_ code: AudioOutputError.Code = .serverLost) {
    source.handle(.failed(AudioOutputError(code, detail: "the server was shot")))
  }

  /// Something happens to it.
  public func report(_ event: AudioOutputEvent) { source.handle(event) }

  /// Reports that some of the consumed frames were not audible.
  public func retract(frames: Int64) { state.withLock { $0.unheardFrames = frames } }

  /// The number of frames that were consumed and audible.
  public var clock: AudioClock {
    let frame = state.withLock { $0.frames - $0.unheardFrames }
    return AudioClock(frame: frame, referenceTime: .now, framesPerSecond: 0)
  }

  /// Waits for the crank.
  public func sourceHasFrames() {}
  /// Lets the crank turn.
  public func resume() {
    state.withLock { $0.isResumed = true }
    resumed(self)
  }
  /// Holds it.
  public func pause() { state.withLock { $0.isResumed = false } }
  /// Forgets `drain`.
  public func flush() {
    state.withLock { state in
      state.drains = false
      state.isAnnounced = false
    }
  }
  /// Returns the buffers that were not consumed.
  public func rewind(toFrame frame: Int64) -> Bool {
    state.withLock { state in
      guard frame >= state.frames else { return false }
      state.drains = false
      return true
    }
  }
  /// The same, as far as it can.
  public func rewind(notBefore frame: Int64) -> Int64 {
    state.withLock { state in
      state.drains = false
      return state.frames
    }
  }
  /// Reports the end of all enqueued frames.
  public func drain() { state.withLock { $0.drains = true } }
  /// Consumes nothing more.
  public func close() { state.withLock { $0.isClosed = true } }
}
