import AudioModel
import Testing

@testable import PulseOutput

/// Estimates from the sparse reports of a server on rendering.
@Suite struct `Blocks of a sink` {
  // PulseAudio turns 5 ms at 44.1 kHz into 219 frames, 4965.98 us.
  private let blocks = RenderBlocks(latency: 4988, sampleRate: 44100)

  private func word(_ frame: Int64, at microseconds: Int64, sink: Int64) -> Rendering {
    Rendering(frame: frame, time: .zero + .microseconds(microseconds), inSink: .microseconds(sink))
  }

  @Test func `their length is the latency, in whole frames; of long ones or none nothing is known`() {
    #expect(blocks?.frameCount == 219)
    #expect(blocks?.duration == TimeSpan(nanoseconds: 4_965_986))
    #expect(RenderBlocks(latency: 0, sampleRate: 44100) == nil)
    #expect(RenderBlocks(latency: 2_000_000, sampleRate: 44100) == nil)
    #expect(RenderBlocks(latency: .max, sampleRate: 44100) == nil)
  }

  @Test func `the next is rendered when the last is over`() throws {
    let blocks = try #require(blocks)
    let word = word(1000, at: 50_000, sink: 3000)
    #expect(blocks.frame(at: .zero, since: word) == 1000)
    #expect(blocks.frame(at: MonotonicTime(nanoseconds: 52_999_999), since: word) == 1000)
    #expect(blocks.frame(at: .zero + .milliseconds(53), since: word) == 1219)
    #expect(blocks.frame(at: MonotonicTime(nanoseconds: 57_965_985), since: word) == 1219)
    #expect(blocks.frame(at: MonotonicTime(nanoseconds: 57_965_986), since: word) == 1438)
    #expect(blocks.frame(at: .zero + .milliseconds(1053), since: word) == 1000 + 202 * 219)
    #expect(blocks.frame(at: .distantFuture, since: word) > 0)
  }

  @Test func `the end of a piece is rendered with the start of the next one`() throws {
    let blocks = try #require(blocks)
    let word = word(1000, at: 50_000, sink: 0)
    // Blocks end at 1219 and 1438, the next at 1500 and a block; then a piece ends where a block does, and two are
    // short.
    let seams: [Int64] = [900, 1500, 1938, 1940, 1950, 2500]
    var frames: [Int64] = []
    var time = MonotonicTime.zero + .milliseconds(50)
    for _ in 0..<6 {
      frames.append(blocks.frame(at: time, since: word, seams: seams))
      #expect(
        blocks.frame(at: time - TimeSpan(nanoseconds: 20), since: word, seams: seams)
          == (frames.dropLast().last ?? 1000))
      let length = blocks.duration * (frames[frames.count - 1] - 1000) / 219
      time = .zero + .milliseconds(50) + length + TimeSpan(nanoseconds: 10)
    }
    #expect(frames == [1219, 1438, 1719, 1938, 2169, 2388])
    #expect(blocks.frame(at: .distantFuture, since: word, seams: seams) > 0)
  }

  @Test func `frames rendered since a time are counted between two messages`() throws {
    let blocks = try #require(blocks)
    // The block before the first word was rendered at 48.034 ms.
    let first = word(1000, at: 50_000, sink: 3000)
    let none = word(1000, at: 50_200, sink: 2800)
    #expect(blocks.frames(since: .zero + .microseconds(48_100), first, none) == 0)
    #expect(blocks.frames(since: .zero + .milliseconds(48), first, none) == 219)
    #expect(blocks.frames(since: .zero + .microseconds(43_100), first, none) == 219)
    #expect(blocks.frames(since: .zero + .milliseconds(43), first, none) == 438)
    // One was rendered in between.
    let one = word(1219, at: 53_200, sink: 4766)
    #expect(blocks.frames(since: .zero + .microseconds(48_100), first, one) == 219)
    #expect(blocks.frames(since: .zero + .milliseconds(48), first, one) == 438)
    // The first word came late: by the second, the block was rendered earlier.
    let late = word(1000, at: 52_000, sink: 3000)
    #expect(blocks.frames(since: .zero + .microseconds(48_100), late, one) == 219)
  }
}

/// Estimates from the sparse reports of PipeWire.
@Suite struct `Cycles of PipeWire` {
  private func first(
    from start: Int64 = 1000, to frame: Int64, spare: Int64 = 0, delay: TimeSpan = .microseconds(500),
    sampleRate: Int = 44100
  ) -> RenderCycle? {
    RenderCycle(
      from: start, to: frame, spare: spare, startedAt: .zero + .milliseconds(50), delay: delay, sampleRate: sampleRate)
  }

  @Test func `their length is what the first took, if that was one`() {
    #expect(first(to: 2024)?.frameCount == 1024)
    // A second one may have been over.
    #expect(first(to: 2024, delay: .milliseconds(12)) == nil)
    #expect(first(to: 1000) == nil && first(to: 999) == nil && first(to: 6000) == nil && first(to: .min) == nil)
    #expect(first(to: 2024, sampleRate: 0) == nil)
  }

  @Test func `each is over a length after the one before`() throws {
    let cycle = try #require(first(to: 2024))
    #expect(cycle.frame(at: .zero) == 2024)
    #expect(cycle.frame(at: .zero + .microseconds(50_000 + 23_219)) == 2024)
    #expect(cycle.frame(at: .zero + .microseconds(50_000 + 23_220)) == 3048)
    #expect(cycle.frame(at: .zero + .microseconds(50_000 + 43 * 23_220)) == 2024 + 43 * 1024)
    #expect(cycle.frame(at: .distantFuture) > 0)
  }

  @Test func `requests carry their time, and their length if a resampler makes them uneven`() throws {
    // 1024 frames of 48 kHz are 940.8, and the resampler takes 32 beforehand.
    var cycle = try #require(first(from: 0, to: 973, spare: 32))
    #expect(cycle.frameCount == 941)
    var agrees = cycle.advance(to: 44_250, at: .zero + .microseconds(1_031_300))
    #expect(agrees)
    #expect(abs(cycle.frameCount - 940.8) < 0.02)
    #expect(cycle.frame(at: .zero + .microseconds(1_031_300 + 10 * 21_334)) == 44_250 + 9408)
    // Something was written twice, or the length has changed.
    // The next is told of late.
    agrees = cycle.advance(to: 44_250 + 9408, at: .zero + .milliseconds(2000))
    #expect(agrees && abs((cycle.time - (.zero + .microseconds(1_244_600))).inMicroseconds) < 200)
    // Unless it is another device's.
    cycle.isMoved = true
    agrees = cycle.advance(to: 44_250 + 2 * 9408, at: .zero + .milliseconds(1470))
    #expect(agrees && cycle.time == .zero + .milliseconds(1470))
    for frame in [63_066 + 500, 40_000] as [Int64] {
      agrees = cycle.advance(to: frame, at: .zero + .milliseconds(2000))
      #expect(!agrees)
    }
  }
}
