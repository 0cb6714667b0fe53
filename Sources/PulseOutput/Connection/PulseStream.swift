internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Threads

/// One stream on the server: receives the messages for its handle, and performs the decisions of its values.
/// `FrameAccount` counts the frames and finds the audible one, and `StreamSession` with its `CallPolicy` handles calls,
/// mixers and the device.
///
/// The server's buffer is deep, so immediate changes have to change that buffer. A cork makes the server rewind the
/// frames that the sink has not played yet, so a flush is always corked first: otherwise the frames in the sink would
/// still play. After a cork, a flush or an underrun the server waits for a fill level (prebuf) before it plays; a
/// trigger overrides that, so that one frame is enough.
///
/// Under the connection's lock. Safety: only `clock` is used without it; that has a lock of its own.
final class PulseStream: @unchecked Sendable {
  /// The state of the notice that the server consumes frames. It is sent when the clock is exact.
  enum StartNotice { case none, owed, sent }

  let specification: StreamSpecification
  let source: any AudioOutputSource
  /// Referenced to keep the connection open.
  private let output: PulseOutput
  let account: FrameAccount

  /// Set from the creation on the server to the end.
  private(set) var handle: StreamHandle?
  /// True once the server has created the stream.
  private var isReady = false

  /// True between `resume` and `pause`.
  var isResumed = false
  /// True if the source has no more frames, and is to be notified after the last one has played.
  var drains = false
  var run = ServerWatch.Run.corked
  var startNotice = StartNotice.none

  var watch = ServerWatch()
  private(set) lazy var session = StreamSession(self)

  init(
    format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource, output: PulseOutput
  ) {
    specification = StreamSpecification(format: format, buffering: buffering)
    self.source = source
    self.output = output
    account = FrameAccount(format, output.connection.transcript)
  }

  deinit { precondition(handle == nil, "a stream is closed before it goes") }

  var connection: PulseConnection { output.connection }
  var format: PCMFormat { specification.format }
  var isCorked: Bool { run == .corked }
  var ready: StreamHandle? { isReady ? handle : nil }

  /// Any thread.
  var clock: AudioClock { account.clock }

  // MARK: Requests of the queue

  func resume() {
    guard !isResumed else { return }
    isResumed = true
    if session.calls.isHeld { session.decide(.resumed) }
    fill()
    play()
  }

  func pause() {
    halt()
    guard isReady else { return }
    connection.wait(for: PulseTimeouts.pause) { estimate.isAnswered }
    observe(.frozen(at: .now))
  }

  func flush() {
    drains = false
    if let ready, ledger.hasFrames { empty(ready) }
  }

  func rewind(notBefore frame: Int64) -> Int64 {
    // A little later than now, as `rewind(toFrame:)` checks the limit again.
    let first = handle.map { firstReplaceableFrame($0) + account.safetyFrames + Int64(format.sampleRate / 100) } ?? 0
    let target = ledger.rewindTarget(notBefore: frame, firstReplaceable: first)
    return rewind(toFrame: target) ? target : ledger.writtenFrames
  }

  func drain() {
    drains = true
    fill()
  }

  func close() {
    connection.remove(self)
    discard()
  }

  // MARK: The values

  var ledger: WriteLedger { account.ledger }
  var estimate: RenderEstimate { account.estimate }

  func count(_ event: WriteLedger.Event) { account.count(event) }

  @discardableResult
  func observe(_ event: RenderEstimate.Event) -> RenderEstimate.Decision { account.observe(event) }

  // MARK: Life of the stream

  /// Creates the stream on the server, once it is connected.
  func create() {
    guard handle == nil, let context = connection.context else { return }
    let me = Unmanaged.passUnretained(self).toOpaque()
    guard let handle = StreamHandle(specification, context, connection, owner: me) else {
      connection.remove(self)
      return fail(AudioOutputError(.unsupportedFormat, detail: "the sound server cannot play \(format)"))
    }
    self.handle = handle
    wait(.creation, for: PulseTimeouts.message)
    if let wanted = connection.loudness { session.begin(with: wanted) }
    if !handle.connect(connection.loudness) { streamChanged() }
  }

  func streamChanged() {
    guard let handle else { return }
    switch handle.state {
    case PA_STREAM_READY:
      isReady = true
      unwatch()
      session.streamIsReady()
      // The answer tells how much the sink takes at once, which is needed before the stream is triggered.
      askForTiming(handle)
      connection.observer?.refresh()
      fill()
    case PA_STREAM_FAILED where !isReady && handle.lacksDevice:
      connection.deviceChoice.noteMissing()
      handle.close()
      self.handle = nil
      create()
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      connection.remove(self)
      observe(.ended(at: connection.arrival.time))
      let number = pa.context_errno(connection.context)
      fail(specification.reasonOfFailure(number, wasReady: isReady))
    default: break
    }
  }

  /// Ends the stream and notifies the source of the reason.
  func fail(_ error: AudioOutputError) {
    discard()
    source.handle(.failed(error))
  }

  /// Ends the stream without a notice.
  func discard() {
    guard let handle else { return }
    unwatch()
    observe(.closed)
    self.handle = nil
    isReady = false
    if run == .playing { run = .uncorked }
    drains = false
    handle.close()
    observe(.frozen(at: .now))
    connection.signal()
  }

  // MARK: Questions and time limits

  func askForTiming(_ handle: StreamHandle) { if handle.askForTiming() { observe(.asked) } }

  func wait(_ goal: ServerWatch.Goal, for limit: TimeSpan) {
    watch.goal = goal
    handle?.setTimer(limit)
  }

  func unwatch() {
    guard watch.goal != .nothing else { return }
    watch.goal = .nothing
    handle?.setTimer(nil)
  }

  func applyProperties() { ready?.set(connection.properties) }
}
