import AudioModel
import ByteIO
import Glibc
import SignalProcessing
import SoundServerSupport
import Streaming
import Testing
import Threads

@testable import Playback

/// The engine on a network that the test controls: waiting, playing, stalls, seeks against pauses. The test moves the
/// device's time.
final class NetworkPlaybackTests {
  let output = HandCrankedOutput(tellsUnderruns: true)
  let network: Network
  let engine: PlaybackEngine
  var following: [QueueEntry.ID: QueueEntry] = [:]
  var notices: [PlaybackNotice] = []
  /// Ends the waits of servers.
  let gate = Gate()
  /// The address of the track that `goneFile` is, too.
  let twin = Guarded("")
  private static let silentTrack = MediaLocation.url("segue://silent/1")
  private static let goneFile = MediaLocation.file(BytePath("/nowhere/gone.mp3"))

  init() {
    var network = NetworkConfiguration()
    network.serverAddress = { [twin] track in
      WebAddress(track.host == "silent" ? "http://127.0.0.1:1/a.mp3" : twin.withLock { $0 })
    }
    // Longer than a test may take: what it waits for is never a time-out.
    (network.headLimit, network.stallLimit) = (.seconds(120), .seconds(120))
    network.backOff.firstDelay = .milliseconds(1)
    self.network = Network(network)
    var configuration = PlaybackEngine.Configuration()
    configuration.refillSeconds = 0.5
    configuration.answerLimit = .seconds(120)
    configuration.otherPlace = { [Self.goneFile, Self.silentTrack].contains($0) ? .url("segue://home/1") : nil }
    engine = PlaybackEngine(output: output, network: self.network, configuration: configuration) {}
  }

  deinit {
    gate.open()
    engine.shutDown()
    network.shutDown()
  }

  // MARK: Tools

  private func settle() {
    engine.settle(within: .seconds(60))
    for notice in engine.takeNotices() {
      notices.append(notice)
      if case .needsNext(let id) = notice { engine.send(.setNext(following[id], after: id)) }
    }
  }

  /// Turns the crank until something holds; false if it never does.
  private func hear(into bytes: inout [UInt8], until isEnough: () -> Bool) -> Bool {
    waitUntil(milliseconds: 0) {
      settle()
      if isEnough() { return true }
      if output.stream?.turn(frames: 2048) ?? 0 == 0 { usleep(1000) }
      bytes += output.stream?.takeBytes() ?? []
      return false
    }
  }

  private func hear(until isEnough: () -> Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    #expect(hear(into: &bytes, until: isEnough), "\(engine.snapshot.state) \(engine.snapshot.reason)")
    return bytes
  }

  private var isStopped: Bool { engine.snapshot.state == .stopped }
  /// True if it waits for more behind a place in seconds: it has played all that had come, but for less than a buffer.
  private func isDry(behind place: Double) -> Bool {
    if case .buffering = engine.snapshot.reason {
      engine.snapshot.state == .waiting && notices.contains(.underrun)
        && engine.snapshot.position(at: .zero) > place
    } else {
      false
    }
  }

  /// The share of the missing bytes that has arrived, in percent, while it waits for them.
  private var missingPercent: Int? {
    guard engine.snapshot.state == .waiting, case .buffering(let percent) = engine.snapshot.reason else { return nil }
    return percent
  }

  private func play(_ address: String, id: Int = 0, then next: QueueEntry? = nil) {
    following[id] = next
    engine.send(.play(entry(address, id: id), from: 0))
    settle()
  }

  private func entry(_ address: String, id: Int = 0) -> QueueEntry { QueueEntry(id: id, location: .url(address)) }

  private func samples(_ name: String, from frame: Int64 = 0) throws -> [UInt8] {
    let reader = try TrackReader(location: Fixture.location(name))
    if frame > 0 { _ = try reader.seek(toFrame: frame) }
    return try reader.rest()
  }

  private func file(_ name: String) -> [UInt8] { contents(of: Fixture.folder + "/" + name) }

  // MARK: Playing

  @Test(arguments: [
    "e2-44100-v2.mp3", "mp4-aac.m4a", "flac-16-2-44100.flac", "wave-pcm_s16le.wav", "chained-opus.opus",
    "mkv-opus.webm",
    "libav-wmav2.wma", "libav-aac.ts", "libav-wavpack.wv",
  ])
  func `an address is heard like the file, to its last sample`(name: String) throws {
    let body = file(name)
    let server = try ScriptedServer { request, connection in connection.serve(body, request) }
    play(server.address + "/" + name)
    let heard = hear { isStopped }
    expectSame(heard, try samples(name))
    #expect(engine.snapshot.reason == .finished)
    #expect(!notices.contains { if case .trackFailed = $0 { true } else { false } })
  }

  @Test func `a file that is gone is played from its other place, which is said`() throws {
    let (name, body) = ("e2-44100-v2.mp3", file("e2-44100-v2.mp3"))
    let server = try ScriptedServer { request, connection in connection.serve(body, request) }
    twin.withLock { $0 = server.address + "/" + name }
    engine.send(.play(QueueEntry(id: 0, location: Self.goneFile), from: 0))
    expectSame(hear { isStopped }, try samples(name))
    #expect(engine.snapshot.reason == .finished && notices.contains(.connection(.replacesFile(server: "home"))))
    engine.send(.play(QueueEntry(id: 2, location: Self.silentTrack), from: 0))
    expectSame(hear { isStopped }, try samples(name))
    #expect(notices.contains(.connection(.replacesServer("silent", server: "home"))))
    engine.send(.play(QueueEntry(id: 1, location: .file(BytePath("/nowhere/other.mp3"))), from: 0))
    _ = hear { notices.contains { if case .trackFailed(let entry, _) = $0 { entry.id == 1 } else { false } } }
  }

  @Test(arguments: ["libav-wmav2.wma", "libav-mp2.ts", "libav-tta.tta", "libav-mp3.avi"])
  func `a packet that has half come is read again when the rest is there`(name: String) throws {
    let body = file(name)
    let server = try ScriptedServer { _, connection in
      connection.sendHead("200 OK", ["Content-Length: \(body.count)"])
      for start in Swift.stride(from: 0, to: body.count, by: body.count / 29) {
        connection.send(body[start..<min(body.count, start + body.count / 29)])
        usleep(20_000)
      }
    }
    play(server.address + "/" + name)
    expectSame(hear { isStopped }, try samples(name))
    #expect(engine.snapshot.method == .libav)
  }

  @Test func `slow bytes are waited for, and no sample is lost`() throws {
    let (name, body) = ("source-e2-44100.wav", file("source-e2-44100.wav"))
    let server = try ScriptedServer { [gate] _, connection in
      connection.sendHead("200 OK", ["Content-Length: \(body.count)"])
      for start in Swift.stride(from: 0, to: body.count, by: 100_000) {
        // However slow the crank is, it gets here.
        if start == 1_000_000 { gate.wait() }
        connection.send(body[start..<min(body.count, start + 100_000)])
        usleep(20_000)
      }
    }
    play(server.address + "/" + name)
    var heard = hear { notices.contains { if case .state(.waiting, .buffering, _) = $0 { true } else { false } } }
    gate.open()
    heard += hear { isStopped }
    expectSame(heard, try samples(name))
  }

  @Test func `a join from the network has no sample too many and none too few`() throws {
    let (first, second) = (file("gapless-1.mp3"), file("gapless-2.mp3"))
    let server = try ScriptedServer { request, connection in
      connection.serve(request.path == "/1.mp3" ? first : second, request)
    }
    play(server.address + "/1.mp3", then: entry(server.address + "/2.mp3", id: 1))
    expectSame(hear { isStopped }, try samples("gapless-1.mp3") + samples("gapless-2.mp3"))
    #expect(output.streamCount == 1)
  }

  @Test(arguments: ["flac-16-2-44100.flac", "e2-44100-v2.mp3"])
  func `a sheet of the web is heard as its file is, and both are fetched once`(name: String) throws {
    let body = file(name)
    let sheet = "FILE \(name) WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\nTRACK 2 AUDIO\nINDEX 01 0:0:40\n"
    let server = try ScriptedServer { request, connection in
      connection.serve(request.path == "/a.cue" ? Array(sheet.utf8) : body, request)
    }
    play(server.address + "/a.cue#1", then: entry(server.address + "/a.cue#2", id: 1))
    let heard = hear { isStopped }
    expectSame(heard, try samples(name))
    #expect(server.requests.map(\.path) == ["/a.cue", "/" + name])
    #expect(output.streamCount == 1 && notices.contains(.trackBegan(entry(server.address + "/a.cue#2", id: 1))))
  }

  @Test func `of a sheet on disk a file of the web is heard, from the midst`() throws {
    let name = "source-e2-44100.wav"
    let body = file(name)
    let server = try ScriptedServer { request, connection in connection.serve(body, request) }
    let folder = try TemporaryFolder()
    let text = "FILE \(server.address)/\(name) WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\nTRACK 2 AUDIO\nINDEX 01 0:0:40\n"
    try write(text.utf8, to: folder("a.cue"))
    engine.send(.play(QueueEntry(id: 0, location: .track(BytePath(folder("a.cue")), number: 2)), from: 0))
    expectSame(hear { isStopped }, try samples(name, from: 40 * 588))
  }

  @Test func `an error of the server is reported, and the next track plays`() throws {
    let body = file("gapless-1.mp3")
    let server = try ScriptedServer { request, connection in
      if request.path == "/1.mp3" { connection.sendHead("404 Not Found") } else { connection.serve(body, request) }
    }
    play(server.address + "/1.mp3", then: entry(server.address + "/2.mp3", id: 1))
    expectSame(hear { isStopped }, try samples("gapless-1.mp3"))
    #expect(
      notices.contains {
        if case .trackFailed(let entry, let error) = $0 { entry.id == 0 && error.reason.contains("404") } else { false }
      })
  }

  @Test(
    arguments: [
      "e2-44100-cbr160.mp3", "vbr-60s-without-header.mp3", "source-e2-44100.wav", "aac-44100-stereo.aac",
      "flac-16-2-44100.flac", "mp4-aac-faststart.m4a", "chained-vorbis.ogg", "ac3-stereo.ac3",
    ])
  func `one second of a link of 1.2 times the bit rate is enough to begin`(name: String) throws {
    let body = file(name)
    let duration = try #require(try TrackReader(location: Fixture.location(name)).information.duration)
    let count = Int(Double(body.count) / duration * 1.2)
    let server = try ScriptedServer { [gate] request, connection in
      connection.sendHead("200 OK", ["Content-Length: \(body.count)"])
      connection.send(body.prefix(count))
      gate.wait()
    }
    play(server.address + "/" + name)
    let isHeard = !hear { engine.snapshot.state == .playing }.isEmpty
    #expect(isHeard, "\(count) bytes")
  }

  // MARK: While nothing comes

  /// A part of a file, then nothing until the gate opens.
  private func stallingServer(
    _ body: [UInt8], after share: Double = 0.5, hasRanges: Bool = false
  ) throws -> ScriptedServer {
    let first = Int(Double(body.count) * share)
    return try ScriptedServer { [gate] request, connection in
      if hasRanges, request.range != nil { return connection.serve(body, request) }
      connection.sendHead("200 OK", ["Content-Length: \(body.count)", "ETag: \"1\""])
      connection.send(body.prefix(first))
      gate.wait()
      connection.send(body.dropFirst(first))
    }
  }

  @Test func `pause, resume, seek and stop are obeyed at once while the network stalls`() throws {
    let server = try stallingServer(file("source-e2-44100.wav"))
    play(server.address + "/a.wav")
    _ = hear { isDry(behind: 4.5) }
    #expect(!engine.snapshot.clock.isRunning)
    engine.send(.pause)
    settle()
    #expect(engine.snapshot.state == .paused)
    engine.send(.resume)
    settle()
    #expect(engine.snapshot.state == .waiting)
    engine.send(.seek(to: 0.1))
    settle()
    #expect(abs(engine.snapshot.position(at: .zero) - 0.1) < 0.01)
    engine.send(.stop)
    settle()
    #expect(isStopped)
  }

  @Test func `a wait says how much of what it needs is there, and the slider what of the whole`() throws {
    let body = file("source-e2-44100.wav")
    // To continue takes half a second, 88,200 bytes. Each piece is longer than two steps of the percentage.
    let ends = [0, 176_400, 196_400, 216_400, body.count]
    let pieces = zip(ends, ends.dropFirst()).map { $0..<$1 }
    let gates = pieces.map { _ in Gate() }
    let server = try ScriptedServer { _, connection in
      connection.sendHead("200 OK", ["Content-Length: \(body.count)"])
      for (piece, gate) in zip(pieces, gates) {
        connection.send(body[piece])
        gate.wait()
      }
    }
    defer { for gate in gates { gate.open() } }
    play(server.address + "/a.wav")
    // Nothing is heard before the first piece is there: who has run dry twice needs more than half a second.
    let isThere = waitUntil(milliseconds: 0) {
      settle()
      return (engine.snapshot.stream?.arrivedShares?.last?.upperBound ?? 0) >= 0.09
    }
    #expect(isThere)
    // It runs dry earlier where the test turns the crank before the feeder has filled a buffer.
    var heard = hear { missingPercent != nil && notices.contains(.underrun) }
    #expect(engine.snapshot.stream?.arrivedShares.map { $0.count == 1 && $0[0].lowerBound == 0 } == true)
    var percents = [missingPercent ?? 0]
    var announcedCount: Int { notices.count { if case .state(.waiting, .buffering, _) = $0 { true } else { false } } }
    let countBefore = announcedCount
    for gate in gates.prefix(2) {
      gate.open()
      // A piece may arrive in parts, or complete what it needs.
      heard += hear { missingPercent.map { $0 > percents[percents.count - 1] } ?? (engine.snapshot.state == .playing) }
      guard let percent = missingPercent else { break }
      percents.append(percent)
      // Its notice may have come after the last look.
      settle()
      #expect(announcedCount == countBefore, "a state is announced once, however its numbers change")
      #expect(percent < 100 && notices.contains(.buffered(percent: percent)))
    }
    #expect(percents.count > 1 || percents[0] > 70, "no piece was told of")
    for gate in gates.suffix(2) { gate.open() }
    heard += hear { isStopped }
    #expect(engine.snapshot.stream?.arrivedShares == nil)
    expectSame(heard, try samples("source-e2-44100.wav"))
  }

  @Test func `a lost connection is the reason of the wait`() throws {
    let body = file("source-e2-44100.wav")
    let server = try ScriptedServer { [gate] request, connection in
      if request.number > 0 { gate.wait() }
      connection.serve(body, request, limit: request.number == 0 ? body.count / 2 : .max)
    }
    play(server.address + "/a.wav")
    var heard = hear { if case .reconnecting = engine.snapshot.reason { true } else { false } }
    #expect(engine.snapshot.state == .waiting)
    gate.open()
    heard += hear { isStopped }
    expectSame(heard, try samples("source-e2-44100.wav"))
  }

  @Test func `a server that is busy is the reason of the wait`() throws {
    let body = file("gapless-1.mp3")
    let server = try ScriptedServer { [gate] request, connection in
      if request.number == 0 { return _ = connection.sendHead("503 Busy", ["Content-Length: 0"]) }
      gate.wait()
      connection.serve(body, request)
    }
    play(server.address + "/a.mp3")
    var heard = hear { if case .serverBusy = engine.snapshot.reason { true } else { false } }
    #expect(engine.snapshot.state == .waiting)
    gate.open()
    heard += hear { isStopped }
    expectSame(heard, try samples("gapless-1.mp3"))
  }

  @Test func `after a stall, playback resumes with the very next sample`() throws {
    let server = try stallingServer(file("source-e2-44100.wav"))
    play(server.address + "/a.wav")
    var heard = hear { isDry(behind: 4.5) }
    #expect(engine.snapshot.method == .stream, "to wait is no failure")
    gate.open()
    heard += hear { isStopped }
    expectSame(heard, try samples("source-e2-44100.wav"))
  }

  @Test func `a server that does not answer does not delay the player`() throws {
    let body = file("gapless-1.mp3")
    let server = try ScriptedServer { request, connection in
      if request.path == "/1.mp3" { connection.waitForClient() } else { connection.serve(body, request) }
    }
    play(server.address + "/1.mp3")
    #expect(engine.snapshot.state == .waiting && engine.snapshot.reason == .connecting)
    engine.send(.pause)
    settle()
    #expect(engine.snapshot.state == .paused)
    play(server.address + "/2.mp3", id: 1)
    expectSame(hear { isStopped }, try samples("gapless-1.mp3"))
  }

  @Test func `while the chosen entry connects, the track that is queued next does not become current`() throws {
    // So short that the next track is opened before the crank is turned: on a busy machine the first could end meanwhile.
    let (short, body) = (file("short-4410.mp3"), file("gapless-1.mp3"))
    let server = try ScriptedServer { [gate] request, connection in
      if request.path == "/3.mp3" { gate.wait() }
      connection.serve(request.path == "/1.mp3" ? short : body, request)
    }
    let (next, chosen) = (entry(server.address + "/2.mp3", id: 1), entry(server.address + "/3.mp3", id: 2))
    play(server.address + "/1.mp3", then: next)
    let isOpened = waitUntil {
      settle()
      return engine.snapshot.openedIDs.contains(next.id)
    }
    #expect(isOpened)
    output.stream?.turn(frames: 1024)
    settle()
    engine.send(.play(chosen, from: 0))
    engine.send(.seek(to: 0.1))
    for _ in 0..<200 {
      settle()
      output.stream?.turn(frames: 2048)
    }
    #expect(engine.snapshot.entry == chosen)
    gate.open()
    _ = hear { isStopped }
    #expect(engine.snapshot.entry == chosen)
    let begun = notices.compactMap { if case .trackBegan(let entry, _) = $0 { entry.id } else { nil } }
    #expect(begun == [0, chosen.id])
  }

  @Test func `a seek requests the target bytes, and is exact if the format allows it`() throws {
    let server = try stallingServer(file("source-e2-44100.wav"), hasRanges: true)
    play(server.address + "/a.wav")
    _ = hear { engine.snapshot.state == .playing }
    let whole = try samples("source-e2-44100.wav")
    let frames = whole.count / 4
    engine.send(.seek(to: Double(frames * 3 / 4) / 44_100))
    settle()
    var heard: [UInt8] = []
    #expect(hear(into: &heard) { isStopped })
    let tail = Array(whole.suffix((frames - frames * 3 / 4) * 4))
    expectSame(Array(heard.suffix(tail.count)), tail)
    #expect(server.requests.contains { $0.range.map { $0.first > 0 } ?? false })
  }

  @Test func `with an equaliser, a seek to missing bytes waits for them`() throws {
    let server = try stallingServer(file("source-e2-44100.wav"), hasRanges: true)
    engine.send(.set(.equalizer(Equalizer("bass") ?? .flat)))
    play(server.address + "/a.wav")
    _ = hear { engine.snapshot.state == .playing }
    engine.send(.seek(to: 8))
    _ = hear { isStopped }
    #expect(notices.contains(.seeked(to: 8)) && engine.snapshot.reason == .finished)
    #expect(!notices.contains { if case .trackFailed = $0 { true } else { false } })
  }

  @Test func `without a table, the place is estimated and fetched`() throws {
    let body = file("vbr-60s-without-header.mp3")
    let server = try stallingServer(body, after: 0.125, hasRanges: true)
    play(server.address + "/a.mp3")
    // All that has come counts for the estimate: the first packets are smaller.
    _ = hear { isDry(behind: 1) }
    engine.send(.seek(to: 30))
    settle()
    _ = hear { engine.snapshot.state == .playing && notices.contains(.seeked(to: 30, isEstimated: true)) }
    #expect(engine.snapshot.positionIsEstimated)
    let places = server.requests.compactMap { $0.range?.first }
    #expect(places.contains { $0 > body.count * 4 / 10 }, "\(places) of \(body.count)")
    #expect(engine.snapshot.position(at: .zero) >= 30)
    // Back at what was heard the samples are exact.
    engine.send(.seek(to: 1))
    settle()
    #expect(!engine.snapshot.positionIsEstimated && notices.contains(.seeked(to: 1)))
    var heard: [UInt8] = []
    _ = output.stream?.takeBytes()
    for _ in 0..<10_000 where heard.count < 100_000 {
      settle()
      output.stream?.turn(frames: 1024)
      heard += output.stream?.takeBytes() ?? []
    }
    let second = Int(engine.snapshot.information.dataFormat?.channelsPerFrame ?? 0) * 2 * 44_100
    let whole = try samples("vbr-60s-without-header.mp3")
    expectSame(Array(heard.prefix(100_000)), Array(whole[second..<(second + 100_000)]))
  }

  @Test func `after a seek to an estimated place, a place a little before it is estimated, too`() throws {
    let body = file("vbr-60s-without-header.mp3")
    let server = try ScriptedServer { [gate] request, connection in
      if let first = request.range?.first {
        // Bytes soon after the start do not arrive.
        if first < body.count / 4 { gate.wait() }
        return connection.serve(body, request)
      }
      connection.sendHead("200 OK", ["Content-Length: \(body.count)", "ETag: \"1\""])
      connection.send(body.prefix(body.count / 8))
      gate.wait()
    }
    play(server.address + "/a.mp3")
    // All that has come counts for the estimate: the first packets are smaller.
    _ = hear { isDry(behind: 1) }
    for seconds in [40.0, 36] {
      engine.send(.seek(to: seconds))
      _ = hear {
        engine.snapshot.state == .playing
          && notices.contains { if case .seeked(seconds, _) = $0 { true } else { false } }
      }
      #expect(notices.contains(.seeked(to: seconds, isEstimated: true)))
      #expect(engine.snapshot.position(at: .zero) >= seconds)
    }
  }

  @Test func `if packets cannot be found at an estimate, the file is read up to the place, which is exact`() throws {
    // AMR of 12.2 kb/s: 32 bytes for 20 ms.
    let one = file("amr-long.amr-nb")
    let body = one + (0..<200).flatMap { _ in one.dropFirst(6) }
    let server = try stallingServer(body, after: 0.125, hasRanges: true)
    play(server.address + "/a.amr")
    _ = hear { engine.snapshot.state == .playing }
    let seconds = Double(body.count * 3 / 4 / 32) / 50
    engine.send(.seek(to: seconds))
    settle()
    gate.open()
    _ = hear { engine.snapshot.state == .playing && notices.contains(.seeked(to: seconds)) }
    #expect(!engine.snapshot.positionIsEstimated && engine.snapshot.position(at: .zero) >= seconds)
  }
}

/// Something that is shut, and then open.
final class Gate: Sendable {
  private let monitor = Monitor()
  private let isOpen = Guarded(false)

  func open() {
    isOpen.withLock { $0 = true }
    monitor.locked { monitor.signal() }
  }

  func wait() {
    monitor.locked { monitor.wait(until: .now + .seconds(600)) { isOpen.withLock { $0 } } }
  }
}
