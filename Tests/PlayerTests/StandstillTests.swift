import EngineExercise
import Playback
import SoundServerSupport
import Testing

@testable import Commands
@testable import Player

/// Places that are shown while the device stands still, and after it.
struct StandstillTests {
  private func expect(_ bench: Bench, at seconds: Double, place: SourceLocation = #_sourceLocation) {
    #expect(abs(bench.position - seconds) < 0.01 && abs(bench.enginePosition - seconds) < 0.01, sourceLocation: place)
  }

  /// A session that has played five seconds of a minute.
  private func playing() throws -> Bench {
    let bench = try Bench("long")
    try Bench.writeTrack(bench.folder("long.wav"), seconds: 60)
    try bench.perform("play")
    bench.run(milliseconds: 5000)
    expect(bench, at: 5)
    return bench
  }

  @Test(arguments: [300, 3000, 60_000] as [Int64])
  func `when the device has played less than its clock said, everybody shows its place`(milliseconds: Int64) throws {
    let bench = try playing()
    bench.output.hang()
    bench.run(milliseconds: milliseconds)
    bench.output.correct(isStalled: false)
    bench.run()
    expect(bench, at: 5)
    let corrections = bench.observer.notices.compactMap {
      if case .clockCorrected(let seconds) = $0 { seconds } else { nil }
    }
    #expect(abs(corrections.reduce(0, +) + Double(milliseconds) / 1000) < 0.01, "\(corrections)")
    bench.run(milliseconds: 2000)
    expect(bench, at: 7)
    #expect(bench.observer.snapshot.state == .playing)
  }

  @Test func `a device that stands still is waited for, and the time with it`() throws {
    let bench = try playing()
    bench.output.hang()
    bench.run(milliseconds: 1500)
    bench.output.correct(isStalled: true)
    bench.run(milliseconds: 8000)
    expect(bench, at: 5)
    #expect(bench.observer.snapshot.state == .waiting && bench.observer.snapshot.reason == .outputStalled)
    bench.output.correct(isStalled: false)
    bench.run(milliseconds: 1000)
    expect(bench, at: 6)
    #expect(bench.observer.snapshot.state == .playing)
    #expect(bench.observer.notices.count { $0 == .outputStalled } == 1)
  }

  @Test(arguments: ["seek +5", "next", "play", "seek 50%"])
  func `a command that waits for it is answered at once, with the reason`(line: String) throws {
    let bench = try playing()
    bench.output.hang()
    bench.run(milliseconds: 1500)
    bench.output.correct(isStalled: true)
    bench.run()
    if line == "next" { try bench.perform("repeat all") }
    if line == "play" { try bench.perform("pause") }
    bench.run()
    var answers: [CommandAnswer] = []
    bench.session.perform(try #require(try Command.parse(line))) { answers.append($0) }
    bench.run(milliseconds: 20)
    #expect(answers == [.done("waiting (audio device not responding)")])
  }

  @Test(arguments: [0, 100, 3000] as [Int64])
  func `while the server is lost, commands that move playback are answered at once`(milliseconds: Int64) throws {
    let bench = try playing()
    bench.output.loseServer()
    bench.run(milliseconds: milliseconds)
    var answers: [CommandAnswer] = []
    for line in ["play", "seek +5", "repeat all", "next", "seek 3", "previous"] {
      bench.session.perform(try #require(try Command.parse(line))) { answers.append($0) }
      bench.run()
    }
    let waits = CommandAnswer.done("waiting (sound server lost)")
    #expect(answers.count == 6 && answers.count { $0 == waits } == 5, "\(answers)")
    #expect(bench.observer.snapshot.reason == .serverLost)
    bench.output.isDown = false
    bench.run(milliseconds: 10_000)
    #expect(bench.observer.snapshot.state == .playing)
  }

  @Test func `steady playback corrects nothing and wakes nobody for it`() throws {
    let bench = try playing()
    let count = bench.observer.notices.count
    bench.run(milliseconds: 20_000)
    expect(bench, at: 25)
    #expect(bench.observer.notices.count == count)
  }
}
