import ByteIO
import Glibc
import SoundServerSupport
import Streaming
import Testing

/// Addresses of other kinds, and one that is opened twice.
struct AddressTests {
  /// True if this machine has the loopback address of IPv6.
  static let hasIPv6 = (try? ScriptedServer(isIPv6: true) { _, _ in }) != nil

  @Test(.enabled(if: hasIPv6, "no ::1 here"))
  func `an IPv6 address can be read`() throws {
    let body = noise(300_000)
    let server = try ScriptedServer(isIPv6: true) { request, connection in connection.serve(body, request) }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address + "/a")
    expectSame(try source.bytes(), body)
    #expect(server.requests.first?.fields["host"]?.hasPrefix("[::1]:") == true)
  }

  @Test func `a connection waits besides that of a track on a server, and tells nothing that opens it`() throws {
    let body = noise(300_000)
    let server = try ScriptedServer { request, connection in connection.serve(body, request) }
    let network = impatientNetwork { [address = server.address] in
      $0.serverAddress = { _ in WebAddress(address + "/stream.view?t=secret") }
    }
    defer { network.shutDown() }
    expectSame(try network.open("segue://home/1").bytes(), body)
    #expect(waitUntil { server.requests.contains { $0.method == "HEAD" && $0.path == "/" } }, "\(server.requests)")
    #expect(server.requests.count { $0.path.contains("secret") } == 1)
  }

  @Test(arguments: [true, false]) func `a complete file is read by other readers without another request`(isKept: Bool)
    throws
  {
    let root = try TemporaryFolder()
    let body = noise(300_000)
    try write(body, to: root("a.mp3"))
    let nginx = try Nginx(serving: root.path)
    defer { nginx.end() }
    let folder = isKept ? try TemporaryFolder() : nil
    let network = impatientNetwork(cache: folder)
    defer { network.shutDown() }
    let address = nginx.address + "/ranges/a.mp3"
    #expect(network.arrived(address) == nil, "it has no reader")
    var first: NetworkByteSource? = try network.open(address)
    expectSame(try first?.bytes() ?? [], body)
    first?.waitUntilComplete()
    let second = try network.open(address)
    expectSame(try second.bytes(at: 1000, count: 5000), Array(body[1000..<6000]))
    first?.cancel()
    first = nil
    let third = try network.open(address)
    for source in [second, third] {
      expectSame(try source.bytes(), body)
      #expect(source.isComplete && source.contentType == "audio/mpeg" && source.effectiveAddress.text == address)
    }
    // Another process at the same time has its own spool; neither disturbs the other.
    let other = impatientNetwork(cache: folder)
    expectSame(try other.open(address).bytes(), body)
    other.shutDown()
    expectSame(try third.bytes(), body)
    nginx.end()
    #expect(nginx.requests.count == 2, "\(nginx.requests)")
  }

  @Test func `two processes that read one address both get all of it, and one copy is kept`() throws {
    let body = noise(300_000)
    let folder = try TemporaryFolder()
    let server = try ScriptedServer { request, connection in connection.serve(body, request) }
    let network = impatientNetwork(cache: folder)
    do {
      let (one, other) = (try network.open(server.address + "/a"), try network.open(server.address + "/a"))
      for start in Swift.stride(from: 0, to: body.count, by: 100_000) {
        for source in [one, other] {
          expectSame(try source.bytes(at: Int64(start), count: 100_000), Array(body[start..<(start + 100_000)]))
        }
      }
      one.waitUntilComplete()
      other.waitUntilComplete()
    }
    network.shutDown()
    let again = impatientNetwork(cache: folder)
    defer { again.shutDown() }
    let count = server.requests.count
    expectSame(try again.open(server.address + "/a").bytes(), body)
    #expect(server.requests.dropFirst(count).allSatisfy { $0.fields["if-none-match"] != nil }, "it was kept")
  }
}
