import ByteIO
import Testing

@testable import Streaming

/// The places of segments in time and in bytes.
struct HLSTimelineTests {
  private func timeline(_ seconds: [Double], breaks: Set<Int> = []) -> HLSTimeline {
    HLSTimeline(
      seconds.enumerated().map { number, seconds in
        HLSPlaylist.Segment(
          address: WebAddress("https://a/\(number)"), seconds: seconds, number: number,
          isDiscontinuous: breaks.contains(number))
      })
  }

  @Test func `known clocks correct the playlist's sums`() {
    var timeline = timeline([Double](repeating: 2, count: 100))
    #expect(timeline.seconds == 200 && timeline.segment(at: 99) == 49 && timeline.segment(at: 1e9) == 99)
    #expect(timeline.start(of: 49) == (98, false) && timeline.start(of: 0) == (0, true))
    timeline.note(.presentation(900_000), of: 0)
    // The clock has wrapped around, and is half a second ahead of the playlist.
    timeline.note(.presentation((900_000 + 90_000 * 98 + 45_000) & (1 << 33 - 1)), of: 49)
    #expect(timeline.start(of: 49) == (98.5, true) && timeline.start(of: 50) == (100.5, false))
    #expect(timeline.segment(at: 100.25) == 49 && timeline.segment(at: 10) == 5)
  }

  @Test(arguments: [0, 0x1_fffe_a070] as [UInt64]) func `a clock that wraps around continues`(first: UInt64) throws {
    let later = SegmentClock.presentation((first &+ 10 * 90_000) & (1 << 33 - 1))
    #expect(later.seconds(since: .presentation(first), about: 9) == 10)
    #expect(later.seconds(since: .presentation(first), about: 95_453) == 10 + Double(1 << 33 as Int) / 90_000)
    #expect(SegmentClock.decoding(96, perSecond: 48).seconds(since: .decoding(48, perSecond: 48), about: 0) == 1)
    #expect(SegmentClock.decoding(9, perSecond: 0).seconds(since: .decoding(0, perSecond: 0), about: 0) == nil)
    #expect(later.seconds(since: .decoding(0, perSecond: 1), about: 0) == nil)
  }

  @Test func `a clock that shows an impossible time is ignored`() {
    var timeline = timeline([2, 2, 2])
    timeline.note(.decoding(0, perSecond: 1), of: 0)
    timeline.note(.decoding(.max, perSecond: 1), of: 1)
    #expect(timeline.start(of: 1) == (2, false) && timeline.start(of: 2) == (4, false))
    timeline.note(.decoding(3, perSecond: 1), of: 1)
    #expect(timeline.start(of: 1) == (3, true))
  }

  @Test func `clocks after a discontinuity are ignored`() {
    var timeline = timeline([2, 2, 2, 2], breaks: [2])
    timeline.note(.presentation(0), of: 0)
    timeline.note(.presentation(180_900), of: 1)
    timeline.note(.presentation(5), of: 2)
    #expect(timeline.start(of: 1) == (2.01, true) && timeline.start(of: 2) == (4.01, false))
  }

  @Test func `a segment that has arrived is read in its place, any other in a new run`() {
    var (timeline, present) = (timeline([1, 1, 1, 1, 1]), ByteRanges())
    timeline.append(100, of: 0, toRun: 0)
    timeline.append(50, of: 1, toRun: 0)
    present.insert(contentsOf: 0..<150)
    #expect(timeline.place(of: 1, among: present) == 100)
    // The next segment follows in the same run.
    #expect(timeline.place(of: 2, among: present) == 150)
    let base = timeline.place(of: 3, among: present) ?? 0
    #expect(base >= HLSTimeline.runByteLimit && timeline.run(at: base) == 1)
    // Nothing has arrived there: another run may use the place, with another ID.
    let id = timeline.runs[1].id
    #expect(timeline.place(of: 4, among: present) == base && timeline.runs[1].id != id)
    timeline.append(70, of: 4, toRun: 1)
    present.insert(contentsOf: base..<(base + 70))
    #expect(timeline.shares(present) == [0..<0.4, 0.8..<1])
    // Evicted segments must be fetched again.
    present.remove(contentsOf: 0..<120)
    #expect(timeline.place(of: 0, among: present) ?? 0 > base)
    #expect(timeline.remove(endingAt: 150, unless: 0) == nil && timeline.remove(endingAt: 150, unless: 1) == 0..<150)
    #expect(timeline.run(at: 10) == nil)
  }
}
