import AudioModel
import Testing

@testable import Streaming

/// The pure decisions of fetching: ranges, requests, evictions, retries and records.
struct PlanTests {
  /// The same on single bytes: slow and simple.
  @Test(arguments: 0..<200) func `gaps and ranges agree with a set of single bytes`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (ranges, bytes) = (ByteRanges(), [Bool](repeating: false, count: 64))
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let start = Int.random(in: 0..<64, using: &random)
      let range = start..<Int.random(in: start...64, using: &random)
      let isThere = Int.random(in: 0..<3, using: &random) > 0
      let whole = Int64(range.lowerBound)..<Int64(range.upperBound)
      if isThere { ranges.insert(contentsOf: whole) } else { ranges.remove(contentsOf: whole) }
      for byte in range { bytes[byte] = isThere }
    }
    #expect(ranges.byteCount == Int64(bytes.count { $0 }))
    for offset in 0...64 {
      let end = bytes[offset...].firstIndex(of: false) ?? 64
      #expect(ranges.end(from: Int64(offset)) == Int64(end))
      let gapEnd = bytes[min(end, 64)...].firstIndex(of: true) ?? 64
      #expect(ranges.gap(from: Int64(offset), to: 64) == (end < 64 ? Int64(end)..<Int64(gapEnd) : nil))
    }
  }

  private func plan(
    _ present: [Range<Int64>], at position: Int64, transfer: Int64? = nil, canRange: Bool = true, wantsAll: Bool = true,
    length: Int64? = 10_000_000
  ) -> FetchPlan.Step {
    FetchPlan(
      present: ByteRanges(present), length: length, position: position, transfer: transfer, canRange: canRange,
      wantsAll: wantsAll
    ).step
  }

  @Test func `the gap after the reader is fetched first, then the gaps before it`() {
    #expect(plan([], at: 0) == .fetch(from: 0, to: nil))
    #expect(plan([0..<100], at: 0, transfer: 100) == .keep)
    #expect(plan([0..<100], at: 5_000_000, transfer: 100) == .fetch(from: 5_000_000, to: nil))
    #expect(plan([0..<100], at: 200_000, transfer: 100) == .keep, "it will arrive sooner than over a new connection")
    #expect(plan([0..<100, 5000..<6000], at: 50) == .fetch(from: 100, to: 5000), "only the gap")
    #expect(plan([9_000_000..<10_000_000], at: 9_000_000) == .fetch(from: 0, to: 9_000_000), "the skipped bytes")
    #expect(plan([9_000_000..<10_000_000], at: 9_000_000, wantsAll: false) == .keep)
    #expect(plan([0..<10_000_000], at: 0) == .keep)
    #expect(plan([0..<10_000_000], at: 0, transfer: 500) == .stop)
    #expect(plan([], at: 10_000_000, wantsAll: false) == .keep, "nothing lies past the end")
    #expect(plan([0..<100], at: 100, length: nil) == .fetch(from: 100, to: nil))
  }

  @Test func `a server without ranges is waited for, or the whole file is requested again`() {
    #expect(plan([0..<100], at: 9_000_000, transfer: 100, canRange: false) == .keep)
    #expect(plan([0..<100], at: 9_000_000, canRange: false) == .fetch(from: 0, to: nil))
    #expect(plan([9000..<9100], at: 100, transfer: 9100, canRange: false) == .fetch(from: 0, to: nil))
  }

  @Test func `readers that wait take turns`() {
    let turn = FetchPlan.turnByteCount
    #expect(FetchPlan.turn(waits: [], served: nil, byteCount: 0) == nil)
    #expect(FetchPlan.turn(waits: [false, false], served: nil, byteCount: 0) == 0)
    #expect(FetchPlan.turn(waits: [false, true], served: nil, byteCount: 0) == 1)
    #expect(FetchPlan.turn(waits: [false, false], served: 1, byteCount: turn) == 1, "no other reader waits")
    #expect(FetchPlan.turn(waits: [true, false], served: 1, byteCount: 0) == 0, "a waiting reader goes first")
    #expect(FetchPlan.turn(waits: [true, true, true], served: 1, byteCount: turn - 1) == 1)
    #expect(FetchPlan.turn(waits: [true, true, true], served: 1, byteCount: turn) == 2)
    #expect(FetchPlan.turn(waits: [true, true, false], served: 1, byteCount: turn) == 0)
    #expect(FetchPlan.turn(waits: [false, true, false], served: 1, byteCount: turn) == 1, "no other reader waits")
  }

  @Test func `the bytes furthest behind the reader are evicted first`() {
    let budget = SpoolBudget(byteLimit: 1000)
    #expect(budget.evictions(ByteRanges([0..<500]), reader: 0, arriving: 500, at: 500) == [])
    #expect(budget.evictions(ByteRanges([0..<1000]), reader: 900, arriving: 100, at: 1000) == [0..<100])
    #expect(budget.evictions(ByteRanges([0..<1000]), reader: 100, arriving: 100, at: 1000) == nil, "it has to wait")
    #expect(budget.evictions(ByteRanges([0..<1000]), reader: 1000, arriving: 100, at: 1000) == [0..<100])
    #expect(
      budget.evictions(ByteRanges([5000..<6000]), reader: 100, arriving: 100, at: 100) == [5900..<6000],
      "after a seek back")
  }

  @Test(arguments: 0..<200) func `there is never more than the limit`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let budget = SpoolBudget(byteLimit: 1000)
    var (present, reader) = (ByteRanges(), Int64(0))
    for _ in 0..<50 {
      reader = Int64.random(in: 0..<5000, using: &random)
      let place = present.end(from: Int64.random(in: 0..<5000, using: &random))
      let count = Int64.random(in: 1...100, using: &random)
      guard let evicted = budget.evictions(present, reader: reader, arriving: count, at: place) else {
        #expect(present.end(from: reader) != place || place > reader, "a reader that waits for a byte gets it")
        continue
      }
      for range in evicted { present.remove(contentsOf: range) }
      present.insert(contentsOf: place..<(place + count))
      #expect(present.byteCount <= 1000)
    }
  }

  @Test func `each attempt waits longer, up to a limit, and by a random time`() {
    var backOff = BackOff()
    (backOff.firstDelay, backOff.longestDelay, backOff.limit) = (.seconds(1), .seconds(10), 6)
    var random = SeededGenerator(seed: 1)
    for (attempt, longest) in [1.0, 2, 4, 8, 10, 10].map(TimeSpan.seconds).enumerated() {
      let delays = (0..<50).compactMap { _ in backOff.delay(attempt: attempt, using: &random) }
      #expect(delays.count == 50 && delays.allSatisfy { (longest / 2)...longest ~= $0 } && Set(delays).count > 40)
    }
    #expect(backOff.delay(attempt: 6, using: &random) == nil)
    #expect(backOff.delay(attempt: -1, using: &random) != nil)
  }

  @Test func `a written record is read back, and any other text is rejected`() {
    var record = SpoolRecord(address: "https://a/b c.mp3")
    record.length = 1000
    record.validator = Validator(entityTag: "W/\"a b\"", lastModified: "Wed, 21 Oct 2015 07:28:00 GMT")
    record.contentType = "audio/mpeg; charset=x"
    record.present = ByteRanges([0..<10, 20..<1000])
    #expect(SpoolRecord(text: record.text) == record)
    for count in 0..<record.text.count - 1 { #expect(SpoolRecord(text: String(record.text.prefix(count))) == nil) }
    for damage in ["range 5 1001", "range 9 5", "range -1 5", "range 5", "range a b", "what 1"] {
      #expect(SpoolRecord(text: record.text.replacing("range 0 10", with: damage)) == nil, "\(damage)")
    }
  }
}
