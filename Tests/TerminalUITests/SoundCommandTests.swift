import SignalProcessing
import Testing

@testable import TerminalUI

/// What is done to the sound, in words.
struct SoundCommandTests {
  @Test(arguments: [
    ("gain album", SoundChange.gain(.album)), ("preamp -3.5", .preamp(-3.5)), ("preamp +2", .preamp(2)),
    ("balance -0.25", .balance(-0.25)), ("speed 1.25", .speed(1.25)), ("speed +0.1", .speedBy(0.1)),
    ("speed -0.1", .speedBy(-0.1)), ("speed *1.1", .speedTimes(1.1)), ("speed /2", .speedOver(2)),
  ]) func `a line means a change, and the change that line`(line: String, change: SoundChange) throws {
    let action = try #require(try Action.parse(line))
    #expect(action == .changeSound(change))
    #expect(try Action.parse(action.text) == action)
    var bench = Bench.playing()
    #expect(bench.state.handle(action) == [.changeSound(change)])
  }

  @Test func `an equaliser is a preset or ten gains`() throws {
    for preset in Equalizer.presets {
      #expect(try Action.parse("eq \(preset.name)") == .changeSound(.equalizer(preset.equalizer)))
    }
    let gains = try #require(Equalizer(gains: [1, -2.5, 0, 0, 0, 0, 0, 0, 0, 12]))
    let action = try #require(try Action.parse("eq 1,-2.5,0,0,0,0,0,0,0,12"))
    #expect(action == .changeSound(.equalizer(gains)))
    #expect(try Action.parse(action.text) == action)
  }

  @Test(arguments: [
    ("gain", "gain is album; choose off, track or album"), ("preamp", "preamp is -3.5; preamp -24 to 24 sets it"),
    ("eq", "eq is rock; presets: flat"), ("balance", "balance is 0.25; balance -1 to 1 sets it"),
    ("speed", "speed is 1.3; speed 0.5 to 2 sets it"), ("set speed", "speed is 1.3"),
    ("set mouse", "mouse is on; choose on or off"),
  ]) func `a name without a value shows the present one`(line: String, sentence: String) throws {
    var bench = Bench.playing()
    for change in ["gain album", "preamp -3.5", "eq rock", "balance 0.25", "speed 1.1", "speed +0.1", "speed +0.1"] {
      _ = bench.state.handle(try #require(try Action.parse(change)))
    }
    #expect(bench.state.handle(try #require(try Action.parse(line))) == [])
    #expect(bench.state.notice.text?.hasPrefix(sentence) == true, "\(bench.state.notice)")
  }

  @Test(arguments: [
    ("set gain=album", "gain album"), ("set preamp=-3.5", "preamp -3.5"), ("set eq=rock", "eq rock"),
    ("set eq=1,2,3,4,5,6,7,8,9,10", "eq 1,2,3,4,5,6,7,8,9,10"), ("set balance=-1", "balance -1"),
    ("set speed=0.5", "speed 0.5"),
  ]) func `a setting does what the command does, in files too`(line: String, command: String) throws {
    var (set, commanded) = (Bench.playing(), Bench.playing())
    let commands = set.state.handle(try #require(try Action.parse(line)))
    #expect(commands == [.configure(set.state.configuration)])
    _ = commanded.state.handle(try #require(try Action.parse(command)))
    #expect(set.state.configuration == commanded.state.configuration)
    var configuration = Configuration()
    #expect(configuration.read(line, named: "config").isEmpty)
    #expect(configuration.settings == commanded.state.configuration.settings)
    #expect(configuration.settings != Settings())
  }

  @Test(arguments: ["gain=loud", "preamp=25", "preamp=", "eq=1,2", "balance=nan", "speed=2.5", "speed=fast"])
  func `a setting that cannot be is refused`(line: String) {
    var configuration = Configuration()
    #expect(configuration.read("set " + line, named: "config").count == 1)
    #expect(configuration == Configuration())
  }

  @Test func `what was changed by hand comes back unless the files say something else`() throws {
    var files = Configuration()
    _ = files.read("set gain=track\nset preamp=2", named: "config")
    var changed = files
    _ = changed.read("set gain=album\nset preamp=3\nset speed=1.5", named: "config")
    let changes = changed.soundChanges(from: files)
    #expect(
      changes == [
        SettingChange(.gain, "album", from: "track"), SettingChange(.preamp, "3", from: "2"),
        SettingChange(.speed, "1.5", from: "1"),
      ])
    var restored = Configuration()
    _ = restored.read("set gain=track\nset preamp=6", named: "config")
    restored.restore(changes)
    let settings = restored.settings
    #expect(settings.gain == .album && settings.preamp == 6 && settings.speed == 1.5)
  }

  @Test(arguments: [
    "gain loud", "preamp 25", "preamp nan", "balance 2", "balance left", "speed 0", "speed 3",
    "speed inf", "speed +9", "speed *0", "speed /0", "speed *", "speed *5", "speed /nan",
    "eq 1,2,3", "eq 99,0,0,0,0,0,0,0,0,0", "eq rock hard",
  ]) func `what cannot be is refused in words`(line: String) {
    #expect(throws: CommandError.self) { try Action.parse(line) }
  }
}
