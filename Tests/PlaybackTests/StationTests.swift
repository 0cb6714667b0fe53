import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import Testing
import Threads

@testable import Playback

/// Stations, and what is kept of them to go back in. The device's time is moved by the test.
final class StationTests {
  private let audio = contents(of: Fixture.folder + "/vbr-60s-without-header.mp3")
  private let output = HandCrankedOutput(tellsUnderruns: true)
  private let network: Network
  private var engine: PlaybackEngine
  private var notices: [PlaybackNotice] = []
  private let gate = Gate()

  init() {
    var network = NetworkConfiguration()
    (network.headLimit, network.stallLimit) = (.seconds(120), .seconds(120))
    self.network = Network(network)
    engine = Self.engine(output, self.network, refillSeconds: 0.5)
  }

  private static func engine(
    _ output: HandCrankedOutput, _ network: Network, refillSeconds: Double
  ) -> PlaybackEngine {
    var configuration = PlaybackEngine.Configuration()
    configuration.refillSeconds = refillSeconds
    return PlaybackEngine(output: output, network: network, configuration: configuration) {}
  }

  deinit {
    gate.open()
    engine.shutDown()
    network.shutDown()
  }

  // MARK: Tools

  /// Sends a minute of music with a title before some of its bytes; nothing of it from `stop` on until the gate opens.
  /// If it `closes`, it ends the connection after that, and answers no other.
  private func station(
    of audio: [UInt8]? = nil, titles: [Int: String] = [:], stop: Int = .max, closes: Bool = false
  ) throws -> ScriptedServer {
    let audio = audio ?? self.audio
    return try ScriptedServer { [gate] request, connection in
      if request.number > 0 { return connection.waitForClient() }
      connection.send("ICY 200 OK\r\nicy-metaint: 1000\r\nicy-name: Radio\r\nContent-Type: audio/mpeg\r\n\r\n")
      for start in Swift.stride(from: 0, to: audio.count - 1000, by: 1000) {
        if start == stop { gate.wait() }
        connection.send(audio[start..<(start + 1000)])
        let text = titles[start].map { Array("StreamTitle='\($0)';".utf8) } ?? []
        connection.send(
          [UInt8((text.count + 15) / 16)] + text + [UInt8](repeating: 0, count: (16 - text.count % 16) % 16))
      }
      if !closes { connection.waitForClient() }
    }
  }

  private func settle() {
    engine.settle(within: .seconds(60))
    notices += engine.takeNotices()
  }

  /// Turns the crank until something holds.
  private func hear(until isEnough: () -> Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    let isHeard = waitUntil(milliseconds: 0) {
      settle()
      if isEnough() { return true }
      if output.stream?.turn(frames: 2048) ?? 0 == 0 { usleep(1000) }
      bytes += output.stream?.takeBytes() ?? []
      return false
    }
    #expect(isHeard, "\(engine.snapshot.state) \(engine.snapshot.reason) \(String(describing: engine.snapshot.stream))")
    return bytes
  }

  private func play(_ server: ScriptedServer) {
    engine.send(.play(QueueEntry(id: 0, location: .url(server.address)), from: 0))
    settle()
  }

  /// True if it has run dry behind a place. A busy server may let it run dry before that; then the rest comes.
  private func isDry(behind place: Double) -> Bool {
    switch engine.snapshot.reason {
    case .buffering, .reconnecting: notices.contains(.underrun) && position > place
    default: false
    }
  }

  private var position: Double { engine.snapshot.position(at: .zero) }

  private func wholeSamples() throws -> [UInt8] {
    try TrackReader(location: Fixture.location("vbr-60s-without-header.mp3")).rest()
  }

  // MARK: Playing

  @Test func `a station is heard to the sample, and what it says of itself where that is heard`() throws {
    let server = try station(titles: [20_000: "Now", 600_000: "Later"])
    play(server)
    var heard = hear { engine.snapshot.stream?.title == "Now" }
    let snapshot = engine.snapshot
    #expect(snapshot.stream?.isLive == true && snapshot.stream?.stationName == "Radio")
    #expect(snapshot.information.duration == nil)
    // All has arrived long ago; the title is that of the sound.
    let place = Double(20_000) / Double(audio.count) * 60
    #expect(abs(position - place) < 4, "\(position)")
    heard += hear { isDry(behind: 58) }
    let whole = try wholeSamples()
    #expect(heard.count > whole.count * 9 / 10, "all but the tail, which has not come")
    expectSame(heard, Array(whole.prefix(heard.count)))
    let titles = notices.compactMap { if case .titleChanged(let title) = $0 { title } else { nil } }
    #expect(titles == ["Now", "Later"])
  }

  @Test func `stop ends the connection, and the same entry makes a new one`() throws {
    let endCount = Guarded(0)
    let server = try ScriptedServer { [audio] _, connection in
      connection.send("ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n")
      connection.send(audio)
      connection.waitForClient()
      endCount.withLock { $0 += 1 }
    }
    play(server)
    _ = hear { position > 1 }
    engine.send(.stop)
    settle()
    let isEnded = waitUntil(milliseconds: 1) { endCount.withLock { $0 } == 1 }
    #expect(isEnded && engine.snapshot.state == .stopped)
    play(server)
    _ = hear { engine.snapshot.state == .playing && position > 1 }
    #expect(server.requests.count == 2)
    #expect(!notices.contains { if case .trackFailed = $0 { true } else { false } })
  }

  @Test func `one goes back in what has been sent, to the sample, and to the newest again`() throws {
    let server = try station(titles: [20_000: "Now", 600_000: "Later"])
    play(server)
    _ = hear { isDry(behind: 58) }
    let shift = try #require(engine.snapshot.stream?.shift)
    #expect(shift.delay < 3 && abs(shift.depth - 60) < 4, "\(shift)")
    engine.send(.seek(to: 10))
    settle()
    _ = output.stream?.takeBytes()
    var heard = hear { engine.snapshot.state == .playing }
    #expect(abs(position - 10) < 0.5 && !engine.snapshot.positionIsEstimated)
    heard += hear { position > 12 }
    #expect(engine.snapshot.stream?.title == "Now")
    #expect(abs((engine.snapshot.stream?.shift?.delay ?? 0) - 48) < 5)
    let whole = try wholeSamples()
    let start = 10 * 44_100 * Int(engine.snapshot.information.dataFormat?.channelsPerFrame ?? 0) * 2
    expectSame(heard, Array(whole[start..<(start + heard.count)]))
    engine.send(.seek(to: .infinity))
    _ = hear { isDry(behind: 58) }
    #expect(position > 58 && notices.contains { if case .seeked(let place, _) = $0 { place > 55 } else { false } })
    let count = notices.count { $0 == .seekRefused }
    engine.send(.seekBy(5))
    settle()
    #expect(notices.count { $0 == .seekRefused } == count + 1, "nothing newer has come")
  }

  @Test func `faster than it is sent, a station is slowed down once all that came is read, and does not run dry`()
    throws
  {
    let server = try station(stop: 400_000)
    play(server)
    _ = hear { position > 1 }
    // It is heard faster only once it has all come: a server that is slow just now would slow it down, too.
    engine.send(.pause)
    _ = hear { (engine.snapshot.stream?.shift?.delay ?? 0) > 15 }
    notices = []
    engine.send(.set(.speed(1.5)))
    engine.send(.resume)
    let isSlowed = { [self] in notices.contains(.slowedToLive) }
    _ = hear { position > 3 }
    #expect(engine.snapshot.speed == 1.5 && !isSlowed(), "what has come can be heard faster")
    _ = hear { isSlowed() }
    #expect(engine.snapshot.speed == 1 && !notices.contains(.underrun))
    gate.open()
    let place = position
    _ = hear { position > place + 5 }
    #expect(notices.count { $0 == .slowedToLive } == 1)
    // After a seek back, the speed may be higher again, up to the newest audio.
    engine.send(.seek(to: 5))
    engine.send(.set(.speed(2)))
    _ = hear { isDry(behind: 56) }
    #expect(engine.snapshot.speed == 1 && notices.count { $0 == .slowedToLive } == 2)
  }

  @Test func `without a time shift, a station of a high bit rate plays on after it has run dry`() throws {
    engine.shutDown()
    engine = Self.engine(output, network, refillSeconds: 3)
    // Uncompressed: of the 256 KiB that are always kept, 1.5 seconds.
    let server = try station(of: contents(of: Fixture.folder + "/source-e2-44100.wav"), stop: 353_000)
    engine.send(.set(.timeShift(0)))
    play(server)
    // At once, if the server is busy: then three seconds have to come before anything is heard again.
    _ = hear { isDry(behind: 0) }
    gate.open()
    _ = hear { engine.snapshot.state == .playing && position > 4 }
  }

  @Test func `bytes that arrive during a pause are heard after it`() throws {
    let server = try station(stop: 100_000)
    play(server)
    var heard = hear { position > 2 }
    engine.send(.pause)
    settle()
    gate.open()
    // By the mean bit rate of what was heard, which is more than that of the rest.
    _ = hear { (engine.snapshot.stream?.shift?.delay ?? 0) > 30 }
    #expect(engine.snapshot.state == .paused)
    engine.send(.resume)
    heard += hear { isDry(behind: 58) }
    let whole = try wholeSamples()
    #expect(heard.count > whole.count * 9 / 10)
    expectSame(heard, Array(whole.prefix(heard.count)))
    #expect(!notices.contains { if case .shiftLost = $0 { true } else { false } })
  }

  @Test func `a station that is to begin at a place, as after a restart, begins with what it sends`() throws {
    let server = try station()
    engine.send(.play(QueueEntry(id: 0, location: .url(server.address)), from: 3600))
    _ = hear { engine.snapshot.state == .playing && position > 2 }
    #expect(position < 60)
    #expect(!notices.contains { if case .seekRefused = $0 { true } else { false } })
  }

  @Test func `bytes dropped from the ring during a pause are reported, and the rest is heard`() throws {
    let ten = contents(of: Fixture.folder + "/e2-44100-cbr160.mp3")
    let server = try station(of: Array([[UInt8]](repeating: ten, count: 6).joined()), stop: 100_000, closes: true)
    // The least there is: 256 KiB are 13 seconds at 160 kb/s.
    engine.send(.set(.timeShift(0)))
    play(server)
    _ = hear { position > 2 }
    engine.send(.pause)
    settle()
    gate.open()
    // It is noticed after the last byte.
    _ = hear { notices.contains { if case .connection(.connectionLost) = $0 { true } else { false } } }
    let depth = try #require(engine.snapshot.stream?.shift?.depth)
    #expect(abs(depth - 13) < 3, "\(depth)")
    engine.send(.resume)
    let heard = hear { isDry(behind: 10) }
    let lost = notices.compactMap { if case .shiftLost(let seconds) = $0 { seconds } else { nil } }
    let whole = Double(6 * ten.count) / 20_000
    #expect(lost.count == 1 && lost.allSatisfy { $0 > 20 }, "\(lost)")
    let second = 44_100 * 2 * Int(engine.snapshot.information.dataFormat?.channelsPerFrame ?? 0)
    let seconds = Double(heard.count) / Double(second)
    #expect(abs(2 + seconds + (lost.first ?? 0) - whole) < 3, "\(seconds) and \(lost) of \(whole)")
    // The header of the first file says ten seconds, which is none of the station's.
    let place = position
    engine.send(.seekBy(-5))
    _ = hear { notices.contains { if case .seeked = $0 { true } else { false } } }
    #expect(place > 15 && abs(position - place + 5) < 1, "\(place) \(position)")
    _ = hear { isDry(behind: place - 0.5) }
    #expect(!notices.contains { if case .trackFailed = $0 { true } else { false } })
  }
}
