import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import Testing

/// More of what bad networks get: what never ends, and what cannot be true.
struct HostileNetworkTests {
  private func network(limit: Double = 60) -> Network {
    impatientNetwork(limit: limit) { $0.memoryByteLimit = 1 << 20 }
  }

  private func failure(_ server: ScriptedServer, limit: Double = 60) -> String {
    let network = network(limit: limit)
    defer { network.shutDown() }
    do {
      let source = try network.open(server.address + "/a.mp3")
      try source.waitUntilOpen()
      return "\(try source.bytes().count) bytes"
    } catch { return "\(error)" }
  }

  @Test func `a head that trickles has no more time than others`() throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X: y\r\n") { usleep(50_000) }
    }
    #expect(failure(server, limit: 1).contains("did not answer for 1.5 s"))
  }

  @Test(arguments: [("60", 0.3), ("0", 0.002), ("soon", 0.002)])
  func `a busy server is left alone for as long as it wants, and no longer than others`(wish: String, limit: Double)
    throws
  {
    let server = try ScriptedServer { request, connection in
      if request.number > 0 { return connection.serve(noise(10), request) }
      connection.sendHead("503 Busy", ["Retry-After: \(wish)", "Content-Length: 0"])
    }
    let network = impatientNetwork { ($0.backOff.firstDelay, $0.backOff.longestDelay) = (0.002, 0.3) }
    defer { network.shutDown() }
    let source = try network.open(server.address)
    #expect(try source.bytes().count == 10)
    guard case .connectionLost(_, let seconds) = source.takeNotices().first else {
      Issue.record("no word of it")
      return
    }
    #expect(wish == "60" ? seconds == limit : seconds <= limit)
  }

  @Test func `answers ahead of the answer have an end`() throws {
    let server = try ScriptedServer { _, connection in
      while connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") {}
    }
    #expect(failure(server).contains("64 KiB"))
  }

  @Test(arguments: ["9223372036854775807", "9223372036854775808", "99999999999999999999999", "-1"])
  func `a length that cannot be ends in the bytes that there are, or in an error`(length: String) throws {
    let body = noise(10_000)
    let server = try ScriptedServer { request, connection in
      guard request.number == 0 else { return connection.refuse() }
      connection.sendHead("200 OK", ["Content-Length: \(length)"])
      connection.send(body)
    }
    let network = network()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a.mp3")
    let outcome = Result { try source.bytes(count: body.count) }
    if case .success(let bytes) = outcome { expectSame(bytes, body) }
    #expect(throws: (any Error).self) {
      let more = try source.bytes(at: Int64(body.count))
      if more.isEmpty { throw ByteIOError(operation: "read", errno: ENODATA) }
    }
  }

  @Test(arguments: ["", "Content-Length: 3000000000\r\n", "Transfer-Encoding: chunked\r\n"])
  func `a body without end takes no more memory than is allowed`(field: String) throws {
    let piece = noise(1 << 16)
    let isChunked = field.contains("chunked")
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n\(field)\r\n")
      let bytes = isChunked ? Array("10000\r\n".utf8) + piece + Array("\r\n".utf8) : piece
      while connection.send(bytes) {}
    }
    let network = network()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a.mp3")
    for number in 0..<160 {
      expectSame(try source.bytes(at: Int64(number) << 16, count: 1 << 16), piece)
      #expect(source.arrivedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } <= 1 << 20)
    }
  }

  @Test func `a redirect to TLS is no way around certificates`() throws {
    let root = try TemporaryFolder()
    let body = noise(50_000)
    try write(body, to: root("a.mp3"))
    let nginx = try Nginx(serving: root.path)
    defer { nginx.end() }
    let secure = nginx.secureAddress
    let server = try ScriptedServer { request, connection in
      connection.sendHead("301 Moved", ["Location: \(secure)/ranges/a.mp3", "Content-Length: 0"])
    }
    // Where nobody vouches for the other end that is said, and nothing of it is read.
    #expect(failure(server).contains("certificate"))
  }
}

extension ScriptedServer.Connection {
  fileprivate func refuse() { sendHead("404 Not Found", ["Content-Length: 0"]) }
}
