import AudioModel
import AudioOutput
import PulseOutput
import SoundServerSupport
import TestTraits
import Testing
import Threads

/// The listener's choice of a device, on real servers with several sinks.
@Suite(.excusedByStolenTime) struct `A chosen device` {
  /// Plays 18 seconds, more than a test takes on a busy machine.
  private func play(on output: PulseOutput) throws -> SignalPlayer {
    let player = try SignalPlayer(output, bufferSeconds: 6)
    try player.feed(0..<793_800)
    try player.queue.start()
    #expect(player.waitFor("started"))
    return player
  }

  private func lastRoute(_ player: SignalPlayer) -> String? { player.events.last { $0.hasPrefix("routeChanged") } }
  private func waitForRoute(_ name: String, _ player: SignalPlayer) -> Bool {
    let isThere = waitUntil { lastRoute(player)?.contains("\"\(name)\"") == true }
    if !isThere { print("waited in vain for the route \(name): \(player.events)") }
    return isThere
  }

  @Test(.onPulseAudio) func `gets the stream that plays, and every frame is heard once`() throws {
    let server = try SoundServer(modules: [SoundServer.secondSink])
    let recordings = try ["null0", "null1"].map { try MonitorRecording(server, source: "\($0).monitor") }
    let output = server.output()
    let player = try play(on: output)
    for move in 0..<6 {
      let goal = player.queue.currentTime + 9000
      try #require(waitUntil { player.queue.currentTime > goal })
      let device = move % 2 == 0 ? "null1" : "null0"
      output.setDevice(device)
      #expect(waitForRoute(device, player))
    }
    let goal = player.queue.currentTime + 9000
    try #require(waitUntil { player.queue.currentTime > goal })
    let end = Int(player.queue.takeBack(leaving: 0.1))
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    let heard = recordings.flatMap(\.heard).sorted { $0.lowerBound < $1.lowerBound }
    let gaps = zip(heard, heard.dropFirst()).map { $1.lowerBound - $0.upperBound }
    // The new sink may render before the message about the move arrives, and a move that takes long costs as much.
    #expect(heard.first?.lowerBound == 0 && heard.last?.upperBound == end, "\(heard), \(end)")
    let most = 2205 + server.moveLosses.reduce(0, +)
    #expect(gaps.count == 6 && gaps.allSatisfy { $0 >= 0 } && gaps.reduce(0, +) < most, "\(heard) \(most)")
  }

  @Test func `that is away leaves the stream to the default, and gets it when it comes`() throws {
    let server = try SoundServer()
    let output = PulseOutput(server: server.address, device: "null1", applicationName: "segue tests")
    let player = try play(on: output)
    #expect(waitForRoute("null0", player))
    try server.pactl("load-module", "module-null-sink", "sink_name=null1", "rate=44100")
    #expect(waitForRoute("null1", player))
    #expect(player.requests == [])
  }

  @Test func `keeps the stream when the default changes, until the default is chosen`() throws {
    let server = try SoundServer(modules: [SoundServer.secondSink])
    let output = server.output()
    let player = try play(on: output)
    try server.pactl("set-default-sink", "null0")
    output.setDevice("null0")
    try server.pactl("set-default-sink", "null1")
    #expect(waitUntil { output.devices?.standard == "null1" })
    let goal = player.queue.currentTime + 13_230
    #expect(waitUntil { player.queue.currentTime > goal })
    #expect(waitForRoute("null0", player), "\(player.events)")
    output.setDevice(nil)
    #expect(waitForRoute("null1", player), "\(player.events)")
    try server.pactl("set-default-sink", "null0")
    #expect(waitForRoute("null0", player))
  }

  @Test func `is one of those that the server has, and each change of them is told`() throws {
    let server = try SoundServer()
    let changes = Counter()
    let output = PulseOutput(server: server.address, applicationName: "segue tests", devicesChanged: changes.add)
    #expect(output.devices == nil)
    output.connect()
    #expect(waitUntil { output.devices?.all.map(\.device) == ["null0"] && output.devices?.standard == "null0" })
    let count = changes.count
    try server.pactl(
      "load-module", "module-null-sink", "sink_name=null1", "rate=44100", "sink_properties=device.description=Phones")
    #expect(waitUntil { output.devices?.named("null1")?.description == "Phones" && changes.count > count })
  }
}

/// Counts calls from any thread.
private final class Counter: Sendable {
  private let number = Guarded(0)
  var count: Int { number.withLock { $0 } }
  @Sendable func add() { number.withLock { $0 += 1 } }
}
