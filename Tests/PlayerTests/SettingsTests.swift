import Playback
import SignalProcessing
import Testing

@testable import Player

/// Settings of the player: from files, by hand, and from the session before.
struct SettingsTests {
  @Test func `the first settings all reach the engine, later ones only if they differ`() throws {
    let bench = try Bench()
    bench.session.adopt(settings("crossfade=4"), changes: [])
    #expect(bench.engine.sent.contains(.setCrossfade(4)) && bench.engine.sent.contains(.setTimeShift(600)))
    bench.engine.sent = []
    bench.session.adopt(settings("crossfade=5", "gain=album"))
    #expect(bench.engine.sent == [.setCrossfade(5), .setGain(.album, preamp: 0)])
    #expect(bench.observer.settings.last == settings("crossfade=5", "gain=album"))
  }

  @Test func `the sound that was changed by hand stays when the files are read again`() throws {
    let bench = try Bench()
    bench.session.adopt(settings("preamp=2"), changes: [])
    for line in ["eq rock", "preamp 3", "set crossfade=2"] { try bench.perform(line) }
    bench.session.adopt(settings("preamp=6", "crossfade=1"))
    #expect(bench.session.settings == settings("eq=rock", "preamp=6", "crossfade=1"))
  }

  @Test func `the sound of the last session is restored`() throws {
    let bench = try Bench()
    let changes = [SettingChange(.eq, "rock", from: "flat"), SettingChange(.speed, "1.5", from: "1.25")]
    bench.session.adopt(Settings(), changes: changes)
    #expect(bench.session.settings == settings("eq=rock"))
    #expect(bench.session.record.changes == [SettingChange(.eq, "rock", from: "flat")])
  }

  @Test func `ten steps of the speed are exact, and their sum is limited`() throws {
    let bench = try Bench()
    for _ in 0..<3 { try bench.perform("speed +0.1") }
    #expect(bench.engine.sent == [.setSpeed(1.1), .setSpeed(1.2), .setSpeed(1.3)])
    try bench.perform("speed *4")
    #expect(bench.session.settings.speed == 2)
  }

  @Test(arguments: Setting.allCases) func `every setting accepts and shows each of its values`(
    setting: Setting
  ) throws {
    for value in setting.values {
      let bench = try Bench()
      try bench.perform("set \(setting.rawValue)=\(value)")
      try bench.perform("set \(setting.rawValue)")
      #expect(bench.observer.sentences.last?.hasPrefix("\(setting.rawValue) is \(value)") == true)
    }
  }

  @Test func `a value that is not possible changes nothing`() throws {
    let bench = try Bench()
    bench.session.perform(.set(.crossfade, "13"))
    #expect(bench.observer.sentences == ["crossfade must be 0 to 12 seconds, not \"13\""])
    #expect(bench.engine.sent == [] && bench.session.settings == Settings())
  }
}
