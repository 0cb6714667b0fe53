import AudioOutput
import Playback
import Testing

@testable import Player

/// The audible sound, as a face that draws it reads it.
struct HeardSoundTests {
  /// All samples of the test's tracks are alike.
  private let sample = Float(256) / 32768

  private func heard(_ bench: Bench) -> [Float] { bench.session.heard(frameCount: 100)?.samples ?? [] }

  @Test func `it is known from the first frame on, if it was asked for before`() throws {
    let bench = try Bench("a", "b", "c")
    #expect(bench.session.heard(frameCount: 100) == nil)
    try bench.perform("play")
    bench.run(milliseconds: 50)
    #expect(heard(bench) == Array(repeating: sample, count: 100))
    #expect(bench.session.heard(frameCount: 100)?.sampleRate == 8000)
    let level = try #require(bench.session.levels.first)
    #expect(level.peak == sample && abs(level.average - sample) < 1e-6)
    try bench.perform("pause")
    bench.run(milliseconds: 60_000)
    #expect(heard(bench).isEmpty && bench.session.levels.isEmpty)
    try bench.perform("play")
    bench.run(milliseconds: 50)
    #expect(heard(bench).count == 100, "after a long pause, too")
  }

  @Test func `it is kept only while somebody reads it`() throws {
    let names = (0..<60).map(String.init)
    let bench = try Bench(names)
    try bench.perform("play")
    bench.run(milliseconds: 50)
    #expect(heard(bench).isEmpty, "the device had all of it before")
    var count = 0
    for _ in 0..<100 {
      bench.run(milliseconds: 100)
      if heard(bench).count == 100 { count += 1 }
    }
    #expect(count > 50)
    bench.run(milliseconds: 4000)
    #expect(heard(bench).isEmpty)
  }
}
