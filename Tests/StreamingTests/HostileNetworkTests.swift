import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import TestTraits
import Testing

/// Hostile servers: answers without end, and impossible values.
@Suite(.onThreadsOfTheirOwn)
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

  @Test func `a head that trickles gets no extra time`() throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X: y\r\n") { usleep(50_000) }
    }
    #expect(failure(server, limit: 1).contains("did not answer for 1.5 s"))
  }

  @Test(arguments: [
    ("60", 0.3), ("9223372036854775807", 0.3), ("99999999999999999999", 0.3), ("-60", 0.002), ("0", 0.002),
    ("soon", 0.002),
  ])
  func `the delay of a busy server is respected, up to the limit`(wish: String, limit: Double)
    throws
  {
    let server = try ScriptedServer { request, connection in
      if request.number > 0 { return connection.serve(noise(10), request) }
      connection.sendHead("503 Busy", ["Retry-After: \(wish)", "Content-Length: 0"])
    }
    let network = impatientNetwork {
      ($0.backOff.firstDelay, $0.backOff.longestDelay) = (.milliseconds(2), .milliseconds(300))
    }
    defer { network.shutDown() }
    let source = try network.open(server.address)
    #expect(try source.bytes().count == 10)
    guard case .busy(_, let seconds) = source.takeNotices().first else {
      Issue.record("no notice")
      return
    }
    #expect(limit == 0.3 ? seconds == limit : seconds <= limit)
  }

  @Test func `endless informational answers end in an error`() throws {
    let server = try ScriptedServer { _, connection in
      while connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") {}
    }
    #expect(failure(server).contains("64 KiB"))
  }

  @Test(arguments: ["9223372036854775807", "9223372036854775808", "99999999999999999999999", "-1"])
  func `an impossible length ends in the bytes that arrive, or in an error`(length: String) throws {
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

  @Test func `offsets near the largest number are refused for any answer of the server`() throws {
    let server = try ScriptedServer { request, connection in
      guard let range = request.fields["range"] else {
        connection.sendHead("200 OK", ["Accept-Ranges: bytes"])
        return
      }
      let start = range.drop { !$0.isNumber }.prefix { $0.isNumber }
      connection.sendHead(
        "206 Partial Content", ["Content-Range: bytes \(start)-\(Int64.max - 1)/\(Int64.max)"])
      connection.send(noise(1000))
    }
    let network = network()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a.mp3")
    #expect(throws: ByteIOError.self) { try source.bytes(at: .max - 10, count: 1) }
    #expect(throws: ByteIOError.self) { try source.bytes(at: .max, count: 1) }
    source.doNotBlock {}
    for offset in [Int64.min, -1, .max] { _ = source.want(.max, from: offset, step: .max) }
  }

  @Test(arguments: ["", "Content-Length: 3000000000\r\n", "Transfer-Encoding: chunked\r\n"])
  func `an endless body stays within the memory limit`(field: String) throws {
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

  @Test func `certificates are checked after a redirect to TLS`() throws {
    let root = try TemporaryFolder()
    let body = noise(50_000)
    try write(body, to: root("a.mp3"))
    let nginx = try Nginx(serving: root.path)
    defer { nginx.end() }
    let secure = nginx.secureAddress
    let server = try ScriptedServer { request, connection in
      connection.sendHead("301 Moved", ["Location: \(secure)/ranges/a.mp3", "Content-Length: 0"])
    }
    // Without a valid certificate there is an error, and no byte is read.
    #expect(failure(server).contains("the certificate of 127.0.0.1 is not trusted: "))
  }

  @Test func `a server that is not there, or says nothing, is named in a plain sentence`() throws {
    let silent = try ScriptedServer { _, _ in }
    #expect(failure(silent).contains("127.0.0.1 ended the connection without an answer"))
    let network = network(limit: 60)
    defer { network.shutDown() }
    #expect {
      let source = try network.open("http://me:secret@127.0.0.1:1/a.mp3")
      try source.waitUntilOpen()
    } throws: { "\($0)".hasSuffix("nothing answers at 127.0.0.1:1") }
  }
}

extension ScriptedServer.Connection {
  fileprivate func refuse() { sendHead("404 Not Found", ["Content-Length: 0"]) }
}
