internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Glibc
internal import Threads

/// One `pa_stream`.
///
/// The server's buffer is deep; what is to act at once acts on that buffer. A cork takes back what the sink has not
/// played yet (the server rewinds it), so a flush is always corked first: without that, what the sink holds would still
/// be heard. After a cork, a flush or an underrun the server wants a fill level (prebuf) before it plays; a trigger
/// overrules it, so that one frame is enough.
///
/// Safety: stored variables are touched only under the connection's lock, except the clock, which has its own.
final class PulseStream: AudioOutputStream, @unchecked Sendable {
  private enum Watch {
    case nothing
    /// The server was asked for a stream.
    case creation
    /// The server was told to play and has not said that it does.
    case start
    /// It plays, and is to ask for more.
    case request
    /// It has been silent for long, and was asked whether it is there.
    case answer
    /// The server's buffer has run empty; what the sink holds is still heard.
    case underrun
    /// The last frames are being played.
    case drain
    /// They should be over; the server has been asked.
    case confirmation
  }

  /// Whether the source knows that the server consumes frames. It is told when it is known where it does so.
  private enum StartNews { case none, owed, told }

  let format: PCMFormat
  let connection: PulseConnection
  let buffering: AudioOutputBuffering
  let source: any AudioOutputSource
  /// Keeps the connection open.
  private let output: AnyObject
  private let publishedClock = Guarded(AudioClock(frame: 0, referenceNanoseconds: 0, framesPerSecond: 0))

  /// The stream, from its creation on the server to its end.
  private(set) var stream: OpaquePointer?
  private(set) var isReady = false
  /// Loudness or track changed while the stream was being created.
  var isOutdated = false
  private var timer: OpaquePointer?
  private var watch = Watch.nothing

  // What is wanted.
  private var isResumed = false
  private var drains = false

  // What the server was told.
  private var isCorked = true
  /// The last frames are followed by silence.
  private var isPadded = false
  /// Questions about timing that are not answered yet; answers come in their order.
  private var timingOperations: [OpaquePointer] = []
  /// How many of those questions were asked before the last cork, uncork or flush: their answers tell of a past that is
  /// not to be mistaken for the present.
  private var staleQuestionCount = 0
  /// Bytes that may be written although the server's request for them, after a flush, is still on its way.
  private var creditAfterFlush = 0

  // What the server told.
  /// It consumes frames: between STARTED and a cork, a flush or an underrun.
  private var isPlaying = false
  private var startNews = StartNews.none
  /// When it told anything last.
  private var lastWordNanoseconds: UInt64 = 0
  /// How far the end was away when the server was asked last whether it is reached.
  private var framesToConfirmedEnd: Int64?
  /// The server was asked whether it mutes the stream, before it plays anything.
  var isExamined = false
  /// It does, for the sake of a call.
  var isMutedByPolicy = false
  var hold = Hold.nothing
  /// A call is going on, and whether the server mutes the stream for it is seen only once it runs: without frames, so that
  /// none is played unheard.
  var isOnTrial = false
  /// Where sound goes.
  var sink: PulseSink?

  /// Frames written, ever.
  private var writtenFrames: Int64 = 0
  /// Frames of silence that the server was given behind them, to be overwritten by what is written next.
  private var spareFrames: Int64 = 0
  /// How many of them lie behind us: flushed or drained.
  private var doneFrames: Int64 = 0

  init(
    format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource, output: AnyObject,
    connection: PulseConnection
  ) {
    self.format = format
    self.buffering = buffering
    self.source = source
    self.output = output
    self.connection = connection
  }

  deinit { precondition(stream == nil, "a stream is closed before it goes") }

  // MARK: From any thread

  private(set) var clock: AudioClock {
    get { publishedClock.withLock { $0 } }
    set { publishedClock.withLock { $0 = newValue } }
  }

  func sourceHasFrames() { connection.locked { fill() } }

  func resume() {
    connection.locked {
      guard !isResumed else { return }
      isResumed = true
      if hold != .nothing { overrule() }
      fill()
      play()
    }
  }

  func pause() {
    connection.locked {
      isResumed = false
      guard let stream, isReady, !isCorked else { return }
      cork(stream)
      askForTiming(stream)
      connection.wait(seconds: 0.2) { timingOperations.isEmpty }
      freezeClock()
    }
  }

  func flush() {
    connection.locked {
      drains = false
      if let stream, isReady, writtenFrames > doneFrames { empty(stream) }
    }
  }

  func rewind(toFrame frame: Int64) -> Bool {
    connection.locked {
      if frame < writtenFrames {
        // A frame of silence ends what is to be heard, until something else overwrites it.
        guard let stream, isReady, frame >= firstReplaceableFrame(stream) + safetyFrames,
          writeSilence(1, at: frame, stream)
        else { return false }
      }
      drains = false
      isPadded = false
      if watch == .drain || watch == .confirmation { unwatch() }
      return true
    }
  }

  func drain() {
    connection.locked {
      drains = true
      fill()
    }
  }

  func close() {
    connection.locked {
      connection.remove(self)
      discard()
    }
  }

  // MARK: Under the lock

  /// Ends it, telling nobody.
  func discard() {
    guard let stream else { return }
    unwatch()
    if let timer { pa.mainloop_get_api(connection.mainloop)?.pointee.time_free?(timer) }
    timer = nil
    for operation in timingOperations {
      pa.operation_cancel(operation)
      pa.operation_unref(operation)
    }
    timingOperations = []
    staleQuestionCount = 0
    self.stream = nil
    isReady = false
    isPlaying = false
    drains = false
    removeCallbacks(stream)
    _ = pa.stream_disconnect(stream)
    pa.stream_unref(stream)
    freezeClock()
    connection.signal()
  }

  /// Ends it, telling the source why.
  func fail(_ error: AudioOutputError) {
    discard()
    source.handle(.failed(error))
  }

  /// Creates the stream on the server, once the connection stands.
  func create() {
    guard stream == nil, let context = connection.context else { return }
    guard let stream = makeStream(context) else {
      connection.remove(self)
      return fail(AudioOutputError(.unsupportedFormat, detail: "the sound server cannot play \(format)"))
    }
    self.stream = stream
    setCallbacks(stream)
    let me = Unmanaged.passUnretained(self).toOpaque()
    timer = pa.context_rttime_new(context, pa_usec_t.max, timeIsOver, me)
    wait(.creation, seconds: 10)
    if !connectPlayback(stream) { streamChanged() }
  }

  func streamChanged() {
    guard let stream else { return }
    switch pa.stream_get_state(stream) {
    case PA_STREAM_READY:
      isReady = true
      unwatch()
      if isOutdated {
        applyLoudness()
        applyTrack()
      }
      connection.observer?.refresh()
      fill()
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      connection.remove(self)
      fail(reasonOfFailure(wasReady: isReady))
    default: break
    }
  }

  /// The server wants bytes.
  func bytesWanted() {
    creditAfterFlush = 0
    fill()
    hearWord()
  }

  /// The server is there. While it plays, it is not silent for long.
  private func hearWord() {
    lastWordNanoseconds = monotonicNanoseconds()
    guard [.nothing, .request, .answer].contains(watch) else { return }
    if isPlaying { wait(.request, seconds: 3) } else { unwatch() }
  }

  func fill() {
    guard let stream, isReady, !isOnTrial else { return }
    let before = writtenFrames
    var isDry = false
    while !isDry, case let wanted = wantedBytes(stream), wanted > 0 { isDry = !write(wanted, stream) }
    if writtenFrames > before {
      play()
      if isPlaying, isClockOld { askForTiming(stream) }
    }
    if isDry, drains, isResumed { drainServer(stream) }
  }

  private func wantedBytes(_ stream: OpaquePointer) -> Int {
    // Negative: the stream is failing.
    let wanted = max(pa.stream_writable_size(stream) + Int(spareFrames) * format.bytesPerFrame, creditAfterFlush)
    return wanted - wanted % format.bytesPerFrame
  }

  /// Moves up to `wanted` bytes from the source into the server's memory; whether the source gave all it was asked for.
  private func write(_ wanted: Int, _ stream: OpaquePointer) -> Bool {
    var memory: UnsafeMutableRawPointer?
    var size = wanted
    guard pa.stream_begin_write(stream, &memory, &size) >= 0, let memory else { return false }
    size = min(size, wanted)
    let written = source.render(into: UnsafeMutableRawBufferPointer(start: memory, count: size))
    guard self.stream != nil else { return false }  // Closed by the source.
    guard written > 0 else {
      _ = pa.stream_cancel_write(stream)
      return false
    }
    // Silence that the sink has already is past.
    let replaced = max(0, min(spareFrames, writtenFrames + spareFrames - firstReplaceableFrame(stream)))
    _ = pa.stream_write(stream, memory, written, nil, -replaced * Int64(format.bytesPerFrame), PA_SEEK_RELATIVE)
    spareFrames = 0
    writtenFrames += Int64(written / format.bytesPerFrame)
    creditAfterFlush = max(0, creditAfterFlush - written)
    return written == size
  }

  /// Lets the server consume what it has, if it is to.
  func play() {
    guard isResumed, let stream, isReady, isExamined, writtenFrames > doneFrames, !isHeldByPolicy() else { return }
    if isCorked {
      isCorked = false
      staleQuestionCount = timingOperations.count
      release(pa.stream_cork(stream, 0, nil, nil))
      isOnTrial = connection.isCallOn && !connection.isCallOverruled
      if isOnTrial { connection.observer?.refresh() }
    }
    guard !isPlaying, !isOnTrial else { return }
    release(pa.stream_trigger(stream, nil, nil))
    wait(.start, seconds: 3)
  }

  private func cork(_ stream: OpaquePointer) {
    unwatch()
    isPlaying = false
    isOnTrial = false
    startNews = .none
    guard !isCorked else { return }
    isCorked = true
    staleQuestionCount = timingOperations.count
    release(pa.stream_cork(stream, 1, nil, nil))
  }

  /// The first frame that neither is heard nor lies in the sink, which may be unable to give it back.
  private func firstReplaceableFrame(_ stream: OpaquePointer) -> Int64 {
    let heard = clock.frame(atNanoseconds: monotonicNanoseconds())
    // Corked, the server has taken back what the sink could give: the clock stands behind what could not.
    return isCorked && timingOperations.isEmpty ? heard : heard + sinkFrames(stream)
  }

  /// Frames that may lie in the sink, at most.
  private func sinkFrames(_ stream: OpaquePointer) -> Int64 {
    guard let timing = pa.stream_get_timing_info(stream)?.pointee else { return 0 }
    return frames(inMicroseconds: max(timing.configured_sink_usec, timing.sink_usec))
  }

  /// A message to the server takes less.
  private var safetyFrames: Int64 { Int64(format.sampleRate / 10) }

  /// Puts silence from a frame on in the place of all that the server was given there.
  private func writeSilence(_ count: Int64, at frame: Int64, _ stream: OpaquePointer) -> Bool {
    let silence = [UInt8](repeating: 0, count: Int(count) * format.bytesPerFrame)
    let offset = (frame - writtenFrames - spareFrames) * Int64(format.bytesPerFrame)
    guard pa.stream_write(stream, silence, silence.count, nil, offset, PA_SEEK_RELATIVE) >= 0 else { return false }
    if frame < writtenFrames { staleQuestionCount = timingOperations.count }
    (writtenFrames, spareFrames) = (frame, count)
    return true
  }

  /// Silences the server and makes it forget what it has.
  private func empty(_ stream: OpaquePointer) {
    cork(stream)
    release(pa.stream_flush(stream, nil, nil))
    creditAfterFlush = bufferByteCount
    doneFrames = writtenFrames
    spareFrames = 0
    isPadded = false
    staleQuestionCount = timingOperations.count
    stopClock(at: writtenFrames)
  }

  func serverStarted() {
    guard let stream, !isCorked, !isPlaying else { return }
    isPlaying = true
    if startNews == .none { startNews = .owed }
    unwatch()
    hearWord()
    askForTiming(stream)
    if drains { fill() }
  }

  // The server says so when it renders what is no longer there. The sink still plays what was rendered before: if frames
  // come until that is heard, there is no gap. How long it is, the server tells.
  func serverRanEmpty() {
    guard let stream, isPlaying else { return }
    if isPadded { return didDrain(stream) }
    isPlaying = false
    spareFrames = 0  // Played.
    // What was written while the message came is not played without a trigger.
    release(pa.stream_trigger(stream, nil, nil))
    wait(.underrun, seconds: 3)
    askForTiming(stream)
  }

  // MARK: The end

  /// Waits until the last frame is heard. The server is given silence behind it, as much as the sink may hold: a server
  /// that runs empty could not take back what the sink has not played yet, and a pause would lose it.
  private func drainServer(_ stream: OpaquePointer) {
    guard writtenFrames > doneFrames else { return didDrain(stream) }
    // Nothing is left but what the sink holds: too late for silence.
    if watch == .underrun { return }
    let sinkFrames = sinkFrames(stream)
    if !isPadded, writeSilence(sinkFrames + framesAfterEnd + safetyFrames, at: writtenFrames, stream) {
      isPadded = true
    }
    // A device that is only being opened takes longer.
    let grace = clock.isAdvancing ? 0 : sinkFrames + 5 * Int64(format.sampleRate)
    wait(.drain, seconds: Double(framesToEnd + grace) / Double(format.sampleRate))
  }

  /// It may be over; the server knows.
  private func confirmEnd(_ stream: OpaquePointer) {
    askForTiming(stream)
    wait(.confirmation, seconds: 2)
  }

  /// A device that comes no nearer to the end will not reach it (D.4).
  private func endIsConfirmed(_ stream: OpaquePointer) {
    let isNearer = framesToConfirmedEnd.map { framesToEnd < $0 } ?? true
    guard framesToEnd > 0, isNearer || watch != .confirmation else { return didDrain(stream) }
    if watch == .confirmation { framesToConfirmedEnd = framesToEnd }
    wait(.drain, seconds: Double(framesToEnd) / Double(format.sampleRate))
  }

  /// Frames that pass until the last one has surely been heard.
  private var framesToEnd: Int64 {
    max(0, writtenFrames + framesAfterEnd - clock.frame(atNanoseconds: monotonicNanoseconds()))
  }
  private var framesAfterEnd: Int64 { Int64(format.sampleRate / 50) }

  private func didDrain(_ stream: OpaquePointer) {
    tellStart()
    drains = false
    framesToConfirmedEnd = nil
    isResumed = false
    empty(stream)
    source.handle(.drained)
  }

  // MARK: Time

  private func stopClock(at frame: Int64) {
    clock = AudioClock(frame: frame, referenceNanoseconds: monotonicNanoseconds(), framesPerSecond: 0)
  }

  private func freezeClock() {
    if clock.isAdvancing { stopClock(at: min(writtenFrames, clock.frame(atNanoseconds: monotonicNanoseconds()))) }
  }

  /// A device's clock is off by some 100 ppm at most: 1 ms in 10 s. More questions are more wake-ups, for both sides.
  private var isClockOld: Bool {
    !clock.isAdvancing || monotonicNanoseconds() &- clock.referenceNanoseconds > 10_000_000_000
  }

  private func askForTiming(_ stream: OpaquePointer) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard let operation = pa.stream_update_timing_info(stream, timingAnswered, me) else { return }
    timingOperations.append(operation)
  }

  func timingIsKnown(isGood: Bool) {
    guard let stream, !timingOperations.isEmpty else { return }
    pa.operation_unref(timingOperations.removeFirst())
    hearWord()
    let isStale = staleQuestionCount > 0
    staleQuestionCount = max(0, staleQuestionCount - 1)
    if isGood, !isStale, let timing = pa.stream_get_timing_info(stream)?.pointee { setClock(timing, stream) }
    connection.signal()
  }

  private func setClock(_ timing: pa_timing_info, _ stream: OpaquePointer) {
    // An answer that a flush has overtaken.
    guard timing.write_index_corrupt == 0, timing.read_index_corrupt == 0 else { return }
    let unread = (timing.write_index - timing.read_index) / Int64(format.bytesPerFrame) - spareFrames
    // Corked, all that was read is what was heard: the rest has been rewound, or cannot be taken back any more.
    if isCorked { return stopClock(at: writtenFrames - unread) }
    let inSink = frames(inMicroseconds: timing.sink_usec)
    if watch == .underrun {
      let unheard = inSink - timing.since_underrun / Int64(format.bytesPerFrame)
      return wait(.underrun, seconds: Double(max(0, unheard)) / Double(format.sampleRate))
    }
    guard isPlaying else { return }
    let now = monotonicNanoseconds()
    clock = AudioClock(
      frame: writtenFrames - unread - inSink, referenceNanoseconds: now - min(now, ageNanoseconds(of: timing)),
      framesPerSecond: timing.playing != 0 ? format.sampleRate : 0)
    tellStart()
    if isPadded, clock.isAdvancing { endIsConfirmed(stream) }
  }

  /// A server's numbers are a stranger's, too: nothing it says is longer than an hour.
  private func frames(inMicroseconds time: pa_usec_t) -> Int64 {
    Int64(min(time, 3_600_000_000)) * Int64(format.sampleRate) / 1_000_000
  }

  private func tellStart() {
    guard startNews == .owed else { return }
    startNews = .told
    source.handle(.started)
  }

  private func ageNanoseconds(of timing: pa_timing_info) -> UInt64 {
    var now = timeval()
    gettimeofday(&now, nil)
    let seconds = now.tv_sec - timing.timestamp.tv_sec
    let microseconds = seconds &* 1_000_000 &+ (now.tv_usec - timing.timestamp.tv_usec)
    return UInt64(min(max(0, microseconds), 1_000_000)) * 1000  // The wall clock may have been set meanwhile.
  }

  // MARK: Watching

  private func wait(_ watch: Watch, seconds: Double) {
    self.watch = watch
    let deadline = monotonicNanoseconds() / 1000 + UInt64(min(max(0, seconds), 3600) * 1e6)
    if let context = connection.context { pa.context_rttime_restart(context, timer, deadline) }
  }

  private func unwatch() {
    guard watch != .nothing else { return }
    watch = .nothing
    if let context = connection.context { pa.context_rttime_restart(context, timer, pa_usec_t.max) }
  }

  func watchEnded() {
    guard let stream else { return }
    let watch = watch
    unwatch()
    switch watch {
    case .nothing: break
    case .creation:
      connection.remove(self)
      fail(AudioOutputError(.refused, detail: "the sound server accepts us and gives us no stream"))
    case .start:
      source.handle(.stalled)
      if self.stream != nil { expectAnswer(stream) }
    case .request: expectAnswer(stream)
    case .drain: confirmEnd(stream)
    case .confirmation where timingOperations.isEmpty: didDrain(stream)
    case .confirmation, .answer:
      // What it played since its last word nobody knows: as much is played again rather than lost.
      if clock.isAdvancing { stopClock(at: min(writtenFrames, clock.frame(atNanoseconds: lastWordNanoseconds))) }
      connection.serverHangs()
    case .underrun where drains:
      didDrain(stream)
    case .underrun:
      doneFrames = writtenFrames
      stopClock(at: writtenFrames)
      tellStart()
      startNews = .none
      source.handle(.underrun)
    }
  }

  /// Asks the server something, and gives it some seconds to say anything at all (D.4).
  private func expectAnswer(_ stream: OpaquePointer) {
    askForTiming(stream)
    wait(.answer, seconds: 2)
  }

  // MARK: News

  func serverMoved() {
    guard let stream else { return }
    askForTiming(stream)
    connection.observer?.askForSinks()
  }

  func serverSuspended() {
    guard let stream else { return }
    let isSuspended = pa.stream_is_suspended(stream) > 0
    if isSuspended {
      unwatch()
      freezeClock()
    } else if drains {
      fill()
    }
    askForTiming(stream)
    source.handle(.suspended(isSuspended))
  }
}
