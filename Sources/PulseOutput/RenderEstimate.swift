internal import AudioOutput

/// Estimates which frame is heard, from the few messages of a server: while it plays, after a pause, after a mute that
/// the server reports late, and when it dies.
///
/// Pure: time comes with the events (CLOCK_MONOTONIC nanoseconds), and the ledger says which frames the server has.
struct RenderEstimate {
  enum Event: Equatable {
    /// The server was asked for its timing. Answers come in the order of the questions.
    case asked
    /// The stream was corked, uncorked, moved or rewritten: open questions tell of the past.
    case outdated
    /// The server answers; nil: it cannot.
    case answered(ServerTiming?, Phase)
    /// The server says that it plays. `at`: when the message came.
    case started(at: UInt64, isPipeWire: Bool)
    /// The server has just rendered up to `frame`.
    case requested(frame: Int64, at: UInt64)
    case corked
    case uncorked
    /// The server has muted the stream a moment before its message, which came `at`. The last question asks how far it
    /// was.
    case muted(at: UInt64, isPlaying: Bool)
    /// Another device sets the pace.
    case moved
    /// The sink renders blocks of so many microseconds. `isPlain`: what it renders leaves the server at once.
    case sink(microseconds: UInt64, isPlain: Bool)
    /// The clock stands on a frame.
    case stopped(frame: Int64, at: UInt64)
    /// The clock stands where it was at a moment.
    case frozen(at: UInt64)
    /// The server or the sink ended at that moment.
    case ended(at: UInt64)
    /// No answer comes any more.
    case closed
  }

  /// The state of the stream, on which the meaning of an answer depends.
  enum Phase: String {
    case corked
    /// The server's buffer has run empty; what the sink holds is still heard.
    case emptied
    case playing
    /// Neither corked nor playing.
    case waiting
  }

  enum Decision: Equatable {
    case none
    /// All before this frame was heard. The frames from there on were rendered muted.
    case playedMuted(from: Int64)
    /// The server ran empty at `frame`, and the sink has so many frames left.
    case empties(at: Int64, remainingFrames: Int64)
    /// The clock is right.
    case follows
  }

  /// The server is asked what it has rendered before it is told to stop, and again afterwards.
  private struct MuteQuestion {
    /// When the stream was muted, as near as that is known.
    var nanoseconds: UInt64
    /// The number of the first question.
    var number: Int
    var before: Rendering?
  }

  /// The frame that is heard.
  private(set) var clock = AudioClock(frame: 0, referenceNanoseconds: 0, framesPerSecond: 0)
  /// The last message on how far the server has rendered the stream while it plays.
  private var rendering: Rendering?
  /// PipeWire's rhythm, once that is known.
  private var cycle: RenderCycle?
  /// When PipeWire said that it begins to.
  private var startNanoseconds: UInt64?
  private var muteQuestion: MuteQuestion?
  private var askedCount = 0
  private var answeredCount = 0
  /// The answers up to this number are not to be mistaken for the present.
  private var outdatedCount = 0
  /// The rhythm of the sink, where that is known.
  private var blocks: RenderBlocks?
  private var isSinkPlain = false
  private let sampleRate: Int

  init(sampleRate: Int) { self.sampleRate = sampleRate }

  /// True if no question is open.
  var isAnswered: Bool { answeredCount == askedCount }

  /// The first frame that the server has not rendered, by its last message while it plays.
  var renderedFrame: Int64? { rendering?.frame }

  /// True if the clock should be asked for again.
  func isOld(at now: UInt64) -> Bool {
    !clock.isAdvancing || now &- clock.referenceNanoseconds > UInt64(PulseTimeouts.clockAge * 1e9)
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
    case .started(let time, let isPipeWire): startNanoseconds = isPipeWire && rendering == nil ? time : nil
    case .requested(let frame, let time): note(frame, at: time, ledger.seams)
    case .corked: (rendering, cycle, outdatedCount) = (nil, nil, askedCount)
    case .uncorked: (muteQuestion, outdatedCount) = (nil, askedCount)
    // PulseAudio needs 0.05 to 0.2 ms from the mute to its message, if other work does not delay it. A block in a
    // hundred calls is lost or repeated because that is wrong.
    case .muted(let time, let isPlaying):
      muteQuestion = isPlaying ? MuteQuestion(nanoseconds: time - min(time, 120_000), number: askedCount) : nil
    case .moved: cycle?.isMoved = true
    case .sink(let microseconds, let isPlain):
      blocks = RenderBlocks(latency: microseconds, sampleRate: sampleRate)
      isSinkPlain = isPlain
    case .stopped(let frame, let time): stop(at: frame, time)
    case .frozen(let time):
      if clock.isAdvancing { stop(at: min(ledger.writtenFrames, clock.frame(atNanoseconds: time)), time) }
    case .ended(let time): end(at: time, ledger)
    case .closed: (muteQuestion, answeredCount, outdatedCount) = (nil, askedCount, askedCount)
    }
    return .none
  }

  private mutating func stop(at frame: Int64, _ now: UInt64) {
    clock = AudioClock(frame: frame, referenceNanoseconds: now, framesPerSecond: 0)
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
    // All that was read is what was heard: the rest has been rewound, or cannot be taken back any more.
    case .corked:
      let mutedFrames = takeMutedFrames(timing.rendering, ledger)
      stop(at: frame &- mutedFrames, timing.nanoseconds)
      return mutedFrames > 0 ? .playedMuted(from: frame &- mutedFrames) : .none
    case .emptied:
      let remaining = frames(inMicroseconds: timing.sinkMicroseconds) &- timing.silentFrames
      return .empties(at: frame, remainingFrames: max(0, remaining))
    case .waiting: return .none
    case .playing:
      follow(timing, frame)
      return .follows
    }
  }

  private mutating func follow(_ timing: ServerTiming, _ frame: Int64) {
    let inSink = frames(inMicroseconds: timing.sinkMicroseconds)
    var rendering = timing.rendering
    rendering.frame = frame
    findCycle(rendering, spare: inSink)
    self.rendering = rendering
    clock = AudioClock(
      frame: frame &- inSink, referenceNanoseconds: timing.nanoseconds,
      framesPerSecond: timing.isPlaying ? sampleRate : 0)
  }

  /// PipeWire's first answer since it said that it plays, with `spare` frames in a resampler or a device.
  private mutating func findCycle(_ rendering: Rendering, spare: Int64) {
    guard cycle == nil, let startNanoseconds else { return }
    self.startNanoseconds = nil
    cycle = RenderCycle(
      from: clock.frame, to: rendering.frame, spare: spare, startedAt: startNanoseconds,
      delay: rendering.nanoseconds &- min(rendering.nanoseconds, startNanoseconds), sampleRate: sampleRate)
  }

  /// Frames that were rendered muted, by the answer that came after the cork.
  private mutating func takeMutedFrames(_ after: Rendering, _ ledger: WriteLedger) -> Int64 {
    defer { muteQuestion = nil }
    guard let question = muteQuestion, let before = question.before else { return 0 }
    // Where the sink rewinds, what it held was rendered again, muted, and taken back at the cork, a moment after the
    // first question: only what was played in between is missing.
    let count =
      after.frame < before.frame
      ? frames(inMicroseconds: (before.nanoseconds - min(before.nanoseconds, question.nanoseconds)) / 1000)
      : blocks.map { $0.frames(since: question.nanoseconds, before, after) } ?? after.frame &- before.frame
    return max(0, min(count, Int64(sampleRate / 2), ledger.writtenFrames - ledger.doneFrames))
  }

  // MARK: Requests and ends

  /// The server has just rendered a block and found that there is room: the room shows which block.
  private mutating func note(_ frame: Int64, at now: UInt64, _ seams: [Int64]) {
    guard let last = rendering else { return }
    if cycle?.advance(to: frame, atNanoseconds: now) == false { cycle = nil }
    guard let blocks else { return }
    // Where something was written twice or taken back, its share of the room is wrong until the estimate agrees again.
    let difference = frame &- blocks.frame(atNanoseconds: now, since: last, seams: seams)
    guard difference.magnitude <= 2 * blocks.frameCount.magnitude + UInt64(sampleRate / 50) else { return }
    let block = blocks.following(last, seams) { $0.frame < frame }
    let length = block.frame == frame && block != last ? block.sinkNanoseconds : blocks.nanoseconds
    rendering = Rendering(frame: frame, nanoseconds: now, sinkNanoseconds: length)
  }

  /// Heard is what was rendered, if the sink hands that over at once; else what the hardware had reached.
  private mutating func end(at time: UInt64, _ ledger: WriteLedger) {
    guard clock.isAdvancing else { return }
    var frame = clock.frame(atNanoseconds: time)
    if let cycle {
      frame = cycle.frame(atNanoseconds: time)
    } else if let blocks, let rendering, isSinkPlain {
      frame = blocks.frame(atNanoseconds: time, since: rendering, seams: ledger.seams)
    } else if blocks == nil, rendering?.sinkNanoseconds == 0 {
      // The length of PipeWire's cycles is unknown. The last one, of 1024 frames by default, may not have been
      // rendered: in doubt it is heard again.
      frame = max(clock.frame, frame - Int64(sampleRate / 40))
    }
    stop(at: min(ledger.writtenFrames, frame), time)
  }
}
