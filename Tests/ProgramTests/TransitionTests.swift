import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Tracks of different formats: audio is distinguished from silence.
@Suite(.onThreadsOfTheirOwn) struct `Transitions between formats` {
  private func tracks(seconds: Double, in folder: TemporaryFolder) throws -> [String] {
    try [(44100, 2), (48000, 2), (22050, 1)].enumerated().map { index, form in
      let name = folder("\(index).wav")
      let sox = [
        "sox", "-r", "\(form.0)", "-c", "\(form.1)", "-n", "-D", "-b", "16", name, "synth", "\(seconds)", "sine",
        "1000",
        "vol", "0.3",
      ]
      try #require(try ChildProcess(sox).wait() == 0)
      return name
    }
  }

  /// The lengths of gaps: the tone itself is soft for some frames, most of all at half its speed.
  private func gaps(in levels: [Int]) -> [Int] { levels.split { abs($0) >= 200 }.map(\.count).filter { $0 > 100 } }

  @Test(
    arguments: [
      ("--speed", "0.5", 1), ("--speed", "1.4", 2.8), ("--speed", "2", 4), ("-o", "effects=pitch semitones=3", 2),
    ])
  func `are not heard with a speed or an effect, which have one stream`(
    option: String, value: String, seconds: Double
  ) throws {
    let folder = try TemporaryFolder()
    let arguments = try [option, value] + tracks(seconds: seconds, in: folder)
    let written = try Program.written(arguments, in: folder)
    #expect(written.count == 6 * 44_100)
    let gaps = gaps(in: written.map { Int(Int16(truncatingIfNeeded: $0)) })
    #expect(gaps.isEmpty, "\(gaps)")
    // The server plays the same frames.
    let stage = try Stage(tracks: [written])
    try stage.play(arguments, environment: [:])
    stage.expectWholeTrack(frameCount: written.count)
    #expect(stage.events.filter { $0.name == "track" }.count == 3)
  }

  @Test func `are as close after a pause in the last seconds`() throws {
    let stage = try Stage(tracks: [])
    try stage.play(
      stage.folder.steadySound(8000, seconds: 3, rate: 44100, channels: 2),
      stage.folder.steadySound(4000, seconds: 3, rate: 48000, channels: 2))
    #expect(stage.hear(frames: 44_100))
    stage.signal(SIGUSR1)
    #expect(stage.waitFor("paused interruption"))
    let count = stage.events.count
    // The next one is ready meanwhile, and held. The pause is heard, however late the server obeys it.
    stage.hearAll()
    stage.signal(SIGUSR2)
    #expect(stage.waitFor("playing", after: count))
    #expect(stage.end() == 0)
    let heard = stage.heardLevels()
    stage.expectWhole(heard, sum: (8000 + 4000) * 3 * 44_100)
    let gaps = gaps(in: heard)
    let pause = try #require(gaps.max())
    print("after a pause: gaps of \(gaps) frames, \(heard.count - pause - 6 * 44_100) too many in all")
    #expect(pause > 10_000)
    guard stage.playedThrough() else { return }
    let others = gaps.filter { $0 < pause }
    // On a busy machine it may come too late for its lead-in, and is started by the clock.
    #expect(others.count <= 1 && others.allSatisfy { $0 < 882 }, "\(gaps)")
    #expect(abs(heard.count - pause - 6 * 44_100) < 882)
  }
}
