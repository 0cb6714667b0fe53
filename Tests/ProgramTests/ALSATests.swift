import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The program on a card: ALSA's plug-in for a sound server, in whose monitor it is heard.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Playing on a card` {
  private let stage: Stage
  private let name = "lame-44100-stereo-v2.mp3"

  init() throws { stage = try Stage(name) }

  private func play(_ arguments: String...) throws {
    let file = try #require(fopen(stage.folder("asound.conf"), "we"))
    fputs("pcm.card { type pulse server \"unix:\(stage.server.folder)/pulse/native\" handle_underrun 1 }\n", file)
    fclose(file)
    try stage.play(arguments, environment: ["ALSA_CONFIG_PATH": stage.folder("asound.conf"), "PULSE_SERVER": "none"])
  }

  @Test func `a track is heard as it is decoded`() throws {
    try play("--output", "alsa:card", fixture(name))
    #expect(stage.end() == 0)
    stage.hearAll()
    #expect(stage.listener.heard == [.init(track: 0, frames: 0..<(try Program.decode(fixture(name)).count))])
    #expect(stage.errors == "")
  }

  @Test func `a process that was stopped for a while plays on, and loses nothing`() throws {
    try play("--output", "alsa:card", fixture(name))
    #expect(stage.hear(frames: 20_000))
    stage.signal(SIGSTOP)
    // What the device holds is heard to its end.
    sleep(2)
    stage.signal(SIGCONT)
    #expect(stage.end() == 0)
    stage.hearAll()
    #expect(stage.listener.frameCount == (try Program.decode(fixture(name)).count), "\(stage.listener.runs)")
    #expect(stage.events.last?.summary == "stopped finished")
  }

  @Test func `without such a device it says so and ends`() throws {
    try play("--output", "alsa:nowhere", fixture(name))
    #expect(stage.end() != 0)
    let sentence = "there is no such sound device (nowhere: No such file or directory)"
    #expect(stage.errors.contains(sentence), "\(stage.errors)")
  }
}
