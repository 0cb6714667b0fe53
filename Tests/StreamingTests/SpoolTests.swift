import AudioModel
import ByteIO
import Glibc
import SoundServerSupport
import Synchronization
import Testing
import Threads

@testable import Streaming

/// Arrived bytes are kept: for seeks, for the next run, offline, and within limits.
struct SpoolTests {
  private let file = noise(600_000)

  private func server(tag: String? = "\"1\"", limit: Int = .max) throws -> ScriptedServer {
    try ScriptedServer { [file] request, connection in connection.serve(file, request, tag: tag, limit: limit) }
  }

  /// The bytes of an address in a separate network.
  private func fetch(_ address: String, _ cache: TemporaryFolder?, at offset: Int64 = 0, count: Int = .max) throws
    -> [UInt8]
  {
    let network = impatientNetwork(cache: cache)
    defer { network.shutDown() }
    let source = try network.open(address)
    try source.waitUntilOpen()
    return try source.bytes(at: offset, count: count)
  }

  @Test func `bytes far ahead are requested, not waited for`() throws {
    let server = try ScriptedServer { [file] request, connection in
      connection.serve(file, request, limit: request.number == 0 ? 1000 : .max)
      if request.number == 0 { connection.waitForClient() }
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address)
    expectSame(try source.bytes(count: 1000), Array(file.prefix(1000)))
    expectSame(try source.bytes(at: 500_000), Array(file.suffix(100_000)))
    #expect(server.requests.count >= 2 && server.requests[1].range?.first == 500_000)
    expectSame(try source.bytes(), file, "the skipped bytes follow")
    #expect(server.requests.count == 3 && source.isComplete)
    #expect(server.requests[2].range?.last == 499_999, "only the gap")
  }

  @Test(arguments: ["\"1\"", nil]) func `the same address again plays from the folder`(tag: String?) throws {
    let cache = try TemporaryFolder()
    let server = try server(tag: tag)
    expectSame(try fetch(server.address, cache), file)
    expectSame(try fetch(server.address, cache), file)
    #expect(server.requests.count == 2, "asked only whether it is still the same")
    #expect(server.requests[1].fields["if-none-match"] == tag)
  }

  @Test func `kept bytes play offline`() throws {
    let cache = try TemporaryFolder()
    var server: ScriptedServer? = try server()
    let address = try #require(server?.address)
    expectSame(try fetch(address, cache), file)
    server = nil
    expectSame(try fetch(address, cache), file)
    #expect(throws: ByteIOError.self) { try fetch(address + "/other", cache) }
  }

  @Test func `a half-fetched file is resumed in the next run`() throws {
    let cache = try TemporaryFolder()
    let server = try ScriptedServer { [file] request, connection in
      connection.serve(file, request, limit: request.number == 0 ? 200_000 : .max)
      if request.number == 0 { connection.waitForClient() }
    }
    _ = try fetch(server.address, cache, count: 200_000)
    expectSame(try fetch(server.address, cache), file)
    #expect(server.requests.count == 2 && server.requests[1].range?.first == 200_000)
  }

  @Test func `another file under the same address is played instead of the old one`() throws {
    let cache = try TemporaryFolder()
    let other = noise(500_000, seed: 3)
    let server = try ScriptedServer { [file] request, connection in
      connection.serve(request.number == 0 ? file : other, request, tag: request.number == 0 ? "\"1\"" : "\"2\"")
    }
    expectSame(try fetch(server.address, cache), file)
    expectSame(try fetch(server.address, cache), other)
    expectSame(try fetch(server.address, cache), other)
  }

  @Test func `a response marked no-store is not kept`() throws {
    let cache = try TemporaryFolder()
    let server = try ScriptedServer { [file] _, connection in
      connection.sendHead("200 OK", ["Content-Length: \(file.count)", "Cache-Control: private, no-store"])
      connection.send(file)
    }
    expectSame(try fetch(server.address, cache), file)
    #expect(names(in: cache("cache")).isEmpty)
  }

  @Test(arguments: [true, false])
  func `bytes on a disk that fills up are played and kept, and further ones go into memory`(hasRanges: Bool) throws {
    let folder = try TemporaryFolder()
    let server = try self.server(hasRanges: hasRanges)
    let disk = try fullDisk(byteCount: 204_800)
    defer { close(disk) }
    let network = impatientNetwork { $0.memoryByteLimit = 100_000 }
    do {
      let address = WebAddress(server.address)
      let spool = Spool(
        descriptor: dup(disk), paths: (BytePath(folder("a.bytes")), BytePath(folder("a.record"))))
      let source = network.begin(
        try NetworkResource(
          AddressTrail(address), of: network, transfers: network.loop(), kind: .file(canRange: true),
          kept: (spool, SpoolRecord(address: address.description)), beginning: nil,
          cookies: CookieJar()))
      expectSame(try source.bytes(), file)
      expectSame(try source.bytes(count: 130_000), Array(file.prefix(130_000)))
      #expect(source.arrivedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } <= 304_800)
    }
    // Writes the record.
    network.shutDown()
    let record = try #require(SpoolRecord(text: String(decoding: contents(of: folder("a.record")), as: UTF8.self)))
    let end = record.present.end(from: 0)
    #expect(130_000...204_800 ~= end && record.present == ByteRanges([0..<end]))
    var kept = [UInt8](repeating: 0, count: Int(end))
    #expect(pread(disk, &kept, kept.count, 0) == kept.count)
    expectSame(kept, Array(file.prefix(kept.count)))
  }

  @Test func `a refusal leaves nothing behind`() throws {
    let cache = try TemporaryFolder()
    let server = try ScriptedServer { _, connection in connection.sendHead("404 Not Found") }
    #expect(throws: ByteIOError.self) { try fetch(server.address, cache) }
    #expect(names(in: cache("cache")).isEmpty)
  }

  @Test func `a damaged record is ignored`() throws {
    let cache = try TemporaryFolder()
    let server = try server()
    _ = try fetch(server.address, cache)
    let record = try #require(names(in: cache("cache")).first { $0.hasSuffix(".record") })
    try write(contents(of: cache("cache/" + record)).dropLast(3), to: cache("cache/" + record))
    expectSame(try fetch(server.address, cache), file)
    #expect(server.requests.last?.fields["if-none-match"] == nil)
    // A file that is shorter than in its record.
    let bytes = record.replacing(".record", with: ".bytes")
    truncate(cache("cache/" + bytes), 1000)
    expectSame(try fetch(server.address, cache), file)
  }

  @Test func `two readers of one address at a time do not disturb each other`() throws {
    let cache = try TemporaryFolder()
    let server = try server()
    let (one, other) = (impatientNetwork(cache: cache), impatientNetwork(cache: cache))
    defer {
      one.shutDown()
      other.shutDown()
    }
    let sources = [try one.open(server.address), try other.open(server.address)]
    for source in sources { expectSame(try source.bytes(), file) }
  }

  @Test func `the folder has a limit, and the least recently used file is deleted first`() throws {
    let cache = try TemporaryFolder()
    let server = try server()
    for name in ["a", "b", "c", "d"] {
      let network = impatientNetwork(cache: cache) { $0.cacheByteLimit = 1_900_000 }
      let source = try network.open(server.address + "/" + name)
      _ = try source.bytes()
      network.shutDown()
      usleep(20_000)  // Times of use come from a coarse clock.
    }
    #expect(names(in: cache("cache")).count { $0.hasSuffix(".bytes") } == 3)
    let before = server.requests.count
    expectSame(try fetch(server.address + "/d", cache), file)
    #expect(server.requests[before].fields["if-none-match"] != nil, "the last one is kept")
    expectSame(try fetch(server.address + "/a", cache), file)
    #expect(server.requests[before + 1].fields["if-none-match"] == nil, "the first one is not")
  }

  private func server(hasRanges: Bool) throws -> ScriptedServer {
    try ScriptedServer { [file] request, connection in
      if hasRanges { return connection.serve(file, request) }
      connection.sendHead("200 OK", ["Content-Length: \(file.count)"])
      connection.send(file)
    }
  }

  @Test(arguments: [true, false])
  func `a spool in memory never exceeds its limit`(hasRanges: Bool) throws {
    let server = try self.server(hasRanges: hasRanges)
    let network = impatientNetwork { $0.memoryByteLimit = 200_000 }
    defer { network.shutDown() }
    let source = try network.open(server.address)
    var random = SeededGenerator(seed: 4)
    for offset in [0, 300_000, 0, 590_000, 100_000] + (0..<5).map({ _ in Int.random(in: 0..<590_000, using: &random) })
    {
      let count = min(150_000, file.count - offset)
      expectSame(try source.bytes(at: Int64(offset), count: count), Array(file[offset..<(offset + count)]))
      let arrived = source.arrivedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
      #expect(arrived <= 200_000)
    }
  }

  @Test(arguments: [true, false])
  func `a transfer that waits for room resumes when the reader jumps to its bytes`(hasRanges: Bool) throws {
    let server = try self.server(hasRanges: hasRanges)
    let network = impatientNetwork { $0.memoryByteLimit = 200_000 }
    defer { network.shutDown() }
    let source = try network.open(server.address)
    _ = try source.bytes(at: 0, count: 100)
    // Until there is no more room for a piece from libcurl, 16 KiB at most.
    #expect(waitUntil { source.arrivedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } > 200_000 - 16_384 })
    let jump = try #require(source.arrivedRanges.last).upperBound + 1000
    let end = Int(jump) + 100_000
    expectSame(try limited { try source.bytes(at: jump, count: 100_000) }, Array(file[Int(jump)..<end]))
  }

  @Test func `a reader that must not block is notified when bytes arrive`() throws {
    // Continues to send once the reader has found nothing.
    let hunger = Bell()
    let server = try ScriptedServer { [file] request, connection in
      connection.sendHead("200 OK", ["Content-Length: 2000"])
      hunger.wait()
      connection.send(file.prefix(1000))
      hunger.wait()
      connection.send(file[1000..<2000])
    }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address)
    let calls = Atomic(0)
    let bell = Bell()
    source.doNotBlock { bell.ring() }
    var bytes: [UInt8] = []
    while true {
      do throws(ByteIOError) {
        let piece = try source.bytes(at: Int64(bytes.count), count: 100)
        if piece.isEmpty { break }
        bytes += piece
      } catch {
        try #require(error.errno == EAGAIN)
        calls.add(1, ordering: .relaxed)
        hunger.ring()
        bell.wait()
      }
    }
    expectSame(bytes, Array(file.prefix(2000)))
    #expect(calls.load(ordering: .relaxed) >= 2)
  }

  @Test func `a wait ends when it is cancelled`() throws {
    let server = try ScriptedServer { _, connection in connection.waitForClient() }
    let network = impatientNetwork()
    defer { network.shutDown() }
    let source = try network.open(server.address)
    let canceller = Canceller(source)
    #expect { try source.waitUntilOpen() } throws: { ($0 as? ByteIOError)?.errno == ECANCELED }
    _ = canceller
  }

  private func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { !$0.hasPrefix(".") }
  }
}
