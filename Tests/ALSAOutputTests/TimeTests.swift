@testable import ALSAOutput
import AudioModel
import AudioOutput
import SoundServerSupport
import Testing
import Threads

/// A queue on a device that plays in real time: ALSA's plug-in for a sound server.
@Suite struct `A device in real time` {
  let server: SoundServer
  let recording: MonitorRecording
  let player: SignalPlayer
  /// The server may swallow so many frames, a block of its sink, where the plug-in starts.
  private let block = 1000
  /// A plug-in that ran empty knows what was heard to some milliseconds; of what it takes after that, nothing is heard: at
  /// most what a stream gives to a device.
  private let held = 22_050 + 4410

  init() throws {
    server = try SoundServer()
    recording = try MonitorRecording(server)
    player = try SignalPlayer(ALSAOutput(device: Device.server(server)), bufferSeconds: 1)
  }

  @Test func `all frames are heard, and time runs with them`() throws {
    let start = MonotonicTime.now
    try player.queue.start()
    try player.feed(0..<132_300)
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(.now - start > .seconds(2.5))
    #expect(player.queue.currentTime == 132_300)
    // Where the machine was late, each break was reported, and is the end of what was heard or a place within it.
    let underruns = player.events.count { $0 == "underrun" }
    #expect(
      waitUntil { 132_300 - (recording.heard.last?.upperBound ?? 0) <= (underruns > 0 ? held : 0) },
      "\(recording.heard)")
    let heard = recording.heard
    #expect(heard.first.map { $0.lowerBound < block } == true, "\(heard)")
    #expect(heard.count <= 1 + underruns, "\(heard), \(player.events)")
    let jumps = zip(heard, heard.dropFirst()).map { $1.lowerBound - $0.upperBound }
    #expect(jumps.allSatisfy { abs($0) <= held + block }, "\(heard)")
  }

  @Test func `a pause stops at the place that it says`() throws {
    try player.feed(0..<132_300)
    try player.queue.start()
    #expect(waitUntil { player.queue.currentTime > 30_000 })
    player.queue.pause()
    let place = player.queue.currentTime
    #expect((30_000..<132_300).contains(place))
    // The place of a server is known to some milliseconds; a card's to the frame.
    let tolerance = 4410
    #expect(waitUntil { abs(Int64(recording.heard.last?.upperBound ?? 0) - place) < tolerance }, "\(recording.heard)")
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(waitUntil { recording.heard.last?.upperBound == 132_300 })
    #expect(abs(recording.heard.reduce(0) { $0 + $1.count } - 132_300) < tolerance + 2 * block, "\(recording.heard)")
  }

  @Test func `a device that ran empty plays on`() throws {
    try player.feed(0..<20_000)
    try player.queue.start()
    #expect(player.waitFor("underrun"))
    try player.feed(20_000..<60_000)
    #expect(player.waitFor("started", count: 2))
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(waitUntil { recording.heard.last?.upperBound == 60_000 }, "\(recording.heard)")
    #expect(recording.heard.reduce(0) { $0 + $1.count } > 60_000 - 2 * block, "\(recording.heard)")
  }

  @Test func `a server that goes is a card that is unplugged`() throws {
    try player.feed(0..<132_300)
    try player.queue.start()
    #expect(player.waitFor("started"))
    server.process.end()
    #expect(player.waitForLast("outputLost streamEnded: the sound card is gone"))
  }
}
