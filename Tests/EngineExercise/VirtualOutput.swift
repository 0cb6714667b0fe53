public import AudioModel
public import AudioOutput

/// The time, as the test sets it.
///
/// Safety: one thread.
public final class VirtualClock: @unchecked Sendable {
  /// The present moment.
  public package(set) var now = MonotonicTime.zero + .seconds(1)

  /// For the trace.
  var milliseconds: Int64 { (now - .zero).inMicroseconds / 1000 }

  /// A clock at one second.
  package init() {}
}

/// A sound server whose time the test moves: it plays any number of streams at once, and can be lost and regained.
///
/// Safety: one thread.
public final class VirtualOutput: AudioOutput, @unchecked Sendable {
  let clock: VirtualClock
  /// All streams, in the order in which they were opened.
  private(set) var streams: [VirtualStream] = []
  /// True if no server answers.
  package var isDown = false

  package init(clock: VirtualClock) { self.clock = clock }

  /// Opens a stream; while the server is down, it fails at the next step.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    let stream = VirtualStream(format, buffering, source: source, clock: clock, number: streams.count)
    if isDown { stream.failure = .noServer }
    streams.append(stream)
    return stream
  }

  var openStreams: [VirtualStream] { streams.filter { !$0.isClosed } }

  /// The server dies.
  package func loseServer() {
    isDown = true
    for stream in openStreams { stream.fail(.serverLost) }
  }

  /// The device stands still, and nobody notices.
  package func hang() { for stream in openStreams { stream.hang() } }

  /// It plays on, or is found to stand still.
  package func correct(isStalled: Bool) { for stream in openStreams { stream.correct(isStalled: isStalled) } }

  /// Performs the due work of every stream. Returns the time of the next work.
  package func step() -> MonotonicTime? { openStreams.compactMap { $0.step() }.min() }

  /// Nothing is louder or softer.
  public func setVolume(_ volume: Double, isMuted: Bool) {}
  /// Nothing is shown.
  public func setTrack(title: String?, artist: String?) {}
}

/// A stream of a `VirtualOutput`: a buffer and a clock, as a sound server has them.
final class VirtualStream: AudioOutputStream, @unchecked Sendable {
  let format: PCMFormat
  let number: Int
  private let source: any AudioOutputSource
  private let clockNow: VirtualClock
  private let bufferFrames: Int64
  private let requestFrames: Int64

  private(set) var isClosed = false
  private(set) var isResumed = false
  private var isSuspended = false
  private var drains = false
  private var isDry = false
  private var renderedFrames: Int64 = 0
  private var line = AudioClock(frame: 0, referenceTime: .zero, framesPerSecond: 0)
  /// Why it will fail at the next step.
  var failure: AudioOutputError.Code?
  /// The frames that were rendered and are not audible yet, and the first of them.
  private var held: [UInt8] = []
  private var heldFrame: Int64 = 0
  /// All audible frames so far.
  private(set) var heard: [UInt8] = []

  init(
    _ format: PCMFormat, _ buffering: AudioOutputBuffering, source: any AudioOutputSource, clock: VirtualClock,
    number: Int
  ) {
    (self.format, self.source, clockNow, self.number) = (format, source, clock, number)
    bufferFrames = max(2, Int64(buffering.seconds * Double(format.sampleRate)))
    requestFrames = max(1, Int64(buffering.requestSeconds * Double(format.sampleRate)))
  }

  var clock: AudioClock { line }
  var isAdvancing: Bool { line.isAdvancing }
  /// True if it plays its last frames, after which its queue closes it.
  var isPlayingOut: Bool { drains && isResumed && !isSuspended }
  private var now: MonotonicTime { clockNow.now }
  /// The frame at which it stands still, although its clock runs.
  private var hungFrame: Int64?
  private var heardFrame: Int64 { hungFrame ?? min(renderedFrames, line.frame(at: now)) }

  /// The next audible frames.
  var ahead: ArraySlice<UInt8> {
    collect()
    return held[...]
  }

  /// Moves the frames that are audible by now to `heard`.
  private func collect() {
    let count = Int(max(0, heardFrame - heldFrame)) * format.bytesPerFrame
    guard count > 0 else { return }
    heard += held.prefix(count)
    held.removeFirst(min(count, held.count))
    heldFrame = heardFrame
  }

  private func stopClock(at frame: Int64) {
    collect()
    if hungFrame != nil { hungFrame = frame }
    line = AudioClock(frame: frame, referenceTime: now, framesPerSecond: 0)
  }

  // MARK: Requests of the queue

  func sourceHasFrames() {
    isDry = false
    fill()
  }
  func resume() { isResumed = true }
  func pause() {
    isResumed = false
    stopClock(at: heardFrame)
  }
  func flush() {
    collect()
    (drains, isDry) = (false, false)
    (held, heldFrame) = ([], renderedFrames)
    stopClock(at: renderedFrames)
  }
  func rewind(toFrame frame: Int64) -> Bool {
    collect()
    guard frame >= heardFrame else { return false }
    (drains, isDry) = (false, false)
    renderedFrames = min(renderedFrames, frame)
    held.removeLast(max(0, held.count - max(0, Int(renderedFrames - heldFrame)) * format.bytesPerFrame))
    return true
  }
  func rewind(notBefore frame: Int64) -> Int64 {
    let target = min(renderedFrames, max(frame, heardFrame + Int64(format.sampleRate / 100)))
    return rewind(toFrame: target) ? target : renderedFrames
  }
  func drain() { (drains, isDry) = (true, false) }
  func close() {
    collect()
    (isClosed, isResumed) = (true, false)
  }

  // MARK: Control by the test

  /// Performs the due work. Returns the time of the next work.
  func step() -> MonotonicTime? {
    if let code = failure {
      failure = nil
      fail(code)
      return nil
    }
    let heard = heardFrame
    collect()
    if renderedFrames - heard <= bufferFrames - requestFrames { fill() }
    guard isResumed, !isSuspended, !isClosed, hungFrame == nil else { return nil }
    if line.isAdvancing, heard == renderedFrames {
      stopClock(at: renderedFrames)
      if !drains { source.handle(.underrun) }
    }
    if drains, isDry, heard == renderedFrames {
      (drains, isResumed) = (false, false)
      source.handle(.drained)
    }
    if !line.isAdvancing, isResumed, renderedFrames > heard {
      line = AudioClock(frame: heard, referenceTime: now, framesPerSecond: format.sampleRate)
      source.handle(.started)
    }
    guard line.isAdvancing else { return nil }
    let frames = renderedFrames - heard - (isDry ? 0 : bufferFrames - requestFrames)
    return now + .seconds(Double(max(1, frames)) / Double(format.sampleRate)) + TimeSpan(nanoseconds: 1)
  }

  private func fill() {
    while !isDry, !isClosed, renderedFrames < heardFrame + bufferFrames {
      let wanted = Int(min(4096, heardFrame + bufferFrames - renderedFrames)) * format.bytesPerFrame
      var bytes = [UInt8](repeating: 0, count: wanted)
      let byteCount = bytes.withUnsafeMutableBytes { source.render(into: $0) }
      held += bytes.prefix(byteCount)
      renderedFrames += Int64(byteCount / format.bytesPerFrame)
      isDry = byteCount < wanted
    }
  }

  /// It dies.
  func fail(_ code: AudioOutputError.Code) {
    stopClock(at: heardFrame)
    isResumed = false
    source.handle(.failed(AudioOutputError(code, detail: "as the test wants")))
  }

  func hang() { hungFrame = heardFrame }

  /// Its clock follows the device, which plays on, or is known to stand still.
  func correct(isStalled: Bool) {
    stopClock(at: heardFrame)
    if !isStalled { (hungFrame, line.framesPerSecond) = (nil, format.sampleRate) }
    source.handle(.clockCorrected(to: line.frame))
    source.handle(isStalled ? .stalled : .started)
  }

  /// Something happens to it.
  func report(_ event: AudioOutputEvent) {
    if case .suspended(let isSuspended) = event {
      self.isSuspended = isSuspended
      if isSuspended { stopClock(at: heardFrame) }
    }
    source.handle(event)
  }

  /// The server mutes the stream and reports it; the last `unheard` frames were not audible.
  func requestPause(unheard: Int64) {
    pause()
    let frame = max(0, line.frame - unheard)
    if unheard > 0, frame < line.frame {
      line.frame = frame
      source.handle(.playedUnheard(from: frame))
      source.handle(.pauseRequested)
    } else {
      source.handle(.pauseRequested)
    }
  }
}
