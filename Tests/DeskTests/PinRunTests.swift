import AudioModel
import ByteIO
import Database
import Glibc
import SoundServerSupport
import Testing
import Threads

@testable import Desk
@testable import Library
@testable import Streaming

/// Pinned tracks that are fetched from a server that the test controls.
struct PinRunTests {
  private let folder: TemporaryFolder
  private let library: MusicLibrary
  private let body = madeMP3(sound: 1, frames: 400)
  private var pinned: PinnedTracks { PinnedTracks(folder: library.folder.appending(PinRun.folder)) }
  private let track = BytePath("segue://home/1")

  init() throws {
    folder = try TemporaryFolder()
    library = try MusicLibrary(folder: BytePath(folder("data")))
  }

  private func network(_ server: ScriptedServer?) -> Network {
    var configuration = NetworkConfiguration()
    configuration.backOff.firstDelay = .milliseconds(1)
    configuration.pinnedFolder = library.folder.appending(PinRun.folder)
    let address = server?.address
    configuration.serverAddress = { track throws(NetworkError) in
      guard let address else { throw NetworkError(.unreachable, "no network") }
      return WebAddress(address + track.path)
    }
    return Network(configuration)
  }

  private func run(_ network: Network, isWanted: @escaping () -> Bool = { true }) throws -> PinRun.Outcome {
    try PinRun(library, network, isWanted: isWanted).run()
  }

  /// The bytes of the track as the player reads them.
  private func bytes(_ network: Network) throws -> [UInt8] {
    let source = try network.open(track.description, playlists: .list)
    try source.waitUntilOpen()
    var bytes = [UInt8](repeating: 0, count: body.count)
    var count = 0
    while count < bytes.count {
      let read = try bytes[count...].withUnsafeMutableBytes { try source.read(into: $0, at: Int64(count)) }
      if read == 0 { break }
      count += read
    }
    return Array(bytes[..<count])
  }

  @Test func `a pinned track is fetched once, and read without the server`() throws {
    let requests = Guarded(0)
    let server = try ScriptedServer { [body] request, connection in
      if request.method == "GET" { requests.withLock { $0 += 1 } }
      connection.serve(body, request)
    }
    try PinStore(library).change([track], isPinned: true)
    let network = network(server)
    defer { network.shutDown() }
    #expect(try run(network).fetchedCount == 1)
    #expect(try PinStore(library).all().map(\.byteCount) == [Int64(body.count)])
    #expect(try run(network).fetchedCount == 0 && requests.withLock { $0 } == 1)
    let offline = self.network(nil)
    defer { offline.shutDown() }
    #expect(try bytes(offline) == body && bytes(network) == body && requests.withLock { $0 } == 1)
    var status = stat()
    for name in try namesInFolder(library.folder.appending(PinRun.folder)) {
      #expect(stat(folder("data/pinned/\(BytePath(name))"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    try PinStore(library).change([track], isPinned: false)
    #expect(try run(offline).failures.isEmpty)
    #expect(try namesInFolder(library.folder.appending(PinRun.folder)).isEmpty)
    #expect(try PinStore(library).all().map(\.byteCount) == [nil])
  }

  @Test func `what was broken off goes on, and files that someone removed are fetched again`() throws {
    let ranges = Guarded<[Int]>([])
    let gate = Guarded(false)
    let server = try ScriptedServer { [body] request, connection in
      guard request.method == "GET" else { return _ = connection.sendHead("200 OK") }
      let isFirst = ranges.withLock { ranges in
        ranges.append(request.range?.first ?? 0)
        return ranges.count == 1
      }
      guard !isFirst else {
        connection.sendHead(
          "200 OK", ["Content-Length: \(body.count)", "Accept-Ranges: bytes", "ETag: \"a\""])
        connection.send(body.prefix(100_000))
        gate.withLock { $0 = true }
        connection.waitForClient()
        return
      }
      connection.serve(body, request, tag: "\"a\"")
    }
    try PinStore(library).change([track], isPinned: true)
    let first = network(server)
    let end = MonotonicTime.now + .seconds(1)
    let outcome = try run(first) { !gate.withLock { $0 } || .now < end }
    first.shutDown()
    #expect(outcome.fetchedCount == 0 && outcome.failures.isEmpty, "it was cancelled")
    let second = network(server)
    defer { second.shutDown() }
    #expect(try run(second).fetchedCount == 1)
    #expect(ranges.withLock { $0.count == 2 && $0[1] > 0 })
    for name in try namesInFolder(library.folder.appending(PinRun.folder)) {
      unlink(folder("data/pinned/\(BytePath(name))"))
    }
    #expect(try run(second).fetchedCount == 1)
  }

  @Test func `the room can be set, and the progress is told`() throws {
    let server = try ScriptedServer { [body] request, connection in connection.serve(body, request) }
    let store = PinStore(library)
    #expect(try store.byteLimit() == 10_000_000_000)
    try store.setByteLimit(Int64(body.count))
    try store.change([track, BytePath("segue://home/2")], isPinned: true)
    let network = network(server)
    defer { network.shutDown() }
    var steps: [[Int]] = []
    let outcome = try PinRun(library, network) { true }.run { steps.append([$1, $2]) }
    #expect(outcome.fetchedCount == 1 && outcome.failures.map(\.reason) == ["pinned tracks have no more room"])
    #expect(steps == [[0, 2], [1, 2]])
  }

  @Test func `a server that sends a byte now and then is too slow`() {
    var speed = PinnedTracks.MinimumSpeed()
    // A kilobyte a second is enough.
    let moments: [(byteCount: Int64, seconds: Double)] = [
      (5000, 0), (5001, 29), (36_000, 30), (36_010, 59), (36_020, 61),
    ]
    let verdicts = moments.map { speed.isTooLow(byteCount: $0.byteCount, at: .zero + .seconds($0.seconds)) }
    #expect(verdicts == [false, false, false, false, true])
  }

  @Test func `what cannot be kept has a reason`() throws {
    let server = try ScriptedServer { [body] request, connection in
      if request.path.hasSuffix("/2") { return _ = connection.sendHead("404 Not Found", ["Content-Length: 0"]) }
      connection.sendHead("200 OK", ["Content-Type: audio/mpeg"])
      connection.send(body)
    }
    let other = BytePath("segue://home/2")
    try PinStore(library).change([track, other], isPinned: true)
    let network = network(server)
    defer { network.shutDown() }
    let reasons = try run(network).failures.map(\.reason)
    #expect(reasons.count == 2 && reasons[1].contains("404"), "\(reasons)")
    let tracks = PinnedTracks(folder: library.folder.appending(PinRun.folder))
    let full = try ScriptedServer { [body] request, connection in connection.serve(body, request) }
    let second = self.network(full)
    defer { second.shutDown() }
    #expect(throws: NetworkError(.unusable, "pinned tracks have no more room")) {
      _ = try tracks.fetch(track.description, over: second, room: 1000) { true }
    }
    let offline = self.network(nil)
    defer { offline.shutDown() }
    #expect(try run(offline).failures.count == 1, "the server is not asked for each track")
  }
}
