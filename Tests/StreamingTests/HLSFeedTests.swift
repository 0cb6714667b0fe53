import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Synchronization
import TestTraits
import Testing

@testable import Streaming

/// HTTP live streaming as one stream of bytes: on demand and live, over servers that fail.
@Suite(.onThreadsOfTheirOwn)
struct HLSFeedTests {
  /// Frames with the first bytes of ADTS; the rest is never read.
  private let pieces: [[UInt8]] = (0..<6).map { [0xff, 0xf1, 0x50, 0x80] + noise(5000 + 1000 * $0, seed: UInt64($0)) }

  /// A server of these documents; any other path is 404.
  private func serve(
    _ documents: [String: String], also answer: @escaping @Sendable (ScriptedServer.Request) -> Bool = { _ in true }
  ) throws -> ScriptedServer {
    try ScriptedServer { [pieces] request, connection in
      let name = String(request.path.drop { $0 == "/" })
      if !answer(request) {
        connection.sendHead("404 Not Found", ["Content-Length: 0"])
      } else if let text = documents[name] {
        connection.serve(Array(text.utf8), request, type: "application/vnd.apple.mpegurl", tag: nil)
      } else if name == "all.aac" {
        connection.serve(Array(pieces.joined()), request, tag: nil)
      } else if let number = Int(name.prefix { $0 != "." }), pieces.indices.contains(number) {
        connection.serve(pieces[number], request, tag: nil)
      } else {
        connection.sendHead("404 Not Found", ["Content-Length: 0"])
      }
    }
  }

  private func playlist(_ entries: [String], first: Int = 0, hasEnd: Bool = true) -> String {
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
      + entries.map { "#EXTINF:1,\n\($0)\n" }.joined() + (hasEnd ? "#EXT-X-ENDLIST\n" : "")
  }

  /// All bytes of an address.
  private func all(
    _ server: ScriptedServer, _ name: String = "a.m3u8", network: Network = impatientNetwork()
  ) throws -> [UInt8] {
    defer { network.shutDown() }
    let source = try network.open(server.address + "/" + name)
    let bytes = try source.bytes()
    #expect(source.isComplete && source.byteCount == Int64(bytes.count) && !source.isSeekable)
    return bytes
  }

  private func failure(_ documents: [String: String], _ network: Network = impatientNetwork()) throws -> String {
    do {
      _ = try all(try serve(documents), network: network)
      return "none"
    } catch let error as ByteIOError { return error.reason }
  }

  // MARK: On demand

  @Test func `segments on demand are one stream, in their order, once each`() throws {
    let server = try serve(["a.m3u8": playlist((0..<6).map { "\($0).aac" })])
    expectSame(try all(server), Array(pieces.joined()))
    #expect(server.requests.map(\.path) == ["/a.m3u8"] + (0..<6).map { "/\($0).aac" })
  }

  @Test func `byte ranges, with and without their beginnings`() throws {
    var (text, start) = ("#EXTM3U\n#EXT-X-TARGETDURATION:1\n", 0)
    for (index, piece) in pieces.enumerated() {
      text += "#EXTINF:1,\n#EXT-X-BYTERANGE:\(piece.count)" + (index % 2 == 0 ? "@\(start)" : "") + "\nall.aac\n"
      start += piece.count
    }
    expectSame(try all(try serve(["a.m3u8": text + "#EXT-X-ENDLIST\n"])), Array(pieces.joined()))
  }

  @Test func `an ID3 tag before a segment is not part of the audio`() throws {
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 2] + [UInt8](repeating: 7, count: 130)
    let server = try ScriptedServer { [self] request, connection in
      let text = playlist(["0.aac", "1.aac"])
      if request.path == "/a.m3u8" { return connection.serve(Array(text.utf8), request, tag: nil) }
      connection.serve(tag + pieces[request.path == "/0.aac" ? 0 : 1], request, tag: nil)
    }
    expectSame(try all(server), pieces[0] + pieces[1])
  }

  @Test func `the best audio of a master playlist is played`() throws {
    let master = """
      #EXTM3U
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",DEFAULT=YES,URI="sound.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="g"
      video.m3u8
      """
    let both =
      master + "\n#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS=\"mp4a.40.5\"\nlow.m3u8"
      + "\n#EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS=\"mp4a.40.2\"\nhigh.m3u8"
    let lists = ["sound.m3u8": playlist(["1.aac"]), "high.m3u8": playlist(["2.aac"])]
    expectSame(try all(try serve(lists.merging(["a.m3u8": master]) { $1 })), pieces[1])
    expectSame(try all(try serve(lists.merging(["a.m3u8": both]) { $1 })), pieces[2])
    // If it is missing, the next one.
    let other = ["a.m3u8": both, "low.m3u8": playlist(["3.aac"])]
    expectSame(try all(try serve(other)), pieces[3])
    expectSame(try all(try serve(["a.m3u8": both, "sound.m3u8": playlist(["1.aac"])])), pieces[1])
  }

  // MARK: Seeks

  @Test func `a seek fetches the segments at its target, and skips those in between`() throws {
    let server = try serve(["a.m3u8": playlist((0..<6).map { "\($0).aac" })]) {
      !["/1.aac", "/2.aac"].contains($0.path)
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a.m3u8")
    expectSame(try source.bytes(count: pieces[0].count), pieces[0])
    let place = try #require(source.place(atSeconds: 3.5))
    #expect(place.seconds == 3 && !place.isExact)
    expectSame(try source.bytes(at: place.byteOffset), Array(pieces[3...].joined()))
    #expect(source.arrivedShares == [0..<(1.0 / 6), 0.5..<1] && !source.isComplete)
    // Segments that have arrived are found again; at a missing one another reader continues.
    #expect(source.place(atSeconds: 5)?.byteOffset == place.byteOffset + Int64(pieces[3].count + pieces[4].count))
    #expect(source.place(atSeconds: 0.5)?.byteOffset == 0)
    let missing = try #require(source.place(atSeconds: 1)).byteOffset
    #expect(try source.bytes(at: missing).isEmpty)
    #expect(source.continuation(at: missing)?.seconds == 3)
    expectSame(try source.bytes(at: place.byteOffset, count: 100), Array(pieces[3].prefix(100)))
  }

  @Test(arguments: [0, 2000])
  func `seeks to and fro in little memory give the right bytes`(pause: UInt32) throws {
    let server = try serve(["a.m3u8": playlist((0..<60).map { "\($0 % 6).aac" })])
    let network = impatientNetwork { $0.memoryByteLimit = 1 << 16 }
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a.m3u8")
    try source.waitUntilOpen()
    var random = SeededGenerator(seed: 3)
    for _ in 0..<40 {
      let segment = Int.random(in: 0..<60, using: &random)
      let place = try #require(source.place(atSeconds: Double(segment) + 0.5))
      // Meanwhile more of what was read before arrives, and must not take the room.
      usleep(pause)
      let wanted = (segment..<min(60, segment + 3)).flatMap { pieces[$0 % 6] }
      expectSame(try source.bytes(at: place.byteOffset, count: wanted.count), wanted, "\(segment)")
      #expect(source.arrivedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } <= 1 << 16)
    }
    let last = try #require(source.place(atSeconds: 59))
    expectSame(try source.bytes(at: last.byteOffset), pieces[5])
  }

  /// All parts of a stream, each with its time in seconds, and the notices of their readers.
  private func parts(of address: String) throws -> (parts: [(seconds: Double, bytes: [UInt8])], [NetworkNotice]) {
    let network = impatientNetwork()
    defer { network.shutDown() }
    var parts: [(seconds: Double, bytes: [UInt8])] = []
    var notices: [NetworkNotice] = []
    var place: StreamContinuation?
    repeat {
      let source = try network.open(address, from: place)
      let bytes = try source.bytes()
      parts.append((place?.seconds ?? source.missingSeconds, bytes))
      notices += source.takeNotices()
      place = source.continuation(at: Int64(bytes.count))
    } while place != nil
    return (parts, notices)
  }

  @Test(arguments: [[0], [0, 1, 3], [1], [1, 2], [1, 3, 4], [5], [4, 5]], [true, false])
  func `missing segments on demand are skipped with a notice, and the later ones keep their times`(
    missing: [Int], isMarked: Bool
  ) throws {
    let entries = (0..<6).map { isMarked && missing.contains($0) ? "#EXT-X-GAP\n\($0).aac" : "\($0).aac" }
    let server = try serve(["a.m3u8": playlist(entries)]) { request in
      !missing.contains { request.path == "/\($0).aac" }
    }
    let (parts, notices) = try self.parts(of: server.address + "/a.m3u8")
    let there = (0..<6).filter { !missing.contains($0) }
    let begins = there.filter { $0 == 0 || missing.contains($0 - 1) }
    #expect(parts.map(\.seconds) == begins.map(Double.init))
    expectSame(parts.flatMap(\.bytes), there.flatMap { pieces[$0] })
    let gaps = missing.filter { !missing.contains($0 - 1) }.map { first in
      NetworkNotice.skipped(
        seconds: Double(missing.drop { $0 < first }.enumerated().prefix { $0.element == first + $0.offset }.count))
    }
    #expect(notices == gaps)
    #expect(!isMarked || !server.requests.contains { request in missing.contains { request.path == "/\($0).aac" } })
  }

  @Test func `a stream whose rest is gone fails, and is not asked for all of it`() throws {
    let server = try serve(["a.m3u8": playlist((0..<100).map { $0 == 0 ? "0.aac" : "none\($0).aac" })])
    #expect(throws: ByteIOError.self) { try self.parts(of: server.address + "/a.m3u8") }
    #expect(Set(server.requests.map(\.path)).count < 30)
  }

  @Test func `a playlist of streams hands its variables on`() throws {
    let master = """
      #EXTM3U
      #EXT-X-DEFINE:NAME="place",VALUE="far"
      #EXT-X-DEFINE:QUERYPARAM="token"
      #EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS="mp4a.40.2"
      {$place}.m3u8?t={$token}
      """
    let media =
      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-DEFINE:IMPORT=\"token\"\n#EXT-X-DEFINE:IMPORT=\"place\"\n"
      + "#EXTINF:1,\n0.aac?{$token}{$place}\n#EXT-X-ENDLIST\n"
    let server = try ScriptedServer { [self] request, connection in
      switch request.path {
      case "/a.m3u8?token=x%2Fy": connection.serve(Array(master.utf8), request, tag: nil)
      case "/far.m3u8?t=x/y": connection.serve(Array(media.utf8), request, tag: nil)
      case "/0.aac?x/yfar": connection.serve(pieces[0], request, tag: nil)
      default: connection.sendHead("404 Not Found", ["Content-Length: 0"])
      }
    }
    expectSame(try all(server, "a.m3u8?token=x%2Fy"), pieces[0])
    #expect(try failure(["a.m3u8": media]) == "the HLS playlist does not get the variable \"token\"")
  }

  // MARK: Cookies and fields

  @Test func `cookies of a redirect and of a playlist are sent with all that belongs to the stream, and to its host`()
    throws
  {
    let other = Mutex("")
    let key = (1...16).map { UInt8($0 * 7) }
    let server = try ScriptedServer { [self] request, connection in
      let cookies = Set((request.fields["cookie"] ?? "").split(separator: "; "))
      func expect(_ wanted: Set<Substring>) -> Bool {
        if cookies == wanted { return true }
        connection.sendHead("403 Forbidden", ["Content-Length: 0"])
        return false
      }
      switch request.path {
      case "/listen":
        connection.sendHead("302 Found", ["Location: /a.m3u8", "Set-Cookie: way=1; Path=/", "Content-Length: 0"])
      case "/a.m3u8":
        // It is fetched again once it is known to be a playlist, and has set its own cookie then.
        guard cookies.contains("way=1") else {
          connection.sendHead("403 Forbidden", ["Content-Length: 0"])
          return
        }
        let text =
          "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n0.aac\n#EXTINF:1,\n\(other.withLock { $0 })/1.aac\n"
          + "#EXTINF:1,\n2.aac\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXTINF:1,\nsecret\n#EXT-X-ENDLIST\n"
        connection.sendHead("200 OK", ["Content-Length: \(text.utf8.count)", "Set-Cookie: list=2; Path=/; HttpOnly"])
        connection.send(text)
      case "/0.aac":
        guard expect(["way=1", "list=2"]) else { return }
        connection.sendHead("302 Found", ["Location: /there", "Set-Cookie: part=3; Path=/", "Content-Length: 0"])
      case "/there":
        guard expect(["way=1", "list=2", "part=3"]) else { return }
        connection.serve(pieces[0], request, tag: nil)
      // Of another host.
      case "/1.aac": if expect([]) { connection.serve(pieces[1], request, tag: nil) }
      case "/2.aac":
        guard expect(["way=1", "list=2", "part=3"]) else { return }
        connection.sendHead(
          "200 OK",
          ["Content-Length: \(pieces[2].count)", "Set-Cookie: part=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
        connection.send(pieces[2])
      case "/key": if expect(["way=1", "list=2"]) { connection.serve(key, request, tag: nil) }
      default: if expect(["way=1", "list=2"]) { connection.serve([UInt8](repeating: 0, count: 32), request, tag: nil) }
      }
    }
    other.withLock { $0 = server.address.replacing("127.0.0.1", with: "localhost") }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/listen")
    let clear = pieces[..<3].joined()
    expectSame(try source.bytes(count: clear.count), Array(clear))
    // The key arrives; the segment does not fit it.
    #expect { try source.bytes(at: Int64(clear.count), count: 1) } throws: {
      ($0 as? ByteIOError)?.reason.contains("does not fit its key") == true
    }
    // Another stream of the same host has cookies of its own.
    let stranger = try network.open(server.address + "/a.m3u8")
    #expect(throws: ByteIOError.self) { try stranger.waitUntilOpen() }
  }

  @Test func `name, password, program and referrer of an address hold for all of its stream`() throws {
    let other = Mutex("")
    let text = { @Sendable (host: String) in
      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n0.aac\n#EXTINF:1,\n\(host)/1.aac\n#EXT-X-ENDLIST\n"
    }
    let server = try ScriptedServer { [self] request, connection in
      guard request.fields["user-agent"] == "Radio/1 (x)", request.fields["referer"] == "http://page/?a&b",
        (request.fields["authorization"] == "Basic bWU6czNzYW1l") == (request.path != "/1.aac")
      else {
        connection.sendHead("403 Forbidden", ["Content-Length: 0"])
        return
      }
      switch request.path {
      case "/listen": connection.sendHead("302 Found", ["Location: /a.m3u8", "Content-Length: 0"])
      case "/a.m3u8": connection.serve(Array(text(other.withLock { $0 }).utf8), request, tag: nil)
      default: connection.serve(pieces[request.path == "/0.aac" ? 0 : 1], request, tag: nil)
      }
    }
    other.withLock { $0 = server.address.replacing("127.0.0.1", with: "localhost") }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let address = server.address.replacing("//", with: "//me:s3same@") + "/listen"
    let source = try network.open(address + "|User-Agent=Radio/1 (x)&referer=http://page/?a%26b")
    expectSame(try source.bytes(), pieces[0] + pieces[1])
    #expect(throws: ByteIOError.self) { try network.open(address).waitUntilOpen() }
  }

  @Test func `an address of any name that answers with HLS is read as HLS, after a redirect, too`() throws {
    let text = playlist(["0.aac", "1.aac"])
    let server = try ScriptedServer { [self] request, connection in
      switch request.path {
      case "/listen": connection.sendHead("302 Found", ["Location: /far/stream?id=7", "Content-Length: 0"])
      case "/far/stream?id=7": connection.serve(Array(text.utf8), request, type: "text/plain", tag: nil)
      case "/far/0.aac": connection.serve(pieces[0], request, tag: nil)
      default: connection.serve(pieces[1], request, tag: nil)
      }
    }
    expectSame(try all(server, "listen"), pieces[0] + pieces[1])
  }

  @Test func `a playlist whose first bytes do not show its kind is read as HLS`() throws {
    let text = playlist(["0.aac", "1.aac"])
    let server = try ScriptedServer { [self] request, connection in
      guard request.path == "/listen" else {
        return connection.serve(pieces[request.path == "/0.aac" ? 0 : 1], request, tag: nil)
      }
      connection.sendHead("200 OK", ["Content-Length: \(text.utf8.count)"])
      connection.send(text.utf8.prefix(8))
      // It is requested again once its kind is known.
      if request.number == 0 { connection.waitForClient() } else { connection.send(text.utf8.dropFirst(8)) }
    }
    let network = impatientNetwork {
      $0.playlists = PlaylistReading(begins: { $0.starts(with: "#EXTM3U".utf8) }) { _, _ in [] }
    }
    expectSame(try all(server, "listen", network: network), pieces[0] + pieces[1])
  }

  @Test func `a playlist of any name leads to its first playable entry, but not in circles`()
    throws
  {
    let server = try ScriptedServer { [self] request, connection in
      switch request.path {
      case "/a": connection.serve(Array("list /gone /gone.m3u8 /b".utf8), request, type: "audio/x-list", tag: nil)
      case "/gone", "/gone.m3u8": connection.sendHead("404 Not Found", ["Content-Length: 0"])
      case "/b": connection.serve(Array("list 3.aac".utf8), request, type: "text/html", tag: nil)
      case "/c": connection.serve(Array("list /c".utf8), request, tag: nil)
      case "/d": connection.serve(Array("list file:///etc/passwd".utf8), request, tag: nil)
      default: connection.serve(pieces[3], request, tag: nil)
      }
    }
    let network = impatientNetwork {
      $0.playlists = PlaylistReading(begins: { $0.starts(with: "list ".utf8) }) { bytes, address in
        String(decoding: bytes.dropFirst(5), as: UTF8.self).split(separator: " ").map {
          address.resolving(WebAddress(String($0)))
        }
      }
    }
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a")
    expectSame(try source.bytes(), pieces[3])
    #expect(source.isComplete && source.effectiveAddress.path == "/3.aac")
    for (name, words) in [("/c", "too many nested playlists"), ("/d", "has no entries on the network")] {
      let source = try network.open(server.address + name)
      #expect { try source.waitUntilOpen() } throws: { ($0 as? ByteIOError)?.reason.contains(words) == true }
    }
  }

  @Test func `the playlist itself can be read`() throws {
    let text = playlist(["0.aac"])
    let server = try serve(["a.m3u8": text])
    let network = impatientNetwork()
    defer { network.shutDown() }
    expectSame(try network.open(server.address + "/a.m3u8", playlists: .asIs).bytes(), Array(text.utf8))
  }

  // MARK: Bad networks

  @Test func `a segment that is missing once is fetched again`() throws {
    let refusals = Mutex(0)
    let text = playlist((0..<3).map { "\($0).aac" })
    let server = try serve(["a.m3u8": text]) { request in
      request.path != "/1.aac"
        || refusals.withLock { count in
          count += 1
          return count > 1
        }
    }
    expectSame(try all(server), Array(pieces[..<3].joined()))
  }

  @Test func `a segment whose server cannot be reached is fetched again, up to the limit of attempts`() throws {
    let attempts = Mutex(0)
    let text = playlist(["0.aac", "1.aac"])
    let server = try ScriptedServer { [self] request, connection in
      let attempt = attempts.withLock { attempts in
        if request.path == "/1.aac" { attempts += 1 }
        return attempts
      }
      switch request.path {
      case "/a.m3u8": connection.serve(Array(text.utf8), request, tag: nil)
      case "/1.aac" where attempt < 6:
        connection.sendHead("302 Found", ["Location: http://127.0.0.1:1/", "Content-Length: 0"])
      default: connection.serve(pieces[request.path == "/0.aac" ? 0 : 1], request, tag: nil)
      }
    }
    expectSame(try all(server), pieces[0] + pieces[1])
    #expect(attempts.withLock { $0 } == 6)
  }

  /// The end of an outage that is longer than all attempts.
  enum OutageEnd: CaseIterable { case serverReturns, readerHasReadAll, readerWaitsForAll }

  @Test(arguments: OutageEnd.allCases)
  func `an outage on demand is a failure only once the reader needs more than has arrived`(end: OutageEnd) throws {
    let isBack = Atomic(false)
    let isServed = Atomic(false)
    let attempts = Atomic(0)
    let text = playlist((0..<4).map { "\($0).aac" })
    let server = try ScriptedServer { [self] request, connection in
      guard let number = Int(request.path.dropFirst().prefix { $0 != "." }) else {
        return connection.serve(Array(text.utf8), request, tag: nil)
      }
      guard number < 2 || isBack.load(ordering: .relaxed) else {
        attempts.add(1, ordering: .relaxed)
        connection.sendHead("302 Found", ["Location: http://127.0.0.1:1/", "Content-Length: 0"])
        return
      }
      if number == 2 { isServed.store(true, ordering: .relaxed) }
      connection.serve(pieces[number], request, tag: nil)
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a.m3u8")
    // Six attempts by themselves, and one for each step of the reader.
    func stepUntil(_ isEnough: () -> Bool) throws -> Bool {
      try waitUntil {
        _ = try source.bytes(count: 1)
        return isEnough()
      }
    }
    #expect(try stepUntil { attempts.load(ordering: .relaxed) > 10 })
    if end == .serverReturns {
      isBack.store(true, ordering: .relaxed)
      #expect(try stepUntil { isServed.load(ordering: .relaxed) })
      expectSame(try source.bytes(), Array(pieces[..<4].joined()))
    } else {
      if end == .readerWaitsForAll { try limited { source.waitUntilComplete() } }
      let arrived = pieces[0] + pieces[1]
      expectSame(try source.bytes(count: arrived.count), arrived)
      #expect(throws: ByteIOError.self) { try source.bytes(at: Int64(arrived.count)) }
    }
  }

  @Test func `a segment that stalls or is cut is resumed at its last byte`() throws {
    let tries = Mutex(0)
    let server = try ScriptedServer { [self] request, connection in
      let text = playlist(["0.aac", "1.aac"])
      if request.path == "/a.m3u8" { return connection.serve(Array(text.utf8), request, tag: nil) }
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      connection.serve(
        pieces[request.path == "/0.aac" ? 0 : 1], request, tag: "\"1\"", limit: number % 3 == 0 ? .max : 2000)
      if number == 1 { connection.waitForClient() }
    }
    expectSame(try all(server, network: impatientNetwork(limit: 1)), pieces[0] + pieces[1])
  }

  @Test func `unplayable streams are reported with the reason`() throws {
    let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
    func encrypted(_ method: String) -> [String: String] {
      ["a.m3u8": list + "#EXT-X-KEY:METHOD=\(method)\n#EXTINF:1,\n0.aac\n#EXT-X-ENDLIST\n", "k": "no key"]
    }
    #expect(try failure(encrypted("SAMPLE-AES,URI=\"k\"")).contains("is encrypted by SAMPLE-AES"))
    #expect(try failure(encrypted("AES-128,URI=\"file:///etc/machine-id\"")).contains("is encrypted by AES-128"))
    #expect(try failure(encrypted("AES-128,URI=\"none\"")).contains("404"))
    #expect(try failure(encrypted("AES-128,URI=\"k\"")).contains("has 6 bytes instead of 16"))
    #expect(try failure(encrypted("AES-128,URI=\"5.aac\"")).contains("too long"))
    let local = list + "#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"
    #expect(try failure(["a.m3u8": local]) == "the HLS playlist has nothing to play")
    #expect(try failure(["a.m3u8": "<html>"]) == "this is not an HLS playlist")
    #expect(try failure([:]).contains("404"))
    #expect(try failure(["a.m3u8": playlist(["none.aac"])]).contains("404"))
    let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"mp4a.40.2\"\na.m3u8\n"
    #expect(try failure(["a.m3u8": master]) == "nested HLS master playlists")
    let stale = try failure(["a.m3u8": playlist([], hasEnd: false)], impatientNetwork(limit: 5))
    #expect(stale.contains("nothing new"))
  }

  @Test func `thousands of segments and huge durations are read only as far as the reader asks`() throws {
    let many =
      "#EXTM3U\n#EXT-X-TARGETDURATION:999999\n"
      + (0..<20_000).map { "#EXTINF:999999,\n\($0 % 6).aac\n" }.joined() + "#EXT-X-ENDLIST\n"
    let server = try serve(["a.m3u8": many])
    let network = impatientNetwork { $0.memoryByteLimit = 1 << 18 }
    defer { network.shutDown() }
    do {
      let source = try network.open(server.address + "/a.m3u8")
      expectSame(try source.bytes(count: pieces[0].count), pieces[0])
      // Bytes without room wait for the reader.
      let place = Int64(pieces.joined().count) * 3
      expectSame(try source.bytes(at: 0, count: Int(place)), Array((0..<3).flatMap { _ in pieces.joined() }))
      #expect(source.arrivedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } <= 1 << 18)
      #expect(!source.isLive && source.byteCount == nil)
    }
    // The thread ends with its last reader.
    let count = server.requests.count
    #expect(count < 200)
  }

  @Test func `a refused playlist fails at once`() throws {
    let server = try serve(["a.m3u8": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nnone.m3u8"])
    for (name, paths) in [("none.m3u8", ["/none.m3u8"]), ("a.m3u8", ["/none.m3u8", "/a.m3u8", "/none.m3u8"])] {
      let network = impatientNetwork()
      defer { network.shutDown() }
      #expect(throws: ByteIOError.self) { try network.open(server.address + "/" + name).waitUntilOpen() }
      #expect(server.requests.map(\.path) == paths)
    }
  }

  // MARK: Live

  @Test func `a live stream continues as its window slides, without a lost segment`() throws {
    let number = Mutex(0)
    let server = try ScriptedServer { [self] request, connection in
      if request.path == "/a.m3u8" {
        let first = number.withLock { number in
          number += 1
          return min(3, number / 2)
        }
        let text = playlist((first..<first + 3).map { "\($0).aac" }, first: first, hasEnd: first == 3)
        connection.serve(Array(text.utf8), request, tag: nil)
      } else if let number = Int(request.path.dropFirst().prefix { $0 != "." }), number != 4,
        pieces.indices.contains(number)
      {
        connection.serve(pieces[number], request, tag: nil)
      } else {
        connection.sendHead("404 Not Found", ["Content-Length: 0"])
      }
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a.m3u8")
    try source.waitUntilOpen()
    #expect(source.isLive)
    // Number 4 is missing; the last playlist has an end.
    let wanted = pieces[0] + pieces[1] + pieces[2] + pieces[3] + pieces[5]
    expectSame(try source.bytes(count: wanted.count - pieces[5].count), Array(wanted.dropLast(pieces[5].count)))
  }

  @Test(arguments: ["", "<html>", "#EXT"])
  func `a live stream survives an answer that is not a playlist`(answer: String) throws {
    let count = Mutex(0)
    let server = try ScriptedServer { [self] request, connection in
      guard request.path == "/a.m3u8" else {
        return connection.serve(pieces[request.path == "/0.aac" ? 0 : 1], request, tag: nil)
      }
      let turn = count.withLock { count in
        defer { count += 1 }
        return count
      }
      let texts = [playlist(["0.aac"], hasEnd: false), answer, playlist(["0.aac", "1.aac"])]
      connection.serve(Array(texts[min(turn, 2)].utf8), request, tag: nil)
    }
    expectSame(try all(server), pieces[0] + pieces[1])
  }

  @Test func `a server that lags behind the others repeats nothing`() throws {
    // Numbers from 40 on; then an older list, from another server of the station; then the end.
    let windows = [40..<43, 39..<42, 41..<44]
    let count = Mutex(0)
    let server = try ScriptedServer { [self] request, connection in
      guard request.path == "/a.m3u8" else {
        let number = Int(request.path.dropFirst().prefix { $0 != "." }) ?? 0
        return connection.serve(pieces[number % 6], request, tag: nil)
      }
      let turn = count.withLock { count in
        defer { count += 1 }
        return min(count, 2)
      }
      let text = playlist(windows[turn].map { "\($0).aac" }, first: windows[turn].lowerBound, hasEnd: turn == 2)
      connection.serve(Array(text.utf8), request, tag: nil)
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a.m3u8")
    expectSame(try source.bytes(), (40..<44).flatMap { pieces[$0 % 6] })
    #expect(server.requests.count { $0.path == "/41.aac" } == 1)
  }
}
