internal import AudioModel
internal import AudioOutput

/// Estimates the audible frame from the few messages of a server: while it plays, after a pause, after a mute that the
/// server reports late, and when the server dies.
///
/// Pure: the events carry their time, and the ledger knows the frames that the server has.
struct RenderEstimate {
  enum Event: Equatable {
    /// The server was asked for its timing. Answers come in the order of the questions.
    case asked
    /// The stream was corked, uncorked, moved or rewritten: the answers to open questions will be out of date.
    case outdated
    /// The server answers; `nil`: it has no timing.
    case answered(ServerTiming?, Phase)
    /// The server reports that it plays. `at`: the earliest arrival of the message; `since`: the latest.
    case started(at: MonotonicTime, since: MonotonicTime, isPipeWire: Bool)
    /// The server had just rendered up to `frame` when it sent a message. `at`: the earliest arrival, or the very moment
    /// (`isExact`) at which a thread that waited for it went on.
    case requested(frame: Int64, at: MonotonicTime, isExact: Bool)
    case corked
    case uncorked
    /// The server has muted the stream just before its message, which arrived `at`. The last question asks for the
    /// frame.
    case muted(at: MonotonicTime, isPlaying: Bool)
    /// Another device sets the pace.
    case moved
    /// The sink renders blocks of so many microseconds. `isPlain`: rendered audio leaves the server at once.
    case sink(microseconds: UInt64, isPlain: Bool)
    /// The clock stands on a frame.
    case stopped(frame: Int64, at: MonotonicTime)
    /// The clock stops at its frame of that moment.
    case frozen(at: MonotonicTime)
    /// The server or the sink ended at that moment.
    case ended(at: MonotonicTime)
    /// No more answers will come.
    case closed
  }

  /// The state of the stream, on which the meaning of an answer depends.
  enum Phase: String {
    case corked
    /// The server's buffer has run empty; the sink still plays its own.
    case emptied
    case playing
    /// Neither corked nor playing.
    case waiting
  }

  enum Decision: Equatable {
    case none
    /// All frames before this one were audible. The frames from there on were rendered muted, or not at all, though the
    /// clock had passed them.
    case playedMuted(from: Int64)
    /// The server ran empty at `frame`, and the sink has so many frames left.
    case empties(at: Int64, remainingFrames: Int64)
    /// The clock is exact.
    case follows
    /// The clock is exact, and was not: the device has played more or less than it said.
    case corrects
    /// The device stands still, and so does the clock.
    case stands
  }

  /// The server is asked for the rendered frame before the cork, and again after it.
  private struct MuteQuestion {
    /// The approximate time of the mute.
    var time: MonotonicTime
    /// The number of the first question.
    var number: Int
    var before: Rendering?
  }

  /// The audible frame.
  private(set) var clock = AudioClock(frame: 0, referenceTime: .zero, framesPerSecond: 0)
  /// The last report of the rendered frame while the server plays.
  private var rendering: Rendering?
  /// PipeWire's rhythm, once that is known.
  private var cycle: RenderCycle?
  /// The time at which PipeWire reported its start.
  private var startTime: MonotonicTime?
  /// The time at which PulseAudio reported its start, until its first answer after that.
  private var playingSince: MonotonicTime?
  /// The frame on which the clock was stopped although an answer about it was still to come.
  private var unconfirmedFrame: Int64?
  /// The rendered frame by a request that the clock had passed already, until the next answer: the server is late, or
  /// the message was.
  private var lateFrame: Int64?
  private var muteQuestion: MuteQuestion?
  private var askedCount = 0
  private var answeredCount = 0
  /// The answers up to this number are out of date.
  private var outdatedCount = 0
  /// The rhythm of the sink, if it is known.
  private var blocks: RenderBlocks?
  private var isSinkPlain = false
  private var standstill: Standstill
  private let sampleRate: Int

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
    standstill = Standstill(sampleRate: sampleRate)
  }

  /// True if no question is open.
  var isAnswered: Bool { answeredCount == askedCount }

  /// The first frame that the server has not rendered, by its last report while it plays.
  var renderedFrame: Int64? { rendering?.frame }

  /// True if the device stands still, by the server's answers.
  private var isStanding: Bool { standstill.isCertain }

  /// The time after which the server should be asked again, because the device stands still, or may do so.
  var recheckDelay: TimeSpan? { standstill.recheckDelay }

  /// True if the clock is so old that the server should be asked again, or known to be wrong.
  func isOld(at now: MonotonicTime) -> Bool {
    !clock.isAdvancing || lateFrame != nil || now - clock.referenceTime > PulseTimeouts.clockAge
  }

  /// A server's numbers are foreign input: none of its times is longer than an hour.
  func frames(inMicroseconds time: UInt64) -> Int64 {
    Int64(min(time, 3_600_000_000)) * Int64(sampleRate) / 1_000_000
  }

  mutating func handle(_ event: Event, _ ledger: WriteLedger) -> Decision {
    switch event {
    case .asked: askedCount += 1
    case .outdated: outdatedCount = askedCount
    case .answered(let timing, let phase): return answer(timing, phase, ledger)
    case .started(let time, let since, let isPipeWire):
      startTime = isPipeWire && rendering == nil ? time : nil
      playingSince = isPipeWire || rendering != nil ? nil : since
    case .requested(let frame, let time, let isExact):
      let isLate = clock.isAdvancing && clock.frame(at: time) &- Int64(sampleRate / 50) > frame
      lateFrame = isLate && frame >= ledger.doneFrames ? frame : nil
      if isExact { note(frame, at: time, ledger.seams) }
    case .corked:
      standstill.forget()
      (rendering, cycle, playingSince, outdatedCount) = (nil, nil, nil, askedCount)
      unconfirmedFrame = nil
    case .uncorked: (muteQuestion, unconfirmedFrame, outdatedCount) = (nil, nil, askedCount)
    // PulseAudio needs 0.05 to 0.2 ms from the mute to its message, if other work does not delay it. A block in a
    // hundred calls is lost or repeated because that is wrong.
    case .muted(let time, let isPlaying):
      muteQuestion = isPlaying ? MuteQuestion(time: time - .microseconds(120), number: askedCount) : nil
    case .moved:
      standstill.forget()
      cycle?.isMoved = true
      playingSince = nil
    case .sink(let microseconds, let isPlain):
      blocks = RenderBlocks(latency: microseconds, sampleRate: sampleRate)
      isSinkPlain = isPlain
    case .stopped(let frame, let time): stop(at: frame, time)
    case .frozen(let time):
      guard clock.isAdvancing else { break }
      stop(at: min(ledger.writtenFrames, clock.frame(at: time), lateFrame ?? .max), time)
      if !isAnswered { unconfirmedFrame = clock.frame }
    case .ended(let time): end(at: time, ledger)
    case .closed: (muteQuestion, answeredCount, outdatedCount) = (nil, askedCount, askedCount)
    }
    return .none
  }

  private mutating func stop(at frame: Int64, _ now: MonotonicTime) {
    clock = AudioClock(frame: frame, referenceTime: now, framesPerSecond: 0)
    (playingSince, unconfirmedFrame, lateFrame) = (nil, nil, nil)
    standstill.forget()
  }

  // MARK: Answers

  private mutating func answer(_ timing: ServerTiming?, _ phase: Phase, _ ledger: WriteLedger) -> Decision {
    guard !isAnswered else { return .none }
    answeredCount += 1
    if muteQuestion?.number == answeredCount {
      if let timing, timing.isReadIndexKnown { muteQuestion?.before = timing.rendering }
      return .none
    }
    guard answeredCount > outdatedCount, let timing, timing.isWriteIndexKnown, timing.isReadIndexKnown else {
      return .none
    }
    let frame = ledger.renderedFrame(waitingFrames: timing.waitingFrames)
    switch phase {
    // All rendered frames were audible: the rest has been rewound, or cannot be rewound any more.
    case .corked:
      let mutedFrames = takeMutedFrames(timing.rendering, ledger)
      let heard = frame &- mutedFrames
      let isUnheard = mutedFrames > 0 || heard < unconfirmedFrame ?? .min
      stop(at: heard, timing.time)
      return isUnheard ? .playedMuted(from: heard) : .none
    case .emptied:
      let remaining = frames(inMicroseconds: timing.sinkMicroseconds) &- timing.silentFrames
      return .empties(at: frame, remainingFrames: max(0, remaining))
    case .waiting: return .none
    case .playing: return follow(timing, frame)
    }
  }

  private mutating func follow(_ timing: ServerTiming, _ frame: Int64) -> Decision {
    let inSink = frames(inMicroseconds: timing.sinkMicroseconds)
    var rendering = timing.rendering
    rendering.frame = frame
    findCycle(rendering, spare: inSink)
    self.rendering = rendering
    (playingSince, lateFrame) = (nil, nil)
    let heard = frame &- inSink
    let expected = clock.isAdvancing ? clock.frame(at: timing.time) : nil
    let wasStanding = isStanding
    standstill.note(heard, at: timing.time, expected: expected)
    clock = AudioClock(
      frame: heard, referenceTime: timing.time, framesPerSecond: timing.isPlaying && !isStanding ? sampleRate : 0)
    if isStanding { return wasStanding ? .none : .stands }
    let tolerance = frames(inMicroseconds: UInt64(Standstill.tolerance.inMicroseconds))
    return expected.map { ($0 &- heard).magnitude > tolerance.magnitude } ?? false ? .corrects : .follows
  }

  /// PipeWire's first answer since it said that it plays, with `spare` frames in a resampler or a device.
  private mutating func findCycle(_ rendering: Rendering, spare: Int64) {
    guard cycle == nil, let startTime else { return }
    self.startTime = nil
    cycle = RenderCycle(
      from: clock.frame, to: rendering.frame, spare: spare, startedAt: startTime,
      delay: max(.zero, rendering.time - startTime), sampleRate: sampleRate)
  }

  /// Frames that were rendered muted, by the answer that came after the cork.
  private mutating func takeMutedFrames(_ after: Rendering, _ ledger: WriteLedger) -> Int64 {
    defer { muteQuestion = nil }
    guard let question = muteQuestion, let before = question.before else { return 0 }
    // A sink that rewinds renders its buffer again, muted, and rewinds again at the cork, just after the first
    // question: only the frames in between are missing.
    let count =
      after.frame < before.frame
      ? frames(inMicroseconds: UInt64(max(0, (before.time - question.time).inMicroseconds)))
      : blocks.map { $0.frames(since: question.time, before, after) } ?? after.frame &- before.frame
    return max(0, min(count, Int64(sampleRate / 2), ledger.writtenFrames - ledger.doneFrames))
  }

  // MARK: Requests and ends

  /// The server has just rendered a block and requests more: the free space shows which block.
  private mutating func note(_ frame: Int64, at now: MonotonicTime, _ seams: [Int64]) {
    guard let last = rendering else { return }
    if cycle?.advance(to: frame, at: now) == false { cycle = nil }
    guard let blocks else { return }
    // After rewrites the free space is misleading, until it agrees with the estimate again.
    let difference = frame &- blocks.frame(at: now, since: last, seams: seams)
    guard difference.magnitude <= 2 * blocks.frameCount.magnitude + UInt64(sampleRate / 50) else { return }
    let block = blocks.following(last, seams) { $0.frame < frame }
    let length = block.frame == frame && block != last ? block.inSink : blocks.duration
    rendering = Rendering(frame: frame, time: now, inSink: length)
  }

  /// The audible frame at the end: the rendered one, if the sink passes frames on at once; else that of the hardware.
  private mutating func end(at time: MonotonicTime, _ ledger: WriteLedger) {
    guard clock.isAdvancing else { return endUnanswered(at: time, ledger) }
    var frame = clock.frame(at: time)
    if let cycle {
      frame = cycle.frame(at: time)
    } else if let blocks, let rendering, isSinkPlain {
      frame = blocks.frame(at: time, since: rendering, seams: ledger.seams)
    } else if blocks == nil, rendering?.inSink == .zero {
      // The length of PipeWire's cycles is unknown. The last one, of 1024 frames by default, may not have been
      // rendered: in doubt it plays again.
      frame = max(clock.frame, frame - Int64(sampleRate / 40))
    }
    stop(at: min(ledger.writtenFrames, frame, lateFrame ?? .max), time)
  }

  /// The server had started, and died before it answered. What hardware holds is unknown by then: all plays again.
  private mutating func endUnanswered(at time: MonotonicTime, _ ledger: WriteLedger) {
    guard let playingSince, let blocks, isSinkPlain else { return }
    // It reports its start with the first block.
    let start = Rendering(frame: clock.frame, time: playingSince, inSink: .zero)
    stop(at: min(ledger.writtenFrames, blocks.frame(at: time, since: start, seams: ledger.seams)), time)
  }
}
