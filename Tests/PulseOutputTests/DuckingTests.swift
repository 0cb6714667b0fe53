import AudioModel
import AudioOutput
@testable import PulseOutput
import SoundServerSupport
import TestTraits
import Testing

/// The option `duckOthers`, with PulseAudio's own module.
@Suite(.excusedByStolenTime) struct `Lowering other programs` {
  private static let module = "module-role-ducking trigger_roles=phone,announce global=1 volume=-20dB"

  @Test(
    arguments: [
      ([], nil),
      ([("module-role-ducking", "")], "phone"),
      ([("module-role-cork", ""), ("module-role-ducking", "")], nil),
      ([("module-role-cork", "trigger_roles=call"), ("module-role-ducking", "volume=-10dB")], "phone"),
      ([("module-role-cork", ""), ("module-role-ducking", "trigger_roles=phone,announce")], "announce"),
      ([("module-role-ducking", "ducking_roles='a,b' trigger_roles=\"x/y\" volume=1")], "x"),
      ([("module-role-ducking", "trigger_roles=no_role")], nil),
      ([("module-role-ducking", "trigger_roles=any_role")], "game"),
      ([("module-role-cork", "trigger_roles=any_role"), ("module-role-ducking", "trigger_roles=a")], nil),
      ([("module-role-ducking", "global"), ("module-role-ducking", "trigger_roles=")], "phone"),
    ] as [([(String, String)], String?)])
  func `the role is one at which a module lowers others and none pauses them`(
    modules: [(String, String)], role: String?
  ) {
    #expect(duckingRole(modules.map { PulseModule(name: $0.0, arguments: $0.1) }) == role)
  }

  @Test(.onPulseAudio) func `another program is softer while this one plays, and as loud as before otherwise`() throws {
    let server = try SoundServer(modules: [SoundServer.secondSink, "module-role-cork", Self.module])
    let recording = try MonitorRecording(server)
    // Samples of one value without end, so that each recorded one is its level.
    let other = try ChildProcess(
      ["sh", "-c", "tr '\\0' @ < /dev/zero | paplay --raw --property=media.role=music"], environment: server.environment
    )
    defer { other.end() }
    func isLoud() -> Bool { waitUntil { recording.level == 0x4040 } }
    func isSoft() -> Bool { waitUntil { 1640...1650 ~= recording.level } }
    #expect(isLoud())

    let output = PulseOutput(server: server.address, device: "null1", applicationName: "segue tests")
    output.setRole("game", ducksOthers: true)
    let player = try SignalPlayer(output, bufferSeconds: 6)
    try player.feed(0..<793_800)
    #expect(isLoud())
    try player.queue.start()
    #expect(player.waitFor("started") && isSoft())
    func reports(_ ducking: String) -> Bool {
      waitUntil { player.events.last { $0.hasPrefix("othersChanged") }?.contains("ducking: \(ducking)") == true }
    }
    #expect(reports("AudioModel.OtherAudio.Ducking.on"))
    player.queue.pause()
    #expect(isLoud())
    try player.queue.start()
    #expect(isSoft())
    output.setRole("game", ducksOthers: false)
    #expect(isLoud() && reports("AudioModel.OtherAudio.Ducking.off"))
    output.setRole("game", ducksOthers: true)
    #expect(isSoft())
    try server.unloadModules { $0.contains("ducking") }
    #expect(isLoud() && reports("AudioModel.OtherAudio.Ducking.unavailable"))
    try server.pactl("load-module", "module-role-ducking", "trigger_roles=announce", "global=1")
    #expect(isSoft() && reports("AudioModel.OtherAudio.Ducking.on"))
    #expect(player.requests == [])
  }

  @Test func `a server that does not do it is reported`() throws {
    let server = try SoundServer()
    let output = server.output()
    let player = try SignalPlayer(output, bufferSeconds: 1)
    try player.feed(0..<44_100)
    try player.queue.start()
    #expect(player.waitFor("started"))
    output.setRole("game", ducksOthers: true)
    #expect(waitUntil { player.events.contains { $0.contains("Ducking.unavailable") } })
  }
}

extension MonitorRecording {
  /// The largest of the last samples.
  fileprivate var level: Int {
    let bytes = bytes(from: max(0, sampleCount * 2 - 4000))
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
      abs(Int(Int8(bitPattern: bytes[$0 + 1])) << 8 + Int(bytes[$0]))
    }.max() ?? 0
  }
}
