import ByteIO
import SoundServerSupport
import Streaming
import TestTraits
import Testing

/// Radio as SHOUTcast and Icecast send it.
@Suite(.onThreadsOfTheirOwn)
struct LiveTests {
  private let audio = noise(100_000)

  /// The audio with a title before each 10,000 bytes except the first.
  private func interleaved(_ range: Range<Int>) -> [UInt8] {
    var stream: [UInt8] = []
    for start in Swift.stride(from: range.lowerBound, to: range.upperBound, by: 10_000) {
      stream += audio[start..<(start + 10_000)]
      let text = Array("StreamTitle='Title \(start / 10_000 + 1)';".utf8)
      stream += [2] + text + [UInt8](repeating: 0, count: 32 - text.count)
    }
    return stream
  }

  @Test(arguments: ["ICY 200 OK\r\n", "HTTP/1.0 200 OK\r\n"])
  func `a station plays without its metadata, and is rejoined after a lost connection`(status: String) throws {
    let server = try ScriptedServer { [self] request, connection in
      connection.send(status + "icy-metaint: 10000\r\nicy-name: Radio\r\nContent-Type: audio/mpeg\r\n\r\n")
      connection.send(interleaved(request.number == 0 ? 0..<40_000 : 40_000..<100_000))
      if request.number > 0 { connection.waitForClient() }
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address)
    try source.waitUntilOpen()
    #expect(source.isLive && source.byteCount == nil && source.stationName == "Radio")
    expectSame(try source.bytes(count: 5000), Array(audio.prefix(5000)))
    #expect(source.streamTitle == nil)
    expectSame(try source.bytes(at: 5000, count: 95_000), Array(audio.dropFirst(5000)))
    #expect(source.streamTitle == "Title 9" || source.streamTitle == "Title 10", "titles belong to offsets")
    #expect(server.requests.first?.fields["icy-metadata"] == "1")
    #expect(server.requests.last?.fields["range"] == nil)
    let notices = source.takeNotices()
    #expect(notices.count == 2 && notices.last == .rejoined)
  }

  @Test func `a station that is off the air, or whose server is full, is retried`() throws {
    let server = try ScriptedServer { [self] request, connection in
      switch request.number {
      case 0: connection.send("ICY 400 Server Full\r\n\r\n")
      // Its source has left, and with it the address.
      case 2, 3: connection.sendHead("404 Not Found", ["Content-Length: 0"])
      case let number:
        connection.send("ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n")
        connection.send(number == 1 ? audio[..<40_000] : audio[40_000...])
        if number > 1 { connection.waitForClient() }
      }
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address)
    expectSame(try source.bytes(count: audio.count), audio)
    let notices = source.takeNotices()
    #expect(notices.last == .rejoined && server.requests.count == 5, "\(notices)")
    guard case .busy("the server answers 400 Server Full", _) = notices.first else {
      Issue.record("\(notices)")
      return
    }
    // A station that never played is not retried.
    let none = try ScriptedServer { _, connection in connection.sendHead("404 Not Found", ["Content-Length: 0"]) }
    #expect(throws: ByteIOError.self) { try network.open(none.address).waitUntilOpen() }
    #expect(none.requests.count == 1)
  }

  @Test func `a station that ends each connection at once is given up`() throws {
    let server = try ScriptedServer { [audio] _, connection in
      connection.send("ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n")
      connection.send(audio.prefix(1000))
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address)
    #expect(throws: ByteIOError.self) { while try source.bytes(count: 100).count == 100 { _ = try source.bytes() } }
    // On a busy machine some connections are not brief, and the attempts are counted from the start
    // (`FetchMachineTests` has their number).
    #expect(server.requests.count >= 7)
  }

  @Test func `hours of a station take no more memory than minutes`() throws {
    let server = try ScriptedServer { [audio] _, connection in
      connection.send("ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n")
      while connection.send(audio) {}
    }
    let network = impatientNetwork { $0.memoryByteLimit = 1 << 20 }
    defer { network.shutDown() }
    let source = try network.open(server.address)
    var place: Int64 = 0
    for _ in 0..<300 {
      place += Int64(try source.bytes(at: place, count: 100_000).count)
      let arrived = source.arrivedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
      #expect(arrived <= 1 << 20)
    }
    expectSame(try source.bytes(at: place, count: 100_000), audio)
    #expect(throws: ByteIOError.self, "evicted bytes are gone") { try source.bytes(at: 0, count: 1) }
  }
}
