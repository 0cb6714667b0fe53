import SignalProcessing
import Testing

@testable import Commands

/// Lines about the sound, and the changes that they mean.
struct SoundLineTests {
  @Test(arguments: [
    ("gain album", SoundChange.gain(.album)), ("preamp -3.5", .preamp(-3.5)), ("preamp +2", .preamp(2)),
    ("balance -0.25", .balance(-0.25)), ("speed 1.25", .speed(1.25)), ("speed +0.1", .speedBy(0.1)),
    ("speed -0.1", .speedBy(-0.1)), ("speed *1.1", .speedTimes(1.1)), ("speed /2", .speedOver(2)),
    ("effect add mono", .addEffects([Mono()])), ("effect add reverb wet=0.1", .addEffects([Reverb(wet: 0.1)])),
    ("effect add width; mono", .addEffects([StereoWidth(1.5), Mono()])), ("effect remove 2", .removeEffect(2)),
    ("effect clear", .setEffects(EffectList())),
  ]) func `a line means a change, and the change that line`(line: String, change: SoundChange) throws {
    let action = try #require(try Command.parse(line))
    #expect(action == .changeSound(change))
    #expect(try Command.parse(action.text) == action)
  }

  @Test func `an equaliser is a preset or ten gains`() throws {
    for preset in Equalizer.presets {
      #expect(try Command.parse("eq \(preset.name)") == .changeSound(.equalizer(preset.equalizer)))
    }
    let gains = try #require(Equalizer(gains: [1, -2.5, 0, 0, 0, 0, 0, 0, 0, 12]))
    let action = try #require(try Command.parse("eq 1,-2.5,0,0,0,0,0,0,0,12"))
    #expect(action == .changeSound(.equalizer(gains)))
    #expect(try Command.parse(action.text) == action)
  }

  @Test(arguments: [
    "gain=loud", "preamp=25", "preamp=", "eq=1,2", "balance=nan", "speed=2.5", "speed=fast", "effects=echo",
  ])
  func `a setting that cannot be is refused`(line: String) {
    #expect(throws: CommandError.self) { try Command.parse("set " + line) }
  }

  private func settings(_ gain: GainMode, _ preamp: Double, _ speed: Double = 1) -> Settings {
    var settings = Settings()
    (settings.gain, settings.preamp, settings.speed) = (gain, preamp, speed)
    return settings
  }

  @Test func `changes by hand are restored unless the files have a new value`() {
    let (before, after) = (settings(.track, 2), settings(.track, 6))
    let changes = settings(.album, 3, 1.5).changes(from: before)
    #expect(
      changes == [
        SettingChange(.gain, "album", from: "track"), SettingChange(.preamp, "3", from: "2"),
        SettingChange(.speed, "1.5", from: "1"),
      ])
    var restored = after
    #expect(restored.restore(changes).isEmpty)
    #expect(restored.gain == .album && restored.preamp == 6 && restored.speed == 1.5)
  }

  @Test(arguments: [
    "gain loud", "preamp 25", "preamp nan", "balance 2", "balance left", "speed 0", "speed 3",
    "speed inf", "speed +9", "speed *0", "speed /0", "speed *", "speed *5", "speed /nan",
    "effect add", "effect add echo", "effect add reverb wet=2", "effect remove", "effect remove 0", "effect paint",
    "eq 1,2,3", "eq 99,0,0,0,0,0,0,0,0,0", "eq rock hard",
  ]) func `invalid values are refused with a message`(line: String) {
    #expect(throws: CommandError.self) { try Command.parse(line) }
  }
}
