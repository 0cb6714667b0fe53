import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import TestTraits
import Testing

@testable import Playback

/// Seeks in HTTP live streaming on demand, as the reader of the player and of `decode` sees them.
@Suite(.onThreadsOfTheirOwn)
struct HLSPlaybackTests {
  private static let name = "aac-44100-stereo.aac"
  private let frames: [[UInt8]]

  init() { frames = Self.frames(of: Self.name) }

  /// A fixture's frames of ADTS.
  static func frames(of name: String) -> [[UInt8]] {
    let body = contents(of: Fixture.folder + "/" + name)
    var (frames, place) = ([[UInt8]](), 0)
    while place + 7 <= body.count {
      let size = Int(body[place + 3] & 3) << 11 | Int(body[place + 4]) << 3 | Int(body[place + 5]) >> 5
      frames.append(Array(body[place..<min(place + size, body.count)]))
      place += max(7, size)
    }
    return frames
  }

  /// A tag with the time of a frame, from 10 s before the clock goes round on.
  private func clock(ofFrame frame: Int) -> [UInt8] {
    let time = (UInt64(1 << 33 - 900_000) + UInt64((Double(frame) * 1024 * 90_000 / 44_100).rounded())) & (1 << 33 - 1)
    let content =
      Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
      + (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(content.count + 10)] + Array("PRIV".utf8)
      + [0, 0, 0, UInt8(content.count), 0, 0] + content
  }

  /// A server of segments of 20 frames, of which some are not there. `scale`: what the playlist makes of a second.
  private func serve(
    hasClocks: Bool, scale: Double = 1, start: Double = 0, hasSegment: @escaping @Sendable (Int) -> Bool
  ) throws -> ScriptedServer {
    let count = (frames.count + 19) / 20
    let text =
      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-START:TIME-OFFSET=\(start)\n"
      + (0..<count).map { "#EXTINF:\(scale * 20 * 1024 / 44_100),\n\($0).aac\n" }.joined() + "#EXT-X-ENDLIST\n"
    return try ScriptedServer { request, connection in
      guard let segment = Int(request.path.dropFirst().prefix { $0 != "." }) else {
        return connection.serve(Array(text.utf8), request)
      }
      guard hasSegment(segment) else {
        connection.sendHead("404 Not Found", ["Content-Length: 0"])
        return
      }
      let tag = hasClocks ? clock(ofFrame: segment * 20) : []
      connection.serve(tag + Array(frames[(segment * 20)..<min(frames.count, segment * 20 + 20)].joined()), request)
    }
  }

  private func expectSame(_ one: [UInt8], _ other: [UInt8], _ comment: Comment? = nil) {
    let isSame = identical(one, other)
    #expect(isSame && !one.isEmpty, comment ?? "\(one.count) for \(other.count)")
  }

  private func impatientNetwork() -> Network {
    var configuration = NetworkConfiguration()
    configuration.backOff.firstDelay = .milliseconds(1)
    return Network(configuration)
  }

  private func local(from frame: Int64) throws -> [UInt8] {
    let reader = try TrackReader(location: Fixture.location(Self.name))
    _ = try reader.seek(toFrame: frame)
    return try reader.rest()
  }

  @Test(arguments: [1.0, 0.6, 1.5]) func `segments are found exactly by their clocks even if the playlist is wrong`(
    scale: Double
  ) throws {
    let server = try serve(hasClocks: true, scale: scale) { _ in true }
    let network = impatientNetwork()
    defer { network.shutDown() }
    for frame in [101_234, 30_000, 200_001, 43_008] as [Int64] {
      let reader = try TrackReader(location: .url(server.address + "/a.m3u8"), network: network)
      #expect(reader.information.duration ?? 0 > 0 && reader.information.durationIsEstimated)
      #expect(try reader.seek(toFrame: frame) == frame)
      expectSame(try reader.rest(), try local(from: frame), "\(frame)")
      #expect(!reader.positionIsEstimated && reader.damage == nil)
      // And back, and forth.
      for other in [5_000, 150_000, 60_000] as [Int64] {
        #expect(try reader.seek(toFrame: other) == other)
        expectSame(try reader.rest(), try local(from: other), "\(other) after \(frame)")
      }
    }
  }

  @Test(arguments: [2.5, -1.25, 0, 1000]) func `it begins at the position in the playlist, also after another track`(
    start: Double
  ) throws {
    let server = try serve(hasClocks: true, start: start) { _ in true }
    let network = impatientNetwork()
    let output = HandCrankedOutput()
    let engine = PlaybackEngine(output: output, network: network) {}
    defer {
      engine.shutDown()
      network.shutDown()
    }
    let entries = (0..<2).map { QueueEntry(id: $0, location: .url(server.address + "/a.m3u8")) }
    func heard(from seconds: Double) -> [UInt8] {
      var bytes: [UInt8] = []
      var hasBegun = false
      engine.send(.play(entries[0], from: seconds))
      for _ in 0..<20_000 {
        engine.settle(within: .seconds(60))
        for notice in engine.takeNotices() {
          if case .needsNext(let id) = notice { engine.send(.setNext(id == 0 ? entries[1] : nil, after: id)) }
          if case .trackBegan = notice { hasBegun = true }
        }
        if hasBegun, engine.snapshot.state == .stopped { break }
        if output.stream?.turn(frames: 2048) ?? 0 == 0 { usleep(1000) }
        bytes += output.stream?.takeBytes() ?? []
      }
      return bytes
    }
    let all = Double((frames.count + 19) / 20 * 20 * 1024)
    let place = Int64((start < 0 ? all + start * 44_100 : start * 44_100).rounded())
    let whole = try local(from: place > 0 && Double(place) < all ? place : 0)
    expectSame(heard(from: 0), whole + whole)
    // The listener's wish goes first.
    expectSame(heard(from: 1), try local(from: 44_100) + whole)
  }

  @Test func `segments before the place are not fetched, and need not exist`() throws {
    let begin = 5 * 20 * 1024 / 44_100.0
    let server = try serve(hasClocks: true) { $0 == 0 || $0 > 4 }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let reader = try TrackReader(location: .url(server.address + "/a.m3u8"), network: network)
    _ = try reader.seek(toFrame: 160_000)
    expectSame(try reader.rest(), try local(from: 160_000))
    // The search for what follows the missing one asks for each once.
    #expect(server.requests.count { ["/2.aac", "/3.aac", "/4.aac", "/5.aac"].contains($0.path) } <= 4)
    // There another reader continues with the next one that exists; elsewhere it continues itself.
    _ = try reader.seek(toFrame: 50_000)
    #expect(try reader.rest().isEmpty)
    #expect(reader.continuation?.seconds.map { abs($0 - begin) < 0.001 } == true)
    _ = try reader.seek(toFrame: 160_000)
    expectSame(try reader.rest(), try local(from: 160_000))
  }

  @Test func `without clocks the place is an estimate, and is said to be one`() throws {
    let server = try serve(hasClocks: false) { $0 == 0 || $0 > 4 }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let reader = try TrackReader(location: .url(server.address + "/a.m3u8"), network: network)
    _ = try reader.seek(toFrame: 160_000)
    // These durations happen to be right.
    expectSame(try reader.rest(), try local(from: 160_000))
    #expect(reader.positionIsEstimated)
    _ = try reader.seek(toFrame: 5_000)
    #expect(!reader.positionIsEstimated)
  }
}
