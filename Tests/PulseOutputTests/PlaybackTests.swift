import AudioOutput
import SoundServerSupport
import Testing

@Suite struct `Playing through a real server` {
  @Test func `what is sent is heard, bit for bit, from the first frame to the last (003-25, B.3-7)`() throws {
    let server = try SoundServer()
    let recording = try MonitorRecording(server)
    let player = try Player(address: server.address)
    try player.queue.start()
    try player.feed(0..<150_000)
    player.queue.stop(immediately: false)
    #expect(player.queue.isRunning)
    #expect(player.waitFor("isRunning(false)"))
    #expect(waitUntil { CodedSignal.runs(in: recording.samples).last?.upperBound == 150_000 })
    #expect(CodedSignal.runs(in: recording.samples) == [0..<150_000])
    #expect(player.queue.currentTime == 150_000)
    #expect(player.events == ["isRunning(true)", "started", "isRunning(false)"])
  }
}
