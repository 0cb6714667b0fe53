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
    "gain", "gain loud", "preamp", "preamp 25", "preamp nan", "balance 2", "balance left", "speed 0", "speed 3",
    "speed inf", "speed +9",
    "speed *0", "speed /0", "speed *", "speed *5", "speed /nan", "eq", "eq 1,2,3", "eq 99,0,0,0,0,0,0,0,0,0",
    "eq rock hard",
  ]) func `what cannot be is refused in words`(line: String) {
    #expect(throws: CommandError.self) { try Action.parse(line) }
  }
}
