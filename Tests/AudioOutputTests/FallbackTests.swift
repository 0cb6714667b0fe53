import AudioModel
import SoundServerSupport
import Testing
import Threads

@testable import AudioOutput

/// An output whose streams fail, or play on a device that the test turns.
private final class Server: AudioOutput {
  let failure: AudioOutputError?
  let opened = Guarded(0)

  init(_ failure: AudioOutputError? = nil) { self.failure = failure }

  func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    opened.withLock { $0 += 1 }
    let stream = SilentOutput().openStream(format, buffering: buffering, source: source)
    if let failure {
      stream.close()
      source.handle(.failed(failure))
    }
    return stream
  }
  func setVolume(_ volume: Double, isMuted: Bool) {}
  func setTrack(title: String?, artist: String?) {}
  var mixes: Bool { false }
}

private let noServer = AudioOutputError(.noServer, detail: "no server answers")
private let noDevice = AudioOutputError(.noDevice, detail: "there is no card")

@Suite struct `An output with another one to fall back on` {
  /// Plays a sound through both; the events.
  private func events(_ output: FallbackOutput) throws -> [String] {
    let player = try SignalPlayer(output)
    // Nothing is queued where the output is lost already.
    _ = try? player.feed(0..<1000)
    try? player.queue.start()
    player.queue.stop(immediately: false)
    _ = waitUntil { player.events.contains { $0.hasPrefix("outputLost") || $0 == "isRunning(false)" } }
    return player.events
  }

  @Test func `without a server the second one plays, and stays`() throws {
    let (first, second) = (Server(noServer), Server())
    let output = FallbackOutput(first, orElse: second)
    #expect(output.mixes == false)
    for _ in 0..<2 { #expect(try events(output) == ["isRunning(true)", "started", "isRunning(false)"]) }
    #expect(first.opened.withLock { $0 } == 1 && second.opened.withLock { $0 } == 2)
  }

  @Test func `a server that has played is not replaced`() throws {
    let (first, second) = (Server(), Server())
    let output = FallbackOutput(first, orElse: second)
    for _ in 0..<2 { #expect(try events(output) == ["isRunning(true)", "started", "isRunning(false)"]) }
    #expect(second.opened.withLock { $0 } == 0)
  }

  @Test func `without either the first one's failure is reported, each time`() throws {
    let (first, second) = (Server(noServer), Server(noDevice))
    let output = FallbackOutput(first, orElse: second)
    for count in 1...2 {
      #expect(try events(output) == ["outputLost noServer: no server answers"])
      #expect(first.opened.withLock { $0 } == count && second.opened.withLock { $0 } == count)
    }
  }

  @Test func `other failures do not choose the second output`() throws {
    let (first, second) = (Server(noDevice), Server())
    #expect(try events(FallbackOutput(first, orElse: second)) == ["outputLost noDevice: there is no card"])
    #expect(second.opened.withLock { $0 } == 0)
  }
}
