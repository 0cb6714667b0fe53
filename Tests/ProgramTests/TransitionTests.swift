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

  /// From the first sound to the last, and how long the gaps are; nil after an underrun that the machine explains.
  private func heard(_ stage: Stage) -> (frameCount: Int, gaps: [Int])? {
    #expect(stage.end() == 0)
    #expect(stage.listener.recording.catchUp(), "\(stage.listener.recording.sampleCount)")
    guard stage.playedThrough() else { return nil }
    let left = stage.listener.recording.samples.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let sound = left.drop { abs($0) < 200 }
    let heard = sound.prefix(sound.count - sound.reversed().prefix { abs($0) < 200 }.count)
    // The tone itself is that soft for some frames, most of all at half its speed.
    return (heard.count, heard.split { abs($0) >= 200 }.map(\.count).filter { $0 > 100 })
  }

  @Test(
    arguments: [
      ("--speed", "0.5", 1), ("--speed", "1.4", 2.8), ("--speed", "2", 4), ("-o", "effects=pitch semitones=3", 2),
    ])
  func `are not heard with a speed or an effect, which have one stream`(
    option: String, value: String, seconds: Double
  ) throws {
    let stage = try Stage(tracks: [])
    let names = try tracks(seconds: seconds, in: stage.folder)
    try stage.play(option, value, names[0], names[1], names[2])
    guard let (frameCount, gaps) = heard(stage) else { return }
    #expect(gaps.isEmpty, "\(gaps)")
    // The first and the last frames, of all, are soft.
    #expect(6 * 44_100 - 2205...6 * 44_100 ~= frameCount, "\(frameCount - 6 * 44_100)")
    #expect(stage.events.filter { $0.name == "track" }.count == 3)
  }

  @Test func `are as close after a pause in the last seconds`() throws {
    let stage = try Stage(tracks: [])
    let names = try tracks(seconds: 3, in: stage.folder)
    try stage.play(names[0], names[1])
    #expect(stage.hear(frames: 44_100))
    stage.signal(SIGUSR1)
    #expect(stage.waitFor("paused interruption"))
    let count = stage.events.count
    // The next one is ready meanwhile, and held. The pause is heard, however late the server obeys it.
    stage.hearAll()
    stage.signal(SIGUSR2)
    #expect(stage.waitFor("playing", after: count))
    guard let (frameCount, gaps) = heard(stage) else { return }
    let pause = try #require(gaps.max())
    print("after a pause: gaps of \(gaps) frames, \(frameCount - pause - 6 * 44_100) too many in all")
    #expect(pause > 10_000)
    let others = gaps.filter { $0 < pause }
    // On a busy machine it may come too late for its lead-in, and is started by the clock.
    #expect(others.count <= 1 && others.allSatisfy { $0 < 882 }, "\(gaps)")
    #expect(abs(frameCount - pause - 6 * 44_100) < 882)
  }
}
