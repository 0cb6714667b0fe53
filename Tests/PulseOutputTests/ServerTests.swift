import AudioModel
import AudioOutput
import Glibc
import PulseOutput
import SoundServerSupport
import TestTraits
import Testing
import Threads

@Suite(.excusedByStolenTime) struct `A server and a stream` {
  @Test(.onPulseAudio) func `a phone stream asks for a pause and takes it back, and at most a block is lost`() throws {
    let server = try SoundServer(modules: ["module-role-cork"])
    let recording = try MonitorRecording(server)
    let player = try SignalPlayer(server.output(), bufferSeconds: 1)
    try player.feed(0..<132_300)
    try player.queue.start()
    #expect(player.waitFor("started"))
    let phone = try server.call()
    #expect(player.waitFor("pauseRequested"))
    player.queue.pause()
    phone.end()
    #expect(player.waitFor("resumeRequested"))
    // The server mutes what it wants paused: what was played between its decision and our pause is fed again.
    let time = try player.playUnheardAgain(upTo: 132_300)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    let heard = recording.heard
    #expect(heard.first?.lowerBound == 0 && heard.last?.upperBound == 132_300)
    // No message tells which block of the sink, of 5 ms, was the first one muted: one may be lost, or heard twice; on a
    // busy machine, which delays the message about the mute, some more.
    if heard.count > 1 {
      let difference = heard[1].lowerBound - heard[0].upperBound
      #expect(
        heard.count == 2 && heard[1].lowerBound == time && difference.magnitude <= 44_100 / 10, "\(heard), \(time)")
    }
  }

  @Test(.onPulseAudio) func `a stream that is already paused is asked as well`() throws {
    let server = try SoundServer(modules: ["module-role-cork"])
    let player = try SignalPlayer(server.output())
    try player.feed(0..<30_000)
    try player.queue.start()
    #expect(player.waitFor("started"))
    player.queue.pause()
    let phone = try server.call()
    #expect(player.waitFor("pauseRequested"))
    phone.end()
    #expect(player.waitFor("resumeRequested"))
  }

  @Test(arguments: [false, true])
  func `a server that dies leaves the last place and no hang`(isPaused: Bool) throws {
    let server = try SoundServer()
    let player = try SignalPlayer(server.output())
    try player.feed(0..<33075)
    try player.queue.start()
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.currentTime > 4000 })
    let isExact = isPaused && player.isConfirmed { $0.pause() }
    let before = player.queue.currentTime
    server.process.end(atOnce: true)
    #expect(player.waitForLast("outputLost"))
    #expect(player.events.last?.contains("serverLost") == true)
    let time = player.queue.currentTime
    #expect(isExact ? time == before : time >= before)
    #expect(throws: AudioQueueError.queueInvalidated) { try player.queue.start() }
    player.queue.pause()
    player.queue.reset()
    player.queue.stop(immediately: true)
    #expect(player.freeBufferCount == 3)
    #expect(player.queue.currentTime == time)
    let buffer = try player.takeBuffer()
    buffer.frameCount = 1
    #expect(throws: AudioQueueError.queueInvalidated) { try player.queue.enqueue(buffer) }
    player.queue.dispose()
  }

  @Test func `the same output reaches a server that comes up later`() throws {
    let folder = try SoundServer()
    folder.process.end(atOnce: true)
    let output = folder.output()
    let first = try SignalPlayer(output)
    #expect(first.waitForLast("noServer"))
    first.queue.dispose()
    let process = try folder.restart()
    let second = try SignalPlayer(output)
    try second.feed(0..<1000)
    try second.queue.start()
    second.queue.stop(immediately: false)
    #expect(second.waitFor("isRunning(false)"))
    process.end()
  }

  @Test func `without a server the message says where it was looked for and what to do`() throws {
    let player = try SignalPlayer(PulseOutput(server: "unix:/nonexistent/socket", applicationName: "segue tests"))
    #expect(waitUntil { player.events.count == 1 })
    let text = player.events.first ?? ""
    for word in ["noServer", "unix:/nonexistent/socket", "pulseaudio --start"] { #expect(text.contains(word)) }
  }

  @Test(.onPulseAudio) func `a server without a device is reported`() throws {
    let server = try SoundServer(sink: nil)
    let player = try SignalPlayer(server.output())
    #expect(player.waitForLast("noDevice"))
  }

  @Test func `a server that accepts a connection and is silent is named`() throws {
    var template = Array("/tmp/segue-mute.XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { removeAll(folder) }
    let mute = try ChildProcess([
      "python3", "-c",
      "import socket,time;s=socket.socket(socket.AF_UNIX);s.bind('\(folder)/s');s.listen();time.sleep(60)",
    ])
    #expect(waitUntil { SoundServer.accepts("\(folder)/s") })
    let player = try SignalPlayer(PulseOutput(server: "unix:\(folder)/s", applicationName: "segue tests"))
    #expect(player.waitForLast("serverSilent") && player.waitForLast("systemctl --user restart"))
    mute.end()
  }

  @Test func `a sink that goes away moves the stream, and the last one ends it`() throws {
    let server = try SoundServer(modules: [SoundServer.secondSink, "module-rescue-streams"])
    let player = try SignalPlayer(server.output())
    try player.feed(0..<33075)
    try player.queue.start()
    #expect(player.waitFor("started") && player.waitForRoute("null0"))
    try server.removeSink("null0")
    #expect(player.waitForRoute("null1"))
    let route = player.events.last { $0.hasPrefix("routeChanged") }
    #expect(route?.hasSuffix("isOldGone: true)") == true, "\(player.events)")
    // PipeWire waits for another.
    guard SoundServer.isPulseAudio else { return }
    try server.removeSink("null1")
    #expect(player.waitForLast("streamEnded"))
  }

  @Test(.onPulseAudio) func `time stands still while the device is suspended`() throws {
    let server = try SoundServer()
    let recording = try MonitorRecording(server)
    // More than is played while a busy machine starts `pactl`.
    let player = try SignalPlayer(server.output(), bufferSeconds: 3)
    try player.feed(0..<396_900)
    try player.queue.start()
    #expect(player.waitFor("started"))
    try server.pactl("suspend-sink", "null0", "1")
    #expect(player.waitFor("suspended(true)"))
    let time = player.queue.currentTime
    #expect(!player.queue.clock.isAdvancing)
    try server.pactl("suspend-sink", "null0", "0")
    #expect(player.waitFor("suspended(false)"))
    #expect(waitUntil { player.queue.currentTime > time + 8820 })
    player.queue.reset()
    let rest = try player.feed(0..<10_000)
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(time + 8820 < rest && player.queue.currentTime == rest + 10_000)
    withExtendedLifetime(recording) {}
  }

  @Test func `volume, mute and track are what the server shows, whenever they are said`() throws {
    let server = try SoundServer()
    let output = server.output()
    output.setVolume(0.4, isMuted: false)
    // Connected already, so that the stream is being created when the rest is said.
    let before = try SignalPlayer(output)
    try before.feed(0..<4410)
    try before.queue.start()
    #expect(before.waitFor("started"))
    before.queue.dispose()
    let player = try SignalPlayer(output, bufferSeconds: 3)
    output.setTrack(title: "Nachtstück", artist: "Schumann")
    try player.feed(0..<396_900)
    try player.queue.start()
    #expect(player.waitFor("started"))
    func inputs() throws -> String { try server.pactl("list", "sink-inputs") }
    #expect(try waitUntil { try inputs().contains(" 40%") && inputs().contains("Mute: no") })
    for property in [
      #"media.role = "music""#, #"media.title = "Nachtst"#, #"media.artist = "Schumann""#,
      #"application.name = "segue tests""#,
    ] {
      #expect(try waitUntil { try inputs().contains(property) })
    }
    output.setVolume(0.7, isMuted: true)
    output.setTrack(title: "Aufschwung", artist: nil)
    #expect(try waitUntil { try inputs().contains(" 70%") && inputs().contains("Mute: yes") })
    #expect(try waitUntil { try inputs().contains(#"media.title = "Aufschwung""#) })
  }

  @Test func `unplayed frames are taken back from a sink that holds a second of audio`() throws {
    let server = try SoundServer(sink: "sink_name=null0 rate=44100")
    let player = try SignalPlayer(server.output(), buffering: .deep, bufferSeconds: 3)
    try player.feed(0..<9 * 44100)
    try player.queue.start()
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.currentTime > 8820 })
    // A pause: the place is the one heard, not the one that the sink has read. Messages that arrive late make the clock
    // run behind.
    let before = player.queue.currentTime
    let line = player.queue.clock
    player.queue.pause()
    let time = player.queue.currentTime
    #expect(before <= time && time <= line.frame(at: .now) + 4410)
    try player.queue.start()
    #expect(player.waitFor("started", count: 2))
    #expect(waitUntil { player.queue.currentTime > time + 8820 })
    // A seek: the new place is heard now, not after what the sink holds of the old one.
    player.queue.reset()
    try player.feed(1_000_000..<1_088_200)
    try player.queue.start()
    #expect(player.waitFor("started", count: 3))
    #expect(player.queue.clock.referenceTime < .now + .milliseconds(300))
  }

  @Test(.enabled(if: SoundServer.refusesHighRates, "this server plays all formats of the queue"))
  func `a format that no server plays is refused`() throws {
    let server = try SoundServer()
    let format = PCMFormat(sampleRate: 760_000, channelCount: 2, sampleFormat: .f32)
    let player = try SignalPlayer(server.output(), format: format)
    #expect(player.waitForLast("unsupportedFormat"))
  }

  @Test(arguments: [
    PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s24in32),
    PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s32),
    PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .f32),
    PCMFormat(sampleRate: 8000, channelCount: 1, sampleFormat: .s16),
    PCMFormat(sampleRate: 192_000, channelCount: 7, sampleFormat: .s32),
  ])
  func `every format ends at the frame that was sent`(format: PCMFormat) throws {
    let server = try SoundServer()
    let player = try SignalPlayer(server.output(), format: format)
    let buffer = try player.takeBuffer()
    for byte in buffer.bytes.indices { buffer.bytes[byte] = 0 }
    buffer.frameCount = buffer.frameCapacity
    try player.queue.enqueue(buffer)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(player.queue.currentTime == Int64(buffer.frameCapacity))
  }

  @Test func `a server that hangs is not waited for: pause, drain and dispose end`() throws {
    let server = try SoundServer()
    // All that the server holds.
    let player = try SignalPlayer(server.output(), bufferSeconds: 1)
    try player.feed(0..<132_300)
    try player.queue.start()
    #expect(player.waitFor("started"))
    server.process.signal(SIGSTOP)
    player.queue.pause()
    let time = player.queue.currentTime
    #expect(time < 132_300 && !player.queue.clock.isAdvancing)
    try player.queue.start()
    player.queue.stop(immediately: false)
    #expect(player.waitForLast("outputLost serverLost"))
    #expect(player.events.last?.contains("does not answer") == true)
    // Not one frame of what nobody knows to have been heard is left out.
    #expect(player.queue.confirmedTime == time)
    player.queue.dispose()
    server.process.signal(SIGCONT)
    #expect(try SignalPlayer(server.output()).waitForRoute())
  }

  @Test func `a server that hangs while it plays is noticed, and the place is that of its last word`() throws {
    let server = try SoundServer()
    let output = server.output()
    let player = try SignalPlayer(output, bufferSeconds: 2)
    try player.feed(0..<6 * 44100)
    try player.queue.start()
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.currentTime > 20_000 })
    let before = player.queue.currentTime
    server.process.signal(SIGSTOP)
    let after = player.queue.currentTime
    #expect(player.waitForLast("outputLost serverLost"))
    #expect(before - 66150...after + 4410 ~= player.queue.confirmedTime)
    server.process.signal(SIGCONT)
    // PipeWire's Pulse server ended here in one of about a hundred runs.
    if try server.pactl("info").isEmpty { _ = try server.restart() }
    let next = try SignalPlayer(output)
    try next.feed(0..<2000)
    try next.queue.start()
    next.queue.stop(immediately: false)
    #expect(next.waitFor("isRunning(false)"), "has ended: \(server.process.isOver)\n\(server.lastLines)")
  }

  @Test(arguments: [false, true])
  func `a device that stands still while its server lives is reported, and time stands with it`(isEnding: Bool) throws {
    // The far end of a tunnel, or PipeWire behind its Pulse server.
    let remote = SoundServer.isPulseAudio ? try SoundServer() : nil
    let server =
      try remote.map { remote in
        try SoundServer(sink: nil, modules: ["module-tunnel-sink-new server=\(remote.address) sink_name=tunnel"])
      } ?? SoundServer()
    let recording = try MonitorRecording(remote ?? server)
    let device = try #require(remote?.process ?? server.daemon)
    let player = try SignalPlayer(server.output(), bufferSeconds: 3)
    // Of the shorter sound the device gets all at once.
    let frameCount = isEnding ? 3 * 44_100 : 9 * 44_100
    try player.feed(0..<frameCount)
    try player.queue.start()
    if isEnding { player.queue.stop(immediately: false) }
    #expect(player.waitFor("started"))
    #expect(waitUntil { player.queue.currentTime > 44_100 })
    // A busy machine may have let the start take more than a second.
    func count(_ event: String) -> Int { player.events.count { $0 == event } }
    let (stallCount, startCount) = (count("stalled"), count("started"))
    device.signal(SIGSTOP)
    #expect(player.waitFor("stalled", count: stallCount + 1))
    #expect(!player.queue.clock.isAdvancing)
    let time = player.queue.currentTime
    // The tunnel has sent up to half a second.
    func agrees(_ frame: Int?) -> Bool { abs((frame ?? 0) - Int(time)) < 26_460 }
    // With PipeWire the recorder stands still, too.
    func heard() -> Range<Int>? { CodedSignal.runs(in: recording.rendered).last }
    #expect(waitUntil(milliseconds: 50) { agrees(heard()?.upperBound) }, "\(heard() ?? 0..<0) \(time)")
    // For longer than a silent server is waited for: this one answers.
    #expect(!waitUntil(seconds: 6) { player.events.contains { $0.hasPrefix("outputLost") } })
    #expect(agrees(Int(player.queue.currentTime)))
    device.signal(SIGCONT)
    #expect(player.waitFor("started", count: startCount + 1))
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    #expect(player.queue.currentTime == frameCount)
  }

  @Test(.onPipeWire)
  func `a stream that the server does not open in time is taken away, and the next one plays`() throws {
    let server = try SoundServer()
    let output = server.output()
    let first = try SignalPlayer(output)
    #expect(first.waitForRoute())
    first.queue.dispose()
    server.sessionManager?.signal(SIGSTOP)
    let second = try SignalPlayer(output)
    try second.feed(0..<4410)
    try second.queue.start()
    #expect(second.waitForLast("outputLost streamNotOpened"))
    server.sessionManager?.signal(SIGCONT)
    let third = try SignalPlayer(output)
    try third.feed(0..<4410)
    try third.queue.start()
    #expect(third.waitFor("started"))
    third.queue.dispose()
    #expect(try waitUntil(milliseconds: 20) { try server.pactl("list", "short", "sink-inputs").isEmpty })
  }

  @Test(.onPipeWire) func `a session manager that knows no sink opens no stream, which may pass`() throws {
    let server = try SoundServer(sink: nil)
    // It makes a dummy sink where there is none.
    try server.unloadModules { $0.contains("module-always-sink") }
    #expect(try waitUntil(milliseconds: 20) { try server.pactl("list", "short", "sinks").isEmpty })
    let player = try SignalPlayer(server.output())
    #expect(player.waitForLast("outputLost streamNotOpened"))
  }

  @Test(.onPulseAudio) func `a device that starts late is reported, and plays`() throws {
    let server = try SoundServer()
    try server.pactl("suspend-sink", "null0", "1")
    let player = try SignalPlayer(server.output())
    try player.feed(0..<20_000)
    try player.queue.start()
    #expect(player.waitFor("stalled"))
    #expect(player.queue.currentTime == 0)
    // It stands still, but it answers: that is no loss.
    #expect(!waitUntil(seconds: 3) { player.events.contains { $0.hasPrefix("outputLost") } })
    try server.pactl("suspend-sink", "null0", "0")
    #expect(player.waitFor("started"))
  }
}
