import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import Testing
import Threads

@testable import Playback

/// Streams that continue in another encoding, as for an advertisement: what follows is played by another decoder, on a
/// stream of its own where rate or channels differ. The device's time is moved by the test.
final class EncodingChangeTests {
  /// Sound in one encoding: what is sent of it, and what is heard.
  private struct Part {
    var segments: [[UInt8]]
    var secondsPerSegment: Double
    var samples: [UInt8]
    var bytesPerSecond: Int
  }

  private static let framesPerSegment = 20
  private let output = HandCrankedOutput(tellsUnderruns: true)
  private let network: Network
  private let engine: PlaybackEngine
  private var notices: [PlaybackNotice] = []
  /// All that was heard of each sample rate.
  private var heard: [Int: [UInt8]] = [:]

  init() {
    var network = NetworkConfiguration()
    network.backOff.firstDelay = .milliseconds(1)
    // On a busy machine a second of audio may take many.
    (network.headLimit, network.stallLimit) = (.seconds(120), .seconds(120))
    self.network = Network(network)
    engine = PlaybackEngine(output: output, network: self.network) {}
  }

  deinit {
    engine.shutDown()
    network.shutDown()
  }

  // MARK: Tools

  /// Segments of ADTS from the beginning of a fixture.
  private func part(_ name: String, segmentCount: Int) throws -> Part {
    let frames = HLSPlaybackTests.frames(of: name).prefix(segmentCount * Self.framesPerSegment)
    let segments = (0..<segmentCount).map { number in
      Array(frames.dropFirst(number * Self.framesPerSegment).prefix(Self.framesPerSegment).joined())
    }
    let format = try TrackReader(location: Fixture.location(name)).pcmFormat
    return Part(
      segments: segments, secondsPerSegment: Double(Self.framesPerSegment * 1024) / Double(format.sampleRate),
      samples: try samples(of: segments.joined(), "aac"), bytesPerSecond: format.sampleRate * format.bytesPerFrame)
  }

  private func samples(of bytes: some Sequence<UInt8>, _ type: String) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try write(bytes, to: "\(folder.path)/sound.\(type)")
    return try TrackReader(location: .file(BytePath("\(folder.path)/sound.\(type)"))).rest()
  }

  /// Stereo, for an advertisement mono of about half the rate, then stereo again.
  private func parts() throws -> [Part] {
    let music = try part("aac-44100-stereo.aac", segmentCount: 3)
    return [music, try part("aac-24000-mono.aac", segmentCount: 2), music]
  }

  /// Serves their segments by a playlist; a live one shows `window` of them, one more for each time that it is asked
  /// for.
  private func serve(_ parts: [Part], window: Int? = nil, missing: Set<Int> = []) throws -> ScriptedServer {
    let segments = parts.flatMap(\.segments)
    let entries = parts.flatMap { part in
      part.segments.map { _ in "#EXTINF:\(part.secondsPerSegment),\n" }
    }.enumerated().map { "\($1)\($0).aac\n" }
    let askedCount = Guarded(0)
    return try ScriptedServer { request, connection in
      if let number = Int(request.path.dropFirst().prefix { $0 != "." }) {
        guard !missing.contains(number) else {
          connection.sendHead("404 Not Found", ["Content-Length: 0"])
          return
        }
        return connection.serve(segments[number], request, type: "audio/aac")
      }
      let first = window.map { window in
        askedCount.withLock { count in
          defer { count += 1 }
          return min(count, entries.count - window)
        }
      }
      let listed = first.map { entries[$0..<($0 + (window ?? 0))] } ?? entries[...]
      let isOver = listed.endIndex == entries.count
      let text =
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(first ?? 0)\n" + listed.joined()
        + (isOver ? "#EXT-X-ENDLIST\n" : "")
      connection.serve(Array(text.utf8), request, tag: nil)
    }
  }

  private func play(_ server: ScriptedServer, from seconds: Double = 0) {
    engine.send(.play(QueueEntry(id: 0, location: .url(server.address + "/a.m3u8")), from: seconds))
  }

  /// Plays until something holds, or to the end. Returns the audio.
  private func hear(until isEnough: () -> Bool = { false }) -> [UInt8] {
    var bytes: [UInt8] = []
    engine.crank(output, note: { notices.append($0) }, until: isEnough) { sampleRate, taken in
      heard[sampleRate, default: []] += taken
      bytes += taken
    }
    return bytes
  }

  private func expectSame(_ one: [UInt8], _ other: [UInt8], _ comment: Comment? = nil) {
    let isSame = identical(one, other)
    #expect(isSame && !one.isEmpty, comment ?? "\(one.count) for \(other.count)")
  }

  private var begunCount: Int { notices.count { if case .trackBegan = $0 { true } else { false } } }
  private var failures: [String] {
    notices.compactMap { if case .trackFailed(_, let error) = $0 { error.description } else { nil } }
  }

  // MARK: On demand

  @Test func `all parts are played completely, one after another, as one track`() throws {
    let parts = try parts()
    let server = try serve(parts)
    play(server)
    expectSame(hear(), parts.flatMap(\.samples))
    #expect(begunCount == 1 && failures.isEmpty, "\(failures)")
    #expect(output.streamCount == 3)
    let seconds = parts.reduce(0) { $0 + $1.secondsPerSegment * Double($1.segments.count) }
    let snapshot = engine.snapshot
    #expect(snapshot.reason == .finished && abs((snapshot.information.duration ?? 0) - seconds) < 0.01)
    #expect(abs(snapshot.position(at: .distantFuture) - seconds) < 0.01)
  }

  @Test(arguments: [0, 1, 2], [0, 1, 2]) func `a seek leads from each part into each`(origin: Int, target: Int) throws {
    let parts = try parts()
    let starts = parts.indices.map { index in
      parts[..<index].reduce(0) { $0 + $1.secondsPerSegment * Double($1.segments.count) }
    }
    let server = try serve(parts)
    play(server, from: starts[origin] + 0.2)
    _ = hear { engine.snapshot.state == .playing && engine.snapshot.clock.position > starts[origin] + 0.3 }
    // In the second segment, behind the packets that decoding begins with; a whole number of frames of any part.
    let place = starts[target] + parts[target].secondsPerSegment + 0.1
    engine.send(.seek(to: place))
    let skipped = Int(((place - starts[target]) * Double(parts[target].bytesPerSecond)).rounded())
    let rest = Array(parts[target].samples[skipped...]) + parts[(target + 1)...].flatMap(\.samples)
    // The queued audio is heard until the new place is there.
    expectSame(Array(hear().suffix(rest.count)), rest)
    #expect(begunCount == 1 && failures.isEmpty, "\(failures)")
    let places = notices.compactMap { if case .seeked(let seconds, _) = $0 { seconds } else { nil } }
    #expect(places.last.map { abs($0 - place) < 0.001 } == true, "\(places) for \(place)")
  }

  @Test func `missing segments are skipped with a notice, and the clock stays right`() throws {
    let music = try part("aac-44100-stereo.aac", segmentCount: 6)
    let server = try serve([music], missing: [1, 2, 4])
    play(server)
    let pieces = try [0..<1, 3..<4, 5..<6].map { try samples(of: music.segments[$0].joined(), "aac") }
    expectSame(hear(), pieces.flatMap(\.self))
    #expect(begunCount == 1 && failures.isEmpty, "\(failures)")
    let skipped = notices.compactMap { if case .connection(.skipped(let seconds)) = $0 { seconds } else { nil } }
    let length = music.secondsPerSegment
    #expect(skipped.count == 2 && zip(skipped, [2, 1]).allSatisfy { abs($0 - $1 * length) < 0.001 }, "\(skipped)")
    #expect(abs((engine.snapshot.information.duration ?? 0) - 6 * length) < 0.01)
    #expect(abs(engine.snapshot.position(at: .distantFuture) - 6 * length) < 0.01)
    // A seek into the gap leads to its end.
    play(server)
    _ = hear { engine.snapshot.state == .playing }
    engine.send(.seek(to: 1.5 * length))
    let rest = pieces[1...].flatMap(\.self)
    expectSame(Array(hear().suffix(rest.count)), rest)
    #expect(failures.isEmpty, "\(failures)")
  }

  @Test func `where the first segments are missing, the clock begins behind them, and seeks lead where they should`()
    throws
  {
    let music = try part("aac-44100-stereo.aac", segmentCount: 6)
    let server = try serve([music], missing: [0, 1, 4])
    let length = music.secondsPerSegment
    let pieces = try [2..<4, 5..<6].map { try samples(of: music.segments[$0].joined(), "aac") }
    // From the start, and from within the gap.
    for start in [0, length / 2] {
      play(server, from: start)
      expectSame(hear(), pieces.flatMap(\.self))
      #expect(abs((engine.snapshot.information.duration ?? 0) - 6 * length) < 0.01)
      #expect(abs(engine.snapshot.position(at: .distantFuture) - 6 * length) < 0.01)
    }
    for (target, place) in [(3 * length + 0.1, 3 * length + 0.1), (0, 2 * length)] {
      play(server)
      _ = hear { engine.snapshot.state == .playing }
      #expect(2 * length..<4 * length ~= engine.snapshot.clock.position, "\(engine.snapshot.clock.position)")
      engine.send(.seek(to: target))
      let skipped = Int(((place - 2 * length) * Double(music.bytesPerSecond)).rounded())
      let rest = Array(pieces[0][skipped...] + pieces[1])
      expectSame(Array(hear().suffix(rest.count)), rest)
      let places = notices.compactMap { if case .seeked(let seconds, _) = $0 { seconds } else { nil } }
      #expect(places.last.map { abs($0 - place) < 0.001 } == true, "\(places) for \(place)")
    }
    #expect(begunCount == 4 && failures.isEmpty, "\(failures)")
  }

  @Test func `a played part is closed, with its thread`() throws {
    let music = try part("aac-48000-mono.aac", segmentCount: 1)
    let other = try part("aac-24000-mono.aac", segmentCount: 1)
    let server = try serve((0..<20).flatMap { _ in [music, other] })
    // In a process of its own, where nothing else opens files: 1,000 changes.
    let text = try ChildProcess.output(
      of: [ChildProcess.product("EngineProbe"), "parts", server.address + "/a.m3u8", "26"])
    let lines = text.split(separator: "\n")
    let counts = lines.compactMap { line in
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      return numbers.count == 3 ? (streams: numbers[0], descriptors: numbers[1], threads: numbers[2]) : nil
    }
    #expect(lines.last == "finished" && counts.last?.streams ?? 0 > 1000, "\(lines.suffix(3))")
    let first = try #require(counts.first { $0.streams >= 20 })
    for count in counts where count.streams > first.streams {
      #expect(count.descriptors <= first.descriptors + 10 && count.threads <= first.threads + 5, "\(first), \(count)")
    }
  }

  @Test func `another track at once ends all of it`() throws {
    let parts = try parts()
    let server = try serve(parts)
    play(server)
    _ = hear { engine.snapshot.clock.position > 1.5 }
    engine.send(.play(QueueEntry(id: 7, location: Fixture.location("gapless-1.mp3")), from: 0))
    let samples = try TrackReader(location: Fixture.location("gapless-1.mp3")).rest()
    let heard = hear()
    expectSame(Array(heard.suffix(samples.count)), samples)
    #expect(engine.snapshot.entry?.id == 7 && begunCount == 2)
  }

  // MARK: Live

  @Test func `a station continues, with nothing lost`() throws {
    let parts = try parts()
    let server = try serve(parts, window: 3)
    play(server)
    expectSame(hear(), parts.flatMap(\.samples))
    #expect(begunCount == 1 && failures.isEmpty, "\(failures)")
  }

  @Test func `a station that changes its encoding unasked is asked again`() throws {
    let music = contents(of: Fixture.folder + "/aac-44100-stereo.aac")
    let other = contents(of: Fixture.folder + "/aac-24000-mono.aac")
    let server = try ScriptedServer { request, connection in
      connection.send("ICY 200 OK\r\nicy-name: Radio\r\nContent-Type: audio/aac\r\n\r\n")
      if request.number == 0 { connection.send(music) }
      for _ in 0..<4 { connection.send(other) }
      connection.waitForClient()
    }
    engine.send(.play(QueueEntry(id: 0, location: .url(server.address)), from: 0))
    _ = hear { heard[24_000]?.count ?? 0 > 2 * 24_000 }
    let before = try samples(of: music, "aac")
    expectSame(heard[44_100, default: []], before)
    let after = heard[24_000, default: []]
    expectSame(after, Array(try samples(of: other, "aac").prefix(after.count)))
    #expect(server.requests.count == 2 && begunCount == 1, "\(server.requests.count) requests, \(failures)")
  }

  @Test func `a station that hardly sends sound is not asked for ever`() throws {
    let frames = HLSPlaybackTests.frames(of: "aac-44100-stereo.aac").prefix(10).joined()
    let other = contents(of: Fixture.folder + "/aac-24000-mono.aac")
    let server = try ScriptedServer { _, connection in
      connection.send("ICY 200 OK\r\nContent-Type: audio/aac\r\n\r\n")
      connection.send(frames)
      for _ in 0..<4 { connection.send(other) }
      connection.waitForClient()
    }
    engine.send(.play(QueueEntry(id: 0, location: .url(server.address)), from: 0))
    _ = hear { server.requests.count > 10 }
    #expect(server.requests.count == 2 && failures.count == 1, "\(server.requests.count) requests, \(failures)")
  }
}
