import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import Testing
import Threads

/// Several readers of one address while it arrives: it is fetched once, and no reader delays another.
struct SharedReadingTests {
  private let body = noise(1_000_000)

  /// A network with long limits, for a busy machine: no test waits for a time-out.
  private func network(cache: TemporaryFolder? = nil) -> Network {
    impatientNetwork(cache: cache) {
      ($0.connectLimit, $0.headLimit, $0.stallLimit, $0.backOff.longestDelay) = (
        .seconds(120), .seconds(120), .seconds(120), .milliseconds(20)
      )
    }
  }

  /// Sends some bytes, and the rest once `bell` has been rung.
  private func server(sending count: Int, bell: Bell, body: [UInt8]) throws -> ScriptedServer {
    try ScriptedServer { request, connection in
      connection.sendHead("200 OK", ["Content-Length: \(body.count)", "Accept-Ranges: bytes", "ETag: \"1\""])
      connection.send(body[..<count])
      bell.wait()
      connection.send(body[count...])
    }
  }

  @Test(arguments: [true, false]) func `arriving bytes are fetched once for any number of readers`(isKept: Bool) throws
  {
    let bell = Bell()
    let server = try server(sending: 300_000, bell: bell, body: body)
    let folder = isKept ? try TemporaryFolder() : nil
    let network = network(cache: folder)
    defer { network.shutDown() }
    let address = server.address + "/a.mp3"
    // One reader from before the answer, and one from after it.
    let early = [try network.open(address), try network.open(address)]
    for source in early { expectSame(try source.bytes(count: 300_000), Array(body[..<300_000])) }
    let late = try network.open(address)
    expectSame(try late.bytes(at: 1000, count: 5000), Array(body[1000..<6000]))
    #expect(network.arrived(address) == nil && !late.isComplete && late.byteCount == Int64(body.count))
    let rest = (early + [late]).map { source in InBackground { try source.bytes(at: 300_000) } }
    bell.ring()
    for reading in rest { expectSame(try reading.value(), Array(body[300_000...])) }
    #expect(server.requests.count == 1, "\(server.requests)")
    #expect(network.arrived(address) != nil)
  }

  @Test func `a reader that cancels does not disturb the others, and the last one ends the fetch`() throws {
    let (bell, gone) = (Bell(), Bell())
    let body = body
    let server = try ScriptedServer { request, connection in
      connection.sendHead("200 OK", ["Content-Length: \(body.count)"])
      connection.send(body[..<300_000])
      if request.number == 0 { bell.wait() }
      connection.send(body[300_000..<600_000])
      connection.waitForClient()
      gone.ring()
    }
    let network = network()
    defer { network.shutDown() }
    var sources = try (0..<3).map { _ in try network.open(server.address) }
    for source in sources { _ = try source.bytes(count: 300_000) }
    let waiting = [sources[0], sources[1]].map { source in InBackground { try source.bytes(at: 300_000, count: 1) } }
    sources[0].cancel()
    #expect(throws: ByteIOError.self) { try waiting[0].value() }
    expectSame(try sources[0].bytes(at: 200, count: 100), Array(body[200..<300]), "arrived bytes can still be read")
    sources.removeFirst()
    bell.ring()
    #expect(try waiting[1].value() == [body[300_000]])
    expectSame(try sources[1].bytes(count: 600_000), Array(body[..<600_000]))
    #expect(server.requests.count == 1)
    sources = []
    gone.wait()
    let again = try network.open(server.address)
    _ = try again.bytes(count: 10)
    #expect(server.requests.count == 2, "nothing of it was left")
  }

  /// Each request for another place gets a connection that sends only some of it.
  @Test func `a seek of one reader does not starve the other`() throws {
    let body = noise(4_000_000)
    let server = try ScriptedServer { request, connection in
      let start = request.range?.first ?? 0
      switch start {
      case 0: connection.serve(body, request, limit: 100_000)
      case 3_000_000: connection.serve(body, request, limit: 100_000)
      default: return connection.serve(body, request)
      }
      connection.waitForClient()
    }
    let network = network()
    defer { network.shutDown() }
    let (one, other) = (try network.open(server.address), try network.open(server.address))
    expectSame(try one.bytes(count: 100_000), Array(body[..<100_000]))
    expectSame(try other.bytes(at: 3_000_000, count: 100_000), Array(body[3_000_000..<3_100_000]))
    // Both wait now for bytes that their connections do not send.
    let rest = [(one, 100_000), (other, 3_100_000)].map { source, start in
      InBackground { try source.bytes(at: Int64(start), count: 200_000) }
    }
    expectSame(try rest[0].value(), Array(body[100_000..<300_000]))
    expectSame(try rest[1].value(), Array(body[3_100_000..<3_300_000]))
    #expect(server.requests.count { $0.range?.first == 3_000_000 } == 1, "it was asked for, and once")
  }

  @Test func `a changed file fails for all readers`() throws {
    let (body, bell) = (body, Bell())
    let server = try ScriptedServer { request, connection in
      // A reader that opens it after the failure requests it anew.
      if request.number == 0 { bell.wait() }
      connection.serve(
        request.number == 0 ? body : body.reversed(), request, tag: "\"\(request.number)\"", limit: 300_000)
    }
    let network = network()
    defer { network.shutDown() }
    let sources = try (0..<3).map { _ in try network.open(server.address) }
    bell.ring()
    for reading in sources.map({ source in InBackground { try source.bytes() } }) {
      let error = #expect(throws: ByteIOError.self) { try reading.value() }
      #expect(error?.reason.contains("the file on the server has changed") == true)
    }
    #expect(server.requests.count == 3, "\(server.requests)")
  }

  @Test func `readers that must not block are notified of their bytes and of a lost connection`() throws {
    let bells = [Bell(), Bell()]
    let (body, loss) = (body, Bell())
    let server = try ScriptedServer { request, connection in
      connection.serve(body, request, limit: request.number == 0 ? 300_000 : .max)
      // Only readers that are there are notified of it.
      if request.number == 0 { loss.wait() }
    }
    let network = network()
    defer { network.shutDown() }
    let sources = [try network.open(server.address), try network.open(server.address)]
    for (source, bell) in zip(sources, bells) {
      _ = try source.bytes(count: 300_000)
      source.doNotBlock { bell.ring() }
    }
    loss.ring()
    for (source, bell) in zip(sources, bells) {
      // Near enough to wait for arriving bytes.
      while !source.want(1000, from: 400_000) { bell.wait() }
      expectSame(try source.bytes(at: 400_000, count: 1000), Array(body[400_000..<401_000]))
      let losses = source.takeNotices().filter { if case .connectionLost = $0 { true } else { false } }
      #expect(losses.count == 1 && source.takeNotices().isEmpty)
    }
  }
}

/// A blocking function on its own thread.
private final class InBackground<Value: Sendable>: Sendable {
  private let outcome = Guarded<Result<Value, any Error>?>(nil)
  private let thread: WorkerThread

  init(_ body: @escaping @Sendable () throws -> Value) {
    thread = WorkerThread(named: "background") { [outcome] in
      let result = Result { try body() }
      outcome.withLock { $0 = result }
    }
  }

  func value() throws -> Value {
    thread.join()
    guard let result = outcome.withLock({ $0 }) else { throw ByteIOError(operation: "wait", errno: EINVAL) }
    return try result.get()
  }
}
