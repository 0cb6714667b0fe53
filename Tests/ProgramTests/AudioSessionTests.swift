import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The audio session against a real sound server.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The audio session` {
  @Test func `changes what the server is asked for while it plays`() throws {
    let stage = try Stage(tracks: [])
    func ctl(_ arguments: String...) throws -> Int32 {
      try ChildProcess(
        [Program.path, "ctl"] + arguments, environment: stage.server.environment, errors: stage.folder("ctl-errors")
      ).wait()
    }
    try stage.play("--no-ui", fixture("vbr-60s.mp3"))
    #expect(stage.hear(frames: 20_000))
    func inputs() throws -> String { try stage.server.pactl("list", "sink-inputs") }
    #expect(try inputs().contains("media.role = \"music\""))
    #expect(try ctl("session", "category", "ambient") == 0)
    #expect(try eventually(milliseconds: 50) { try inputs().contains("media.role = \"game\"") })
    #expect(try !inputs().contains("node.rate"))
    #expect(try ctl("session", "buffer", "0.25") == 0 && ctl("session", "rate", "96000") == 0)
    #expect(try eventually(milliseconds: 50) { try inputs().contains("node.rate = \"1/96000\"") })
    #expect(try inputs().contains("media.role = \"game\""))
    // Of four seconds, what the server holds would be far more, once it is filled.
    #expect(stage.hear(frames: 20_000))
    var latency: Int?
    let isSmall = try eventually(milliseconds: 50) {
      latency = try inputs().split(separator: "\n").first { $0.contains("Buffer Latency:") }?
        .split { !$0.isNumber }.first.flatMap { Int($0) }
      return latency.map { !SoundServer.isPulseAudio || 1...300_000 ~= $0 } ?? false
    }
    #expect(isSmall, "\(latency ?? -1) microseconds")
    #expect(try ctl("quit") == 0)
    #expect(stage.end() == 0)
  }
}
