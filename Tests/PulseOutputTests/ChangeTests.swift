import AudioOutput
import SoundServerSupport
import TestTraits
import Testing

@Suite(.excusedByStolenTime) struct `Changes while playing through a real server` {
  let server: SoundServer
  let recording: MonitorRecording

  init() throws {
    server = try SoundServer()
    recording = try MonitorRecording(server)
  }

  @Test func `volume is heard at once though the server holds seconds, and no frame is lost`() throws {
    let player = try SignalPlayer(server.output())
    try player.feed(0..<60_000)
    try player.queue.start()
    try player.feed(60_000..<150_000)
    player.queue.stop(immediately: false)
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.currentTime > 5000 })
    let before = Int(player.queue.currentTime)
    player.queue.volume = 0
    let muted = player.queue.currentTime
    #expect(waitUntil { player.queue.currentTime > muted + 35_000 })
    let between = Int(player.queue.currentTime)
    player.queue.volume = 1
    let after = Int(player.queue.currentTime)
    #expect(player.waitFor("isRunning(false)"))
    let heard = recording.heard
    try #require(heard.count == 2, "\(heard), \(before), \(between)")
    // Long before the end of the frames that the server was given when it changed: the sink's latency and a tenth.
    #expect(heard[0].lowerBound == 0 && (before..<between).contains(heard[0].upperBound), "\(heard), \(between)")
    #expect(heard[1].upperBound == 150_000 && (between..<after + 60_000).contains(heard[1].lowerBound), "\(heard)")
    // Silence takes time. If a busy machine delays the player in rewriting audio that it took back, PipeWire plays
    // silence in between.
    let waits = recording.silences.reduce(0, +) - (heard[1].lowerBound - heard[0].upperBound)
    #expect(SoundServer.isPulseAudio ? waits == 0 : waits >= 0, "\(recording.silences) \(heard)")
    #expect(player.queue.currentTime == 150_000)
  }

  @Test func `audio that is taken back and fed again joins without a gap`() throws {
    let player = try SignalPlayer(server.output())
    try player.feed(0..<60_000)
    try player.queue.start()
    #expect(player.waitFor("started"))
    for round in 1...4 {
      #expect(waitUntil { player.queue.currentTime > round * 9000 })
      let time = Int(player.queue.takeBack())
      // On a busy machine all may have been heard, or be about to be.
      let end = 60_000 + (round - 1) * 4000
      #expect(time < end || player.queue.currentTime > end - 10_000)
      #expect(try player.feed(time..<60_000 + round * 4000) == time)
    }
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(recording.heard == [0..<76_000])
    #expect(player.queue.currentTime == 76_000)
  }
}
