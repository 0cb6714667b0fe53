import AudioModel
import Testing

@Suite struct MonotonicTimeTests {
  private let longest = TimeSpan(nanoseconds: .max)
  private let shortest = TimeSpan(nanoseconds: .min)

  @Test func `a moment and a span give a moment, and two moments the span`() {
    let time = MonotonicTime.zero + .seconds(2.5)
    #expect(time.nanoseconds == 2_500_000_000)
    #expect(time - .milliseconds(500) == .zero + .seconds(2))
    #expect(time - (.zero + .seconds(3)) == .milliseconds(-500))
  }

  @Test func `moments stay in the range of the clock`() {
    #expect(MonotonicTime.zero - .seconds(1) == .zero)
    let start = MonotonicTime.zero
    #expect(start + shortest == start && start - longest == start && start - shortest == .distantFuture)
    #expect(.distantFuture + .seconds(1) == .distantFuture && .distantFuture + longest == .distantFuture)
    let outside = MonotonicTime(nanoseconds: .max)
    #expect(outside + .seconds(1) == .distantFuture && outside - .zero as TimeSpan == longest)
  }

  @Test func `spans saturate`() {
    #expect(longest + longest == longest && shortest + shortest == shortest && shortest - longest == shortest)
    #expect(longest - shortest == longest && TimeSpan.zero - shortest == longest)
    #expect(longest * 2 == longest && longest * -2 == shortest && shortest * -1 == longest)
    #expect(TimeSpan.milliseconds(.max) == longest && TimeSpan.microseconds(.min) == shortest)
    #expect(TimeSpan.seconds(.infinity) > .seconds(3e9) && TimeSpan.seconds(.nan) == .zero)
  }

  @Test func `frames of a span are counted exactly`() {
    // In seconds first it would be 15434.999...
    #expect(TimeSpan.milliseconds(350).frames(atSampleRate: 44_100) == 15_435)
    #expect(TimeSpan.seconds(86_400).frames(atSampleRate: 768_000) == 86_400 * 768_000)
  }
}
