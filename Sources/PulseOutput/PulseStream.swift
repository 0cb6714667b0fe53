internal import AudioModel
internal import AudioOutput
internal import CPulse
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
  /// Whether the source knows that the server consumes frames. It is told when it is known where it does so.
  enum StartNews { case none, owed, told }

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
  var timer: OpaquePointer?
  var watch = Watch.nothing

  // What is wanted.
  var isResumed = false
  var drains = false

  // What the server was told.
  var isCorked = true
  /// The last frames are followed by silence.
  var isPadded = false
  /// Questions about timing that are not answered yet; answers come in their order.
  var timingOperations: [OpaquePointer] = []
  /// How many of those questions were asked before the last cork, uncork or flush: their answers tell of a past that is
  /// not to be mistaken for the present.
  var staleQuestionCount = 0
  /// Bytes that may be written although the server's request for them, after a flush, is still on its way.
  var creditAfterFlush = 0

  // What the server told.
  /// It consumes frames: between STARTED and a cork, a flush or an underrun.
  var isPlaying = false
  var startNews = StartNews.none
  /// When it told anything last.
  var lastWordNanoseconds: UInt64 = 0
  /// How far the end was away when the server was asked last whether it is reached.
  var framesToConfirmedEnd: Int64?
  /// The server was asked whether it mutes the stream, before it plays anything.
  var isExamined = false
  /// A call was going on when it told last.
  var sawCall = false
  /// It does, for the sake of a call.
  var isMutedByPolicy = false
  var hold = Hold.nothing
  /// Where the pieces end that the server was given and may not have rendered yet, in order.
  var seams: [Int64] = []
  /// The last word on how far it has rendered the stream while it plays.
  var lastRendering: Rendering?
  /// How PipeWire renders it, once that is known; and when it said that it begins to.
  var cycle: RenderCycle?
  var startNanoseconds: UInt64?
  /// The server was asked what it rendered since it muted the stream.
  var muteQuestion: MuteQuestion?
  /// A call is going on, and whether the server mutes the stream for it is seen only once it runs: without frames, so that
  /// none is played unheard.
  var isOnTrial = false
  /// Where sound goes.
  var sink: PulseSink?
  /// How loud the server plays it: what it was told or has told last.
  var serverLoudness: (volume: Double?, isMuted: Bool?) = (nil, nil)
  /// It has said that volume since.
  var isVolumeConfirmed = false

  /// Frames written, ever.
  var writtenFrames: Int64 = 0
  /// Frames of silence that the server was given behind them, to be overwritten by what is written next.
  var spareFrames: Int64 = 0
  /// How many of them lie behind us: flushed or drained.
  var doneFrames: Int64 = 0
  /// The first frame that was not there yet when the server ran empty.
  var emptyFrame: Int64 = 0

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

  var clock: AudioClock {
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
      halt()
      guard isReady else { return }
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

  func rewind(notBefore frame: Int64) -> Int64 {
    connection.locked {
      // A little later than now: it is looked at again.
      let first = stream.map { firstReplaceableFrame($0) + safetyFrames + Int64(format.sampleRate / 100) } ?? 0
      let target = min(writtenFrames, max(frame, doneFrames, first))
      return rewind(toFrame: target) ? target : writtenFrames
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
    muteQuestion = nil
    seams = []
    staleQuestionCount = 0
    self.stream = nil
    isReady = false
    isPlaying = false
    drains = false
    removeCallbacks(stream)
    leave(stream)
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
    wait(.creation, seconds: TimeLimit.creation)
    if !connectPlayback(stream) { streamChanged() }
  }

  func streamChanged() {
    guard let stream else { return }
    switch pa.stream_get_state(stream) {
    case PA_STREAM_READY:
      isReady = true
      unwatch()
      if isOutdated { applyTrack() }
      // PipeWire's pays no heed to the volume that a stream begins with.
      if connection.observer?.isPipeWire != false { serverLoudness.volume = nil }
      applyLoudness()
      // How much the sink takes at once is known before it is told to play.
      askForTiming(stream)
      connection.observer?.refresh()
      fill()
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      connection.remove(self)
      endClock(atNanoseconds: connection.arrival.nanoseconds)
      fail(reasonOfFailure(wasReady: isReady))
    default: break
    }
  }
}
