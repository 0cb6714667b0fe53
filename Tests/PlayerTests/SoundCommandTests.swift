import AudioModel
import AudioOutput
import ByteIO
import Playback
import SignalProcessing
import SoundServerSupport
import Testing

@testable import Commands
@testable import Desk
@testable import Player

/// Commands and settings of the sound.
struct SoundCommandTests {
  @Test(arguments: [
    ("gain", "gain is album; choose off, track or album"), ("preamp", "preamp is -3.5; preamp -24 to 24 sets it"),
    ("eq", "eq is rock; presets: flat"), ("balance", "balance is 0.25; balance -1 to 1 sets it"),
    ("speed", "speed is 1.3; speed 0.5 to 2 sets it"), ("set speed", "speed is 1.3"),
  ]) func `a name without a value shows the value`(line: String, sentence: String) throws {
    let bench = try Bench()
    for change in ["gain album", "preamp -3.5", "eq rock", "balance 0.25", "speed 1.1", "speed +0.1", "speed +0.1"] {
      try bench.perform(change)
    }
    try bench.perform(line)
    #expect(bench.observer.sentences.last?.hasPrefix(sentence) == true, "\(bench.observer.sentences)")
  }

  @Test(arguments: [
    ("set gain=album", "gain album"), ("set preamp=-3.5", "preamp -3.5"), ("set eq=rock", "eq rock"),
    ("set eq=1,2,3,4,5,6,7,8,9,10", "eq 1,2,3,4,5,6,7,8,9,10"), ("set balance=-1", "balance -1"),
    ("set speed=0.5", "speed 0.5"), ("set effects='width amount=2; mono'", "effect add width amount=2; mono"),
  ]) func `a setting has the effect of the command`(line: String, command: String) throws {
    let (set, commanded) = (try Bench(), try Bench())
    try set.perform(line)
    try commanded.perform(command)
    #expect(set.session.settings == commanded.session.settings)
    #expect(set.session.settings != Settings())
    #expect(set.engine.sent == commanded.engine.sent && set.engine.sent.count == 1)
  }

  @Test func `what is no number is not out of range`() throws {
    let bench = try Bench()
    for (word, problem) in [("x", "x is no number (-1 to 1)"), ("2", "2 is out of range (-1 to 1)")] {
      let error = #expect(throws: CommandError.self) { try bench.perform("balance \(word)") }
      #expect(error?.message == problem)
    }
  }

  @Test func `effects are added, listed, removed and cleared`() throws {
    let bench = try Bench()
    for line in ["effect add crossfeed", "effect add mono", "effect remove 1"] { try bench.perform(line) }
    #expect(
      bench.engine.sent == [
        .set(.effects([Crossfeed()])), .set(.effects([Crossfeed(), Mono()])), .set(.effects([Mono()])),
      ])
    try bench.perform("effect")
    #expect(bench.observer.sentences.last?.hasPrefix("effects is mono; effect add") == true)
    let sent = bench.engine.sent.count
    try bench.perform("effect remove 9")
    #expect(bench.observer.sentences.last == "there is no effect 9: effect list shows them")
    #expect(bench.engine.sent.count == sent)
    try bench.perform("effect clear")
    #expect(bench.engine.sent.last == .set(.effects([])) && bench.session.settings == Settings())
    try bench.perform("effect")
    #expect(bench.observer.sentences.last == "no effects; try: effect add reverb")
    // A mistake does not fill the list for ever.
    for _ in 0..<20 { try bench.perform("effect add mono") }
    #expect(bench.session.settings.sound.effects.effects.count == 16)
  }

  init() { Settings.effectFiles = SoundFiles.standard }

  @Test func `effects come from files: profiles, impulse responses, presets`() throws {
    let folder = try TemporaryFolder()
    try write(Array("Preamp: -3 dB\nFilter 1: ON PK Fc 100 Hz Gain 3 dB Q 1\n".utf8), to: folder("my phones.txt"))
    let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .f32)
    let writer = try AudioFileWriter(path: BytePath(folder("hall.wav")), format: format)
    try [Float]([1, 1, 0, 0, 0.5, 0.25]).withUnsafeBytes { try writer.write($0) }
    try writer.close()
    let bench = try Bench()
    try bench.perform("effect add parametric 'file=\(folder("my phones.txt"))'")
    try bench.perform("effect add convolution file=\(folder("hall.wav")) wet=0.5")
    let effects = bench.session.settings.sound.effects.effects
    let equalizer = try #require(effects.first as? ParametricEqualizer)
    let convolution = try #require(effects.last as? Convolution)
    #expect(equalizer.preamp == -3 && equalizer.filters.count == 1)
    #expect(convolution.channelCount == 2 && convolution.response.count == 6 && convolution.wet == 0.5)
    #expect(bench.engine.sent.last == .set(.effects(EffectList(effects))))
    // A changed file counts from its next use on.
    try write(Array("Preamp: -30 dB".utf8), to: folder("my phones.txt"))
    #expect((bench.session.settings.sound.effects.effects.first as? ParametricEqualizer)?.preamp == -30)
    for (line, problem) in [
      ("parametric", "a file is missing"), ("parametric file=/nothing", "/nothing"),
      ("convolution file=\(folder("my phones.txt").replacing(" ", with: "\\ "))", "my phones.txt"),
      ("mono file=/x", "mono has no parameters"),
    ] {
      let error = #expect(throws: CommandError.self) { try Command.parse("effect add " + line) }
      #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    }
    // A preset is a list in a file; names are those of a folder.
    let files = SoundFiles(folder: BytePath(folder("")))
    try write(Array("# night\ncompressor makeup=6\n\nconvolution file=hall.wav # a hall\n".utf8), to: folder("night"))
    let preset = try files.preset("night")
    #expect(preset.effects.count == 2 && preset.effects.last is Convolution)
    try write(Array("mono\nflanger".utf8), to: folder("bad"))
    let error = #expect(throws: EffectList.TextError.self) { try files.preset("bad") }
    #expect(error?.description.hasPrefix("bad: unknown effect \"flanger\"") == true)
    try write(Array("mono\ncrossfeed\n".utf8), to: folder("phones"))
    try bench.perform("effect load \(folder("phones"))")
    #expect(bench.session.settings.sound.effects == [Mono(), Crossfeed()])
  }

  @Test func `of effects that are restored, only those are left out whose file is missing, and it is said`() throws {
    let bench = try Bench()
    let text = "mono; convolution file=/nothing/hall.wav; width amount=2"
    bench.session.adopt(Settings(), changes: [SettingChange(.effects, text, from: "none")])
    #expect(bench.session.settings.effects == "mono; width amount=2")
    #expect(bench.observer.sentences.contains { $0.hasPrefix("effect left out: ") && $0.contains("hall.wav") })
  }
}
