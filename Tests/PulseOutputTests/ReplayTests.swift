import AudioOutput
import Glibc
import SoundServerSupport
import Testing

@testable import PulseOutput

/// Transcripts of real servers, read back into the values: each decision is the one of the transcript.
///
/// `Replays/NAME.txt` were recorded with `SEGUE_PULSE_TRANSCRIPT=FILE`, which every program that plays through
/// `PulseOutput` obeys; `SEGUE_REPLAY=FILE` replays another one.
@Suite struct `Replays` {
  private static var files: [String] {
    let names = (try? ChildProcess.output(of: ["ls", folder]))?.split(separator: "\n") ?? []
    return names.map { "\(folder)/\($0)" } + (getenv("SEGUE_REPLAY").map { [String(cString: $0)] } ?? [])
  }

  private static let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Replays"

  @Test(arguments: files) func `the values decide again as they did`(file: String) throws {
    let text = try ChildProcess.output(of: ["cat", file])
    var streams: [String: Replay] = [:]
    var decisionCount = 0
    for (index, row) in text.split(separator: "\n").enumerated() {
      let line = try #require(TranscriptLine(String(row)), "line \(index + 1)")
      if line.value == "stream" {
        streams[line.stream] = try Replay(line)
        continue
      }
      let decision = try streams[line.stream]?.handle(line)
      try #require(decision == line.decision, "line \(index + 1): \(row)")
      decisionCount += decision == nil ? 0 : 1
    }
    #expect(decisionCount > 0)
  }

  @Test func `a requested transcript records what a stream does`() throws {
    let folder = try TemporaryFolder()
    let server = try SoundServer()
    let transcript = try #require(PulseTranscript(path: folder("transcript")))
    let output = PulseOutput(server: server.address, applicationName: "segue test", transcript: transcript)
    let player = try SignalPlayer(output)
    try player.feed(0..<20_000)
    // Before the start: a stop after the sound, on a busy machine, has no end to drain.
    player.queue.stop(immediately: false)
    try player.queue.start()
    #expect(player.waitFor("isRunning(false)"))
    player.queue.dispose()
    let lines = try ChildProcess.output(of: ["cat", folder("transcript")]).split(separator: "\n").map(String.init)
    #expect(lines.first?.contains("stream bytesPerFrame=4 sampleRate=44100") == true)
    for name in ["calls listed", "ledger wrote", "ledger padded", "estimate started", "estimate answered"] {
      #expect(lines.contains { $0.contains(" \(name) ") || $0.hasSuffix(name) }, "\(name)")
    }
  }
}
