import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import Synchronization
import TestTraits
import Testing
import Threads

/// Bad networks: each case ends in the exact bytes, or in a clear error within its time.
@Suite(.onThreadsOfTheirOwn)
struct BadNetworkTests {
  private let file = noise(300_000)

  /// The result of an address: the bytes, or the error.
  private func fetch(_ server: ScriptedServer, _ path: String = "/a.mp3", network: Network = impatientNetwork()) throws
    -> [UInt8]
  {
    defer { network.shutDown() }
    let source = try network.open(server.address + path)
    try source.waitUntilOpen()
    return try source.bytes()
  }

  private func failure(
    _ server: ScriptedServer, _ path: String = "/a.mp3", network: Network = impatientNetwork()
  ) -> String {
    do {
      return "\(try fetch(server, path, network: network).count) bytes"
    } catch { return "\(error)" }
  }

  // MARK: Drops

  @Test(arguments: ["\"1\"", "W/\"1\"", nil])
  func `a file arrives completely over a connection that is cut ten times`(tag: String?) throws {
    let server = try ScriptedServer { [file] request, connection in
      connection.serve(file, request, tag: tag, limit: request.number < 10 ? 27_001 : .max)
    }
    expectSame(try fetch(server), file)
    #expect(server.requests.count == 11)
    let overlap = tag == "\"1\"" ? 0 : 4096
    #expect(server.requests.dropFirst().first?.range?.first == 27_001 - overlap, "resumed at the byte")
    #expect(server.requests.last?.fields["if-range"] == (overlap == 0 ? tag : nil))
  }

  @Test(arguments: [false, true])
  func `mirrors may have different validators for the same file`(isDeaf: Bool) throws {
    let server = try ScriptedServer { [file] request, connection in
      var request = request
      // Some servers ignore the condition of a request.
      if isDeaf { request.fields["if-range"] = nil }
      connection.serve(file, request, tag: "\"\(request.number)\"", limit: request.number < 10 ? 27_001 : .max)
    }
    expectSame(try fetch(server), file)
    #expect(server.requests.contains { $0.range?.first == 27_001 - 4096 && $0.fields["if-range"] == nil })
  }

  @Test(arguments: ["", "Content-Length: 10000\r\n\r\n"])
  func `a wait for a small document ends`(rest: String) throws {
    let server = try ScriptedServer { request, connection in
      connection.send("HTTP/1.1 200 OK\r\n" + rest)
      while connection.send("a") { usleep(50_000) }
    }
    var configuration = NetworkConfiguration()
    configuration.documentLimit = .milliseconds(300)
    let network = Network(configuration)
    defer { network.shutDown() }
    let error = #expect(throws: ByteIOError.self) { try network.document(server.address, byteLimit: 1 << 20) }
    #expect(error?.reason.contains("the server is too slow") == true, "\(error?.reason ?? "")")
  }

  @Test func `a reset connection is a lost one`() throws {
    let server = try ScriptedServer { [file] request, connection in
      connection.serve(file, request, limit: request.number < 5 ? 40_000 : .max)
      if request.number < 5 { connection.reset() }
    }
    expectSame(try fetch(server), file)
  }

  @Test func `a server without ranges sends the whole file again, which is compared`() throws {
    let server = try ScriptedServer { [file] request, connection in
      connection.sendHead("200 OK", ["Content-Length: \(file.count)"])
      connection.send(file.prefix(request.number < 4 ? (request.number + 1) * 60_000 : .max))
    }
    expectSame(try fetch(server), file)
    #expect(server.requests.count == 5)
  }

  @Test func `a server without ranges that always breaks off at the same byte is given up, with the byte in the error`()
    throws
  {
    let server = try ScriptedServer { [file] _, connection in
      connection.sendHead("200 OK", ["Content-Length: \(file.count)"])
      connection.send(file.prefix(250_000))
    }
    // Too little room for all bytes: those that were read are evicted, and come again with each attempt.
    let network = impatientNetwork { $0.memoryByteLimit = 100_000 }
    defer { network.shutDown() }
    let source = try network.open(server.address)
    expectSame(try source.bytes(count: 250_000), Array(file.prefix(250_000)))
    let reason = try limited {
      do throws(ByteIOError) {
        return "\(try source.bytes(at: 250_000).count) bytes"
      } catch { return error.reason }
    }
    #expect(reason.hasPrefix("6 attempts brought nothing from byte 250000 on: "), "\(reason)")
    #expect(server.requests.count >= 7)
  }

  @Test(arguments: [true, false])
  func `a file that changes while it is read is noticed`(hasTags: Bool) throws {
    let other = noise(300_000, seed: 2)
    let server = try ScriptedServer { [file] request, connection in
      let body = request.number == 0 ? file : other
      let tag = request.number == 0 ? "\"1\"" : "\"2\""
      connection.serve(body, request, tag: hasTags ? tag : nil, limit: request.number == 0 ? 50_000 : .max)
    }
    #expect(failure(server).contains("has changed"))
  }

  @Test(arguments: ["bytes 5-299999/300000", "bytes 0-299999/300000", "bytes START-299999/400000", "nonsense", nil])
  func `wrong ranges are rejected`(answer: String?) throws {
    let server = try ScriptedServer { [file] request, connection in
      guard let range = request.range else {
        return connection.serve(file, request, tag: nil, limit: request.number == 0 ? 27_001 : .max)
      }
      // It sends the bytes that it announces.
      let start = answer.flatMap { Int($0.drop { !$0.isNumber }.prefix { $0.isNumber }) } ?? range.first
      let body = file[start...]
      let fields = answer.map { ["Content-Range: \($0.replacing("START", with: String(range.first)))"] } ?? []
      connection.sendHead("206 Partial Content", fields + ["Content-Length: \(body.count)"])
      connection.send(body)
    }
    let outcome = Result { try fetch(server) }
    if answer?.hasSuffix("400000") == true {
      #expect(throws: (any Error).self, "the file must have changed") { try outcome.get() }
    } else {
      expectSame(try outcome.get(), file)
    }
  }

  // MARK: Lies

  @Test func `a server that never sends the whole body is given up`() throws {
    let server = try ScriptedServer { [file] request, connection in
      let start = request.range?.first ?? 0
      guard start < file.count else { return connection.sendHead("500 Oops").voided }
      connection.sendHead(
        start > 0 ? "206 Partial Content" : "200 OK",
        ["Content-Length: \(400_000 - start)", "Content-Range: bytes \(start)-399999/400000", "ETag: \"1\""])
      connection.send(file[start...])
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a")
    expectSame(try source.bytes(count: file.count), file, "the arrived bytes can be read")
    #expect(throws: ByteIOError.self) { try source.bytes(at: 300_000) }
  }

  @Test func `bytes past the announced length are ignored`() throws {
    let server = try ScriptedServer { [file] _, connection in
      connection.sendHead("200 OK", ["Content-Length: 1000"])
      connection.send(file)
    }
    expectSame(try fetch(server), Array(file.prefix(1000)))
  }

  @Test func `chunks are joined, up to the last one`() throws {
    let server = try ScriptedServer { [file] _, connection in
      connection.sendHead("200 OK", ["Transfer-Encoding: chunked"])
      for start in Swift.stride(from: 0, to: file.count, by: 7001) {
        let chunk = file[start..<min(file.count, start + 7001)]
        connection.send(String(chunk.count, radix: 16) + "\r\n")
        connection.send(chunk)
        connection.send("\r\n")
      }
      connection.send("0\r\nX-Trailer: status: 404\r\n\r\n")
    }
    expectSame(try fetch(server), file)
  }

  @Test(arguments: ["zzz\r\nabc\r\n", "-5\r\nabc\r\n", "FFFFFFFFFFFFFFFFFFFF\r\nabc\r\n", "5\r\nabcdefghijkl"])
  func `chunks of bad sizes end in an error`(chunks: String) throws {
    let server = try ScriptedServer { _, connection in
      connection.sendHead("200 OK", ["Transfer-Encoding: chunked"])
      connection.send(chunks)
    }
    #expect(throws: ByteIOError.self) { try fetch(server) }
  }

  @Test func `a body that is compressed although nobody asked for that is unpacked`() throws {
    // gzip (RFC 1952).
    let packed: [UInt8] = [
      0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0xce, 0x2f, 0xcd, 0x4b, 0x51, 0x28, 0x1e, 0x25,
      0x89, 0x20, 0x01, 0x64, 0xbb, 0x9f, 0x0b, 0x2c, 0x01, 0x00, 0x00,
    ]
    let server = try ScriptedServer { _, connection in
      connection.sendHead(
        "200 OK", ["Content-Length: \(packed.count)", "Content-Encoding: gzip", "Accept-Ranges: bytes"])
      connection.send(packed)
    }
    expectSame(try fetch(server), Array(String(repeating: "sound ", count: 50).utf8))
    #expect(server.requests.map { $0.fields["accept-encoding"] } == ["identity"])
    let broken = try ScriptedServer { _, connection in
      connection.sendHead("200 OK", ["Content-Length: 3", "Content-Encoding: gzip"])
      connection.send("abc")
    }
    #expect(throws: ByteIOError.self) { try fetch(broken) }
  }

  @Test func `where a server stops three times, its length is wrong`() throws {
    let server = try ScriptedServer { [file] _, connection in
      connection.sendHead("200 OK", ["Content-Length: \(file.count + 5000)"])
      connection.send(file)
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a")
    expectSame(try source.bytes(count: file.count + 5000), file)
    #expect(server.requests.count == 3 && source.byteCount == Int64(file.count))
    let isSaid = source.takeNotices().contains { if case .ended = $0 { true } else { false } }
    #expect(isSaid)
  }

  // MARK: Refusals

  @Test(arguments: [("404 Not Found", "the server answers 404 Not Found"), ("403 No", "403"), ("204 Empty", "204")])
  func `a refusal has the server's reason`(status: String, words: String) throws {
    let server = try ScriptedServer { _, connection in
      connection.sendHead(status, ["Content-Length: 9"])
      connection.send("<html>...")
    }
    #expect(failure(server).contains(words))
    #expect(server.requests.count == 1)
  }

  @Test func `a busy server is retried`() throws {
    let server = try ScriptedServer { [file] request, connection in
      if request.number < 3 { connection.sendHead("503 Busy") } else { connection.serve(file, request) }
    }
    expectSame(try fetch(server), file)
  }

  @Test func `a server that stays busy is given up`() throws {
    let server = try ScriptedServer { _, connection in connection.sendHead("503 Busy") }
    #expect(failure(server).contains("503 Busy"))
    #expect(server.requests.count == 7)
  }

  @Test(arguments: ["/b.mp3", "b.mp3", "?x", "SELF/b.mp3"]) func `redirects are followed`(target: String) throws {
    let server = try ScriptedServer { [file] request, connection in
      guard request.path == "/a.mp3" else { return connection.serve(file, request) }
      let host = request.fields["host"] ?? ""
      connection.sendHead("302 Found", ["Location: \(target.replacing("SELF", with: "http://" + host))"])
    }
    expectSame(try fetch(server), file)
  }

  @Test func `an answer that redirects nowhere is an error, and not the audio`() throws {
    let server = try ScriptedServer { _, connection in
      connection.sendHead("302 Found", ["Location:", "Content-Length: 5"])
      connection.send(Array("moved".utf8))
    }
    #expect(failure(server).contains("302 Found"))
  }

  @Test func `a redirect is the answer of a POST request`() throws {
    let server = try ScriptedServer { _, connection in
      connection.sendHead("301 Moved Permanently", ["Location: /b", "Content-Length: 0"])
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let answers = Mailbox<Result<PostAnswer, NetworkError>>()
    let request = try network.send([1], to: WebAddress(server.address), fields: []) { answers.post($0) }
    let answer = try withExtendedLifetime(request) { try #require(answers.take(until: nil).first).get() }
    #expect(answer.status == 301 && answer.field("location") == "/b")
  }

  @Test func `redirects in a circle end in an error`() throws {
    let server = try ScriptedServer { _, connection in connection.sendHead("302 Found", ["Location: /a.mp3"]) }
    #expect(failure(server).contains("too many redirects"))
    #expect(server.requests.count == 11)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://127.0.0.1:1/_x"])
  func `a redirect leads to no other protocol`(target: String) throws {
    let server = try ScriptedServer { _, connection in connection.sendHead("302 Found", ["Location: \(target)"]) }
    #expect(failure(server).contains("it leads to a protocol that is not followed"))
  }

  @Test func `the setting limits the attempts after a lost connection`() throws {
    // Until the reader has read all that has arrived, there is no limit.
    let isDry = Bell()
    let server = try ScriptedServer { [file] request, connection in
      if request.number == 1 { isDry.wait() }
      connection.serve(file, request, limit: request.number == 0 ? 1000 : 0)
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    network.setTryLimit(3)
    let source = try network.open(server.address)
    expectSame(try source.bytes(count: 1000), Array(file.prefix(1000)))
    isDry.ring()
    #expect(throws: ByteIOError.self) { try source.bytes(at: 1000) }
    #expect(server.requests.count == 4)
  }

  @Test func `an outage longer than all attempts is not a failure while the reader has bytes`() throws {
    let isBack = Atomic(false)
    let isServed = Atomic(false)
    let server = try ScriptedServer { [file] request, connection in
      let isAway = request.number > 0 && !isBack.load(ordering: .relaxed)
      if request.number > 0, !isAway { isServed.store(true, ordering: .relaxed) }
      connection.serve(file, request, limit: request.number == 0 ? 200_000 : isAway ? 0 : .max)
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address)
    // Six attempts by themselves, and one for each step of the reader.
    func stepUntil(_ isEnough: () -> Bool) throws -> Bool {
      try waitUntil {
        _ = try source.bytes(count: 1)
        return isEnough()
      }
    }
    #expect(try stepUntil { server.requests.count > 10 })
    isBack.store(true, ordering: .relaxed)
    #expect(try stepUntil { isServed.load(ordering: .relaxed) })
    expectSame(try source.bytes(), file)
  }

  // MARK: Silence

  @Test func `a silent server is given up after the time limit`() throws {
    let server = try ScriptedServer { _, connection in connection.waitForClient() }
    #expect(failure(server, network: impatientNetwork(limit: 1)).contains("did not answer for 1.5 s"))
  }

  @Test func `a stalled transfer is resumed by another request`() throws {
    let server = try ScriptedServer { [file] request, connection in
      connection.serve(file, request, limit: request.number == 0 ? 100_000 : .max)
      if request.number == 0 { connection.waitForClient() }
    }
    expectSame(try fetch(server, network: impatientNetwork(limit: 1)), file)
  }

  @Test func `a slow stream that never stalls is read`() throws {
    let server = try ScriptedServer { [file] _, connection in
      connection.sendHead("200 OK", ["Content-Length: 40"])
      for byte in file.prefix(40) {
        connection.send([byte])
        usleep(1000)
      }
    }
    expectSame(try fetch(server), Array(file.prefix(40)))
  }

  @Test func `an endless head ends in an error`() throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X-More: \(String(repeating: "x", count: 500))\r\n") {}
    }
    #expect(failure(server).contains("64 KiB"))
  }

  @Test func `an answer that is not HTTP is reported`() throws {
    let server = try ScriptedServer { _, connection in connection.send("220 mail.example.org ESMTP\r\n\r\n") }
    #expect(throws: ByteIOError.self) { try fetch(server) }
  }

  @Test func `a TLS handshake that never begins is given up after the time limit`() throws {
    // It listens and never sends a byte.
    let server = try ScriptedServer { _, connection in connection.waitForClient() }
    let network = impatientNetwork { $0.connectLimit = .seconds(1) }
    defer { network.shutDown() }
    let source = try network.open(server.address.replacing("http:", with: "https:"))
    #expect(throws: ByteIOError.self) { try source.waitUntilOpen() }
  }

  @Test func `a TLS handshake that arrives byte by byte is given up after the time limit`() throws {
    let server = try ScriptedServer(isRude: true) { _, connection in
      // A record of a handshake, 16 KiB long (RFC 8446 5.1): more than a minute of bytes.
      connection.send([22, 3, 3, 64, 0, 2])
      for _ in 0..<1500 where connection.send([0]) { usleep(50_000) }
    }
    let network = impatientNetwork { $0.connectLimit = .seconds(1) }
    defer { network.shutDown() }
    let source = try network.open(server.address.replacing("http:", with: "https:"))
    let error = #expect(throws: ByteIOError.self) { try source.waitUntilOpen() }
    // The error is not that the server closed the connection.
    #expect(error?.reason.contains("time") == true, "\(String(describing: error))")
  }

  @Test func `a server without TLS is reported at once`() throws {
    let server = try ScriptedServer(isRude: true) { _, connection in
      connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClient()
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address.replacing("http:", with: "https:"))
    #expect(throws: ByteIOError.self) { try source.waitUntilOpen() }
    #expect(server.requests.count == 1, "it is not asked again")
  }

  @Test func `a missing server is reported at once`() throws {
    let port = KeptPort()
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open("http://127.0.0.1:\(port.number)")
    #expect { try source.waitUntilOpen() } throws: {
      "\($0)".contains("cannot open: nothing answers at 127.0.0.1:\(port.number)")
    }
  }

  // MARK: Secrets

  @Test func `name and password go to the server, and into no message`() throws {
    let server = try ScriptedServer { _, connection in connection.sendHead("401 Unauthorized") }
    let address = server.address.replacing("//", with: "//me:s%65cret@") + "/a"
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(address)
    #expect { try source.waitUntilOpen() } throws: { !"\($0)".contains("cret") && "\($0)".contains("401") }
    #expect(server.requests.first?.fields["authorization"] == "Basic bWU6c2VjcmV0")
    #expect(throws: NetworkError.self) { try network.open("file:///etc/passwd") }
  }
}

extension Bool {
  /// No value, for tests of errors only.
  fileprivate var voided: Void { () }
}
