import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The program on a card: ALSA's plug-in for a sound server, in whose monitor it is heard.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Playing on a card` {
  private let stage: Stage
  private let name = "lame-44100-stereo-v2.mp3"

  init() throws { stage = try Stage(name) }

  private func play(_ arguments: String..., environment: [String: String?] = [:]) throws {
    let card = "pcm.card { type pulse server \"unix:\(stage.server.folder)/pulse/native\" handle_underrun 1 }\n"
    try write(card.utf8, to: stage.folder("asound.conf"))
    let configuration = ["ALSA_CONFIG_PATH": stage.folder("asound.conf"), "PULSE_SERVER": "none"] as [String: String?]
    try stage.play(arguments, environment: configuration.merging(environment) { $1 })
  }

  @Test func `a track is heard as it is decoded`() throws {
    try play("--output", "alsa:card", fixture(name))
    #expect(stage.end() == 0)
    stage.hearAll()
    let (heard, count) = (stage.listener.heard, try Program.decode(fixture(name)).count)
    guard stage.playedThrough() else { return expectInOrder(frameCount: count, besides: stage.starvedFrames) }
    #expect(heard.count == 1 && heard.first?.frames.upperBound == count, "\(heard)")
    // The server may swallow a block of its sink where the plug-in starts.
    #expect(heard.first.map { $0.frames.lowerBound < 1000 } == true, "\(heard)")
    #expect(stage.errors == "")
  }

  /// Expects the track to its end, but for what is lost where the plug-in ran empty: it knows to some milliseconds what
  /// was heard then, a card to the frame; of the half second that it takes after that, before it knows, nothing is heard.
  private func expectInOrder(frameCount: Int, besides excused: Int = 0) {
    let runs = stage.listener.runs
    #expect(runs.allSatisfy { $0.track == 0 }, "\(runs)")
    let lost = zip(runs, runs.dropFirst()).map { $1.frames.lowerBound - $0.frames.upperBound }
    let limit = 22_050 + 4410 + excused
    #expect((lost + [frameCount - (runs.last?.frames.upperBound ?? 0)]).allSatisfy { abs($0) < limit }, "\(runs)")
    #expect(stage.events.last?.summary == "stopped finished")
  }

  @Test func `a process that was stopped for a while plays on`() throws {
    try play("--output", "alsa:card", fixture(name))
    #expect(stage.hear(frames: 20_000))
    stage.signal(SIGSTOP)
    // What the device holds is heard to its end.
    sleep(2)
    stage.signal(SIGCONT)
    #expect(stage.end() == 0)
    stage.hearAll()
    let (runs, count) = (stage.listener.runs, try Program.decode(fixture(name)).count)
    expectInOrder(frameCount: count)
    // Each break was reported.
    let underruns = stage.events.count { $0.name == "underrun" }
    // The server may still play some blocks of its sink, of 25 ms, while the plug-in runs empty.
    let breaks = runs.dropLast().count { $0.frames.count > 4410 }
    #expect(breaks <= underruns, "\(runs), \(stage.events.suffix(12))")
  }

  @Test func `without the library it names the package`() throws {
    // The loader finds a file that is no library.
    try write([], to: stage.folder("libasound.so.2"))
    try play("--output", "alsa:card", fixture(name), environment: ["LD_LIBRARY_PATH": stage.folder.path])
    #expect(stage.end() != 0)
    #expect(stage.errors.contains("libasound cannot be loaded: "), "\(stage.errors)")
    #expect(stage.errors.contains("(libasound.so.2; package libasound2"), "\(stage.errors)")
  }

  @Test func `without such a device it says so and ends`() throws {
    try play("--output", "alsa:nowhere", fixture(name))
    #expect(stage.end() != 0)
    let sentence = "there is no such sound device (nowhere: No such file or directory)"
    #expect(stage.errors.contains(sentence), "\(stage.errors)")
  }
}
