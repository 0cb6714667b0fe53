import AudioModel
import AudioOutput
import Testing

@testable import PulseOutput

private func expect(_ decision: RenderEstimate.Decision, _ expected: RenderEstimate.Decision) {
  #expect(decision == expected)
}

/// Messages of a server, and the frame that is heard.
@Suite struct `Render estimate` {
  private var estimate = RenderEstimate(sampleRate: 44100)
  private var ledger = WriteLedger(bytesPerFrame: 4)

  /// 100,000 frames were written; blocks of 219 frames, by a sink without hardware.
  init() {
    ledger.handle(.wrote(byteCount: 400_000, firstReplaceable: 0, rendered: nil))
    _ = estimate.handle(.sink(microseconds: 4988, isPlain: true), ledger)
  }

  @discardableResult
  private mutating func tell(_ event: RenderEstimate.Event) -> RenderEstimate.Decision {
    estimate.handle(event, ledger)
  }

  /// The server has rendered up to `frame`, and its sink has `sink` microseconds of it left.
  private func timing(_ frame: Int64, sink: UInt64 = 0, at milliseconds: Int64) -> ServerTiming {
    ServerTiming(
      waitingFrames: 100_000 - frame, readFrame: frame, sinkMicroseconds: sink, silentFrames: 0, isPlaying: true,
      time: .zero + .milliseconds(milliseconds))
  }

  private mutating func answer(_ timing: ServerTiming?, _ phase: RenderEstimate.Phase) -> RenderEstimate.Decision {
    tell(.asked)
    return tell(.answered(timing, phase))
  }

  @Test mutating func `while the stream plays, what the sink holds is not heard yet`() {
    expect(answer(timing(10_000, sink: 10_000, at: 1000), .playing), .follows)
    #expect(estimate.clock.frame == 10_000 - 441 && estimate.clock.framesPerSecond == 44100)
    #expect(!estimate.isOld(at: .zero + .milliseconds(2000)) && estimate.isOld(at: .zero + .milliseconds(12_000)))
  }

  @Test mutating func `a device that stands still stops the clock, and one that plays again starts it`() {
    _ = answer(timing(10_000, at: 1000), .playing)
    expect(answer(timing(54_100, at: 2000), .playing), .follows)
    // It stopped after half a second.
    expect(answer(timing(76_150, at: 3250), .playing), .corrects)
    #expect(estimate.clock.frame == 76_150 && estimate.recheckDelay == .milliseconds(250))
    expect(answer(timing(76_150, at: 3500), .playing), .stands)
    #expect(estimate.clock.frame == 76_150 && !estimate.clock.isAdvancing && estimate.isOld(at: .zero))
    expect(answer(timing(76_150, at: 4500), .playing), .none)
    #expect(!estimate.clock.isAdvancing)
    expect(answer(timing(98_200, at: 5500), .playing), .follows)
    #expect(estimate.clock.isAdvancing && estimate.recheckDelay == nil)
  }

  @Test mutating func `another device, a cork or a pause has no old place`() {
    for event in [.moved, .corked, .frozen(at: .zero + .milliseconds(2300))] as [RenderEstimate.Event] {
      var other = self
      _ = other.answer(timing(10_000, at: 1000), .playing)
      _ = other.answer(timing(20_000, at: 2250), .playing)
      #expect(other.estimate.recheckDelay != nil)
      other.tell(event)
      #expect(other.estimate.recheckDelay == nil)
    }
  }

  @Test mutating func `an answer to a question of before a cork is not mistaken for the present`() {
    tell(.asked)
    tell(.corked)
    tell(.asked)
    expect(tell(.answered(timing(9000, at: 1000), .corked)), .none)
    #expect(!estimate.isAnswered && estimate.clock.frame == 0)
    expect(tell(.answered(timing(10_000, at: 1001), .corked)), .none)
    #expect(estimate.isAnswered && estimate.clock.frame == 10_000 && !estimate.clock.isAdvancing)
  }

  @Test mutating func `empty answers, and answers from before a flush, are ignored`() {
    expect(answer(nil, .playing), .none)
    var late = timing(10_000, at: 1000)
    late.isWriteIndexKnown = false
    expect(answer(late, .playing), .none)
    #expect(estimate.clock.frame == 0)
    expect(tell(.answered(timing(10_000, at: 1000), .playing)), .none)
  }

  @Test mutating func `the audio in the sink after an underrun is reported, without the silence since`() {
    var timing = timing(100_000, sink: 100_000, at: 1000)
    timing.silentFrames = 1000
    expect(answer(timing, .emptied), .empties(at: 100_000, remainingFrames: 3410))
    timing.silentFrames = 10_000
    expect(answer(timing, .emptied), .empties(at: 100_000, remainingFrames: 0))
  }

  /// The server rendered a block at 1000 ms, mutes the stream, says so at `muted` ms, and corks it.
  private mutating func call(muted: Double, before: ServerTiming, after: ServerTiming) -> RenderEstimate.Decision {
    _ = answer(timing(10_000, sink: 4966, at: 1000), .playing)
    tell(.asked)
    tell(.muted(at: .zero + .seconds(muted / 1000), isPlaying: true))
    tell(.corked)
    tell(.asked)
    expect(tell(.answered(before, .corked)), .none)
    return tell(.answered(after, .corked))
  }

  @Test mutating func `blocks that were rendered muted are played again`() {
    // At 1004.966 the next block is rendered; the mute came 0.12 ms before its message.
    let decision = call(
      muted: 1004.9, before: timing(10_219, sink: 4932, at: 1005), after: timing(10_219, sink: 4932, at: 1005))
    #expect(decision == .playedMuted(from: 10_000))
    #expect(estimate.clock.frame == 10_000)
  }

  @Test mutating func `blocks that were rendered before the mute are not`() {
    let decision = call(
      muted: 1005.2, before: timing(10_219, sink: 4632, at: 1005), after: timing(10_219, sink: 4532, at: 1005))
    #expect(decision == .none)
    #expect(estimate.clock.frame == 10_219)
  }

  @Test mutating func `a pause that is confirmed late takes back what the clock ran ahead`() {
    _ = answer(timing(10_000, at: 1000), .playing)
    tell(.corked)
    tell(.asked)
    tell(.frozen(at: .zero + .milliseconds(1200)))
    #expect(estimate.clock.frame == 10_000 + 8820)
    var (behind, ahead, resumed) = (self, self, self)
    expect(behind.tell(.answered(timing(11_000, at: 1700), .corked)), .playedMuted(from: 11_000))
    #expect(behind.estimate.clock.frame == 11_000 && !behind.estimate.clock.isAdvancing)
    expect(behind.answer(timing(10_900, at: 1800), .corked), .none)
    // A device that has played longer has lost nothing.
    expect(ahead.tell(.answered(timing(20_000, at: 1700), .corked)), .none)
    #expect(ahead.estimate.clock.frame == 20_000)
    // Nor is it known what a stream that plays on has lost.
    resumed.tell(.uncorked)
    expect(resumed.tell(.answered(timing(11_000, at: 1700), .waiting)), .none)
  }

  @Test mutating func `a stream that does not play yet has played nothing muted`() {
    tell(.asked)
    tell(.muted(at: .zero + .milliseconds(1000), isPlaying: false))
    expect(tell(.answered(timing(500, at: 1001), .corked)), .none)
    #expect(estimate.clock.frame == 500)
  }

  @Test mutating func `a plain sink that dies was heard to the end of its last block`() {
    _ = answer(timing(10_000, sink: 4966, at: 1000), .playing)
    tell(.ended(at: .zero + .milliseconds(1004)))
    #expect(estimate.clock.frame == 10_000 && !estimate.clock.isAdvancing)
  }

  @Test mutating func `requests say which block was the last`() {
    _ = answer(timing(10_000, sink: 4966, at: 1000), .playing)
    tell(.requested(frame: 10_438, at: .zero + .microseconds(1_009_932), isExact: true))
    #expect(estimate.renderedFrame == 10_438)
    // One that does not agree with the time is ignored.
    tell(.requested(frame: 50_000, at: .zero + .milliseconds(1010), isExact: true))
    #expect(estimate.renderedFrame == 10_438)
    tell(.ended(at: .zero + .milliseconds(1015)))
    #expect(estimate.clock.frame == 10_657)
  }

  @Test mutating func `a plain sink that dies before its first answer was heard since it started`() {
    expect(answer(timing(10_000, at: 900), .corked), .none)
    tell(.uncorked)
    tell(.started(at: .zero + .milliseconds(1000), since: .zero + .milliseconds(1001), isPipeWire: false))
    tell(.asked)
    // The first block comes with the start. Messages that were read at once say nothing about the time between them.
    for (microseconds, frame) in [(1_000_500, 10_000), (1_001_000, 10_219), (1_005_966, 10_438), (9_000_000, 100_000)]
      as [(Int64, Int64)]
    {
      var killed = self
      killed.tell(.ended(at: .zero + .microseconds(microseconds)))
      #expect(killed.estimate.clock.frame == frame && !killed.estimate.clock.isAdvancing)
    }
    // Of others it is not known: they play again.
    for event in [.sink(microseconds: 4988, isPlain: false), .moved, .corked] as [RenderEstimate.Event] {
      var other = self
      other.tell(event)
      other.tell(.ended(at: .zero + .milliseconds(1100)))
      #expect(other.estimate.clock.frame == 10_000)
    }
  }

  @Test mutating func `hardware that dies takes with it what it has not played`() {
    tell(.sink(microseconds: 4988, isPlain: false))
    _ = answer(timing(10_000, sink: 100_000, at: 1000), .playing)
    tell(.ended(at: .zero + .milliseconds(1100)))
    #expect(estimate.clock.frame == 10_000)
  }

  @Test mutating func `PipeWire's cycles are counted from the first`() {
    tell(.sink(microseconds: 0, isPlain: false))
    tell(.uncorked)
    tell(.started(at: .zero + .milliseconds(1000), since: .zero + .milliseconds(1000), isPipeWire: true))
    _ = answer(timing(1024, at: 1001), .playing)
    tell(.ended(at: .zero + .milliseconds(1070)))
    #expect(estimate.clock.frame == 1024 * 4)
  }

  @Test mutating func `with unknown cycles of PipeWire, a moment is heard twice rather than lost`() {
    tell(.sink(microseconds: 0, isPlain: false))
    _ = answer(timing(10_000, at: 1000), .playing)
    tell(.ended(at: .zero + .milliseconds(1100)))
    #expect(estimate.clock.frame == 10_000 + 4410 - 1102)
  }

  @Test mutating func `the clock never passes what was written`() {
    _ = answer(timing(99_990, at: 1000), .playing)
    tell(.frozen(at: .zero + .milliseconds(2000)))
    #expect(estimate.clock.frame == 100_000)
  }

  @Test mutating func `a request that the clock has passed makes it ask, and limits the place of an end`() {
    _ = answer(timing(10_000, at: 1000), .playing)
    // One second later: the clock is at 54,100. A block and some milliseconds are no contradiction.
    for isExact in [true, false] {
      tell(.requested(frame: 53_500, at: .zero + .milliseconds(2000), isExact: isExact))
      #expect(!estimate.isOld(at: .zero + .milliseconds(2000)))
      tell(.requested(frame: 20_000, at: .zero + .milliseconds(2000), isExact: isExact))
      #expect(estimate.isOld(at: .zero + .milliseconds(2000)) && estimate.clock.isAdvancing)
    }
    for event in [.frozen(at: .zero + .milliseconds(2000)), .ended(at: .zero + .milliseconds(2300))]
      as [RenderEstimate.Event]
    {
      var lost = self
      lost.tell(event)
      #expect(lost.estimate.clock.frame == 20_000 && !lost.estimate.clock.isAdvancing)
    }
    // The answer tells the place.
    _ = answer(timing(21_000, at: 2010), .playing)
    #expect(!estimate.isOld(at: .zero + .milliseconds(2020)))
    tell(.frozen(at: .zero + .milliseconds(2110)))
    #expect(estimate.clock.frame == 25_410)
  }

  @Test mutating func `numbers of a server that make no sense trap nowhere`() {
    for number in [Int64.min, -1, .max] {
      let timing = ServerTiming(
        waitingFrames: number, readFrame: number, sinkMicroseconds: .max, silentFrames: number, isPlaying: true,
        time: MonotonicTime(nanoseconds: .max))
      for phase in [.corked, .emptied, .waiting, .playing] as [RenderEstimate.Phase] { _ = answer(timing, phase) }
      tell(.requested(frame: number, at: MonotonicTime(nanoseconds: .max), isExact: true))
      tell(.asked)
      tell(.muted(at: MonotonicTime(nanoseconds: 5), isPlaying: true))
      tell(.asked)
      _ = tell(.answered(timing, .corked))
      _ = tell(.answered(timing, .corked))
      tell(.ended(at: MonotonicTime(nanoseconds: .max)))
    }
  }
}
