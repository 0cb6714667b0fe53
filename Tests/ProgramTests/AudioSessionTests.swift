import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The audio session against a real sound server.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The audio session` {
  private let track = fixture("e2-44100-cbr160.mp3")

  @Test func `changes what the server is asked for while it plays`() throws {
    let stage = try Stage("e2-44100-cbr160.mp3")
    func ctl(_ arguments: String...) throws -> Int32 {
      try ChildProcess(
        [Program.path, "ctl"] + arguments, environment: stage.server.environment, errors: stage.folder("ctl-errors")
      ).wait()
    }
    try stage.play("--no-ui", track)
    #expect(stage.hear(frames: 20_000))
    func inputs() throws -> String { try stage.server.pactl("list", "sink-inputs") }
    #expect(try inputs().contains("media.role = \"music\""))
    #expect(try ctl("session", "category", "ambient") == 0)
    #expect(try eventually { try inputs().contains("media.role = \"game\"") })
    #expect(try !inputs().contains("node.rate"))
    #expect(try ctl("session", "buffer", "0.25") == 0 && ctl("session", "rate", "96000") == 0)
    #expect(try eventually { try inputs().contains("node.rate = \"1/96000\"") })
    #expect(try inputs().contains("media.role = \"game\""))
    // Of four seconds, what the server holds would be far more.
    let latency = try #require(
      try inputs().split(separator: "\n").first { $0.contains("Buffer Latency:") }?
        .split { !$0.isNumber }.first.flatMap { Int($0) })
    if SoundServer.isPulseAudio { #expect(1...300_000 ~= latency) }
    #expect(try ctl("quit") == 0)
    #expect(stage.end() == 0)
  }
}
