import AudioModel
import ByteIO
import Testing
import Threads

@testable import Streaming

/// The decisions of `FetchMachine`, without a server: events in, effects out.
struct FetchMachineTests {
  private static let address = WebAddress("http://host/a.mp3")
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private func machine(
    kind: ResourceKind = .file(canRange: true), playlists: PlaylistHandling = .asIs, kept: SpoolRecord? = nil,
    keptPlaylist: PlaylistKind? = nil, memory: Int64 = 1 << 20, tries: Int = 3
  ) -> FetchMachine {
    var backOff = BackOff()
    (backOff.firstDelay, backOff.longestDelay, backOff.limit) = (.seconds(1), .seconds(10), tries)
    let contents = SpoolContents(
      kept ?? SpoolRecord(address: Self.address.description), budget: SpoolBudget(byteLimit: memory),
      isKept: kept != nil, limits: .init(cacheByteCount: 1 << 20, memoryByteCount: memory))
    return FetchMachine(
      AddressTrail(Self.address, handling: playlists), kind: kind, contents: contents, keptPlaylist: keptPlaylist,
      retries: Retries(backOff, seed: 1))
  }

  private func head(_ status: String, _ fields: String...) throws -> FetchEvent {
    var head = try #require(HTTPResponseHead(statusLine: "HTTP/1.1 " + status))
    for field in fields { head.add(field) }
    return .head(head)
  }

  private func request(_ range: Range<Int64>? = nil, isOpenEnded: Bool = true, _ fields: String...) -> TransferRequest {
    TransferRequest(address: Self.address, range: range, isOpenEnded: isOpenEnded, fields: fields)
  }

  /// A machine that has a head and the first `count` of 1000 bytes.
  private func playing(_ count: Int64 = 100, _ fields: String...) throws -> FetchMachine {
    var machine = machine()
    _ = machine.handle(.begin, at: start)
    var head = try #require(HTTPResponseHead(statusLine: "HTTP/1.1 200 OK"))
    for field in ["Content-Length: 1000", "Accept-Ranges: bytes"] + fields { head.add(field) }
    _ = machine.handle(.head(head), at: start)
    _ = machine.handle(.stored(0..<count, newByteCount: count), at: start)
    return machine
  }

  private func kept(_ ranges: [Range<Int64>], tag: String? = nil) -> SpoolRecord {
    var record = SpoolRecord(address: Self.address.description)
    (record.length, record.validator.entityTag, record.present) = (1000, tag, ByteRanges(ranges))
    return record
  }

  // MARK: Files

  @Test func `a file is requested, opened by its head, and complete at its end`() throws {
    var machine = machine()
    #expect(machine.handle(.begin, at: start) == [.request(request(), at: .zero)])
    #expect(machine.handle(try head("200 OK", "Content-Length: 1000"), at: start) == [.notify(isNews: true)])
    #expect(machine.isOpen && machine.record.length == 1000)
    #expect(machine.handle(.bytes(1000, reader: 0), at: start) == [], "there is room")
    #expect(machine.transfer?.destination(of: 2000, machine.record.length) == 0..<1000, "nothing lies past the end")
    #expect(machine.handle(.stored(0..<1000, newByteCount: 1000), at: start) == [])
    #expect(machine.handle(.ended(nil), at: start) == [.plan, .notify(isNews: false)])
    #expect(machine.isComplete && machine.transfer == nil)
    #expect(machine.handle(.demand(reader: 0), at: start) == [])
  }

  @Test func `a seek requests the bytes at its target`() throws {
    var machine = machine()
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(
      try head("200 OK", "Content-Length: 9000000", "Accept-Ranges: bytes", "ETag: \"1\""), at: start)
    _ = machine.handle(.stored(0..<100, newByteCount: 100), at: start)
    let target = request(5_000_000..<Int64.max, isOpenEnded: true, "If-Range: \"1\"")
    #expect(machine.handle(.demand(reader: 5_000_000), at: start) == [.request(target, at: .zero)])
    let part = try head("206 Partial Content", "Content-Range: bytes 5000000-8999999/9000000")
    #expect(machine.handle(part, at: start) == [])
    #expect(machine.transfer?.destination(of: 10, machine.record.length) == 5_000_000..<5_000_010)
  }

  /// A machine that has the first 100 bytes of a resource of unknown length, and requests those from 500,000 on.
  private func seeking() throws -> FetchMachine {
    var machine = machine()
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(try head("200 OK", "Accept-Ranges: bytes", "ETag: \"1\""), at: start)
    _ = machine.handle(.stored(0..<100, newByteCount: 100), at: start)
    _ = machine.handle(.delivered, at: start)
    _ = machine.handle(.demand(reader: 500_000), at: start)
    return machine
  }

  @Test func `the end of a gap is not the end of a resource of unknown length`() throws {
    var machine = try seeking()
    _ = machine.handle(try head("206 Partial Content", "Content-Range: bytes 500000-500099/*"), at: start)
    _ = machine.handle(.stored(500_000..<500_100, newByteCount: 100), at: start)
    let gap = request(100..<500_000, isOpenEnded: false, "If-Range: \"1\"")
    #expect(machine.handle(.demand(reader: 100), at: start) == [.request(gap, at: .zero)])
    _ = machine.handle(try head("206 Partial Content", "Content-Range: bytes 100-499999/*"), at: start)
    _ = machine.handle(.stored(100..<500_000, newByteCount: 499_900), at: start)
    #expect(machine.handle(.ended(nil), at: start) == [.plan, .notify(isNews: false)])
    #expect(machine.record.length == nil && machine.isOpen)
  }

  @Test func `a request past the end shows the length`() throws {
    var machine = try seeking()
    _ = machine.handle(try head("416 Range Not Satisfiable", "Content-Range: bytes */400"), at: start)
    #expect(machine.record.length == 400 && machine.knownEnd(from: 500_000) == 400)
    _ = machine.handle(.ended(nil), at: start)
    #expect(machine.isOpen && machine.kind.canRange && machine.transfer == nil)
  }

  @Test func `a lost connection is tried again, later each time, until the limit`() throws {
    var machine = try playing()
    for attempt in 1...3 {
      let effects = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
      guard case .note(.connectionLost("gone", let seconds))? = effects.first else {
        Issue.record("\(effects)")
        return
      }
      let longest = Double(1 << (attempt - 1))
      #expect((longest / 2)...longest ~= seconds)
      #expect(effects.dropFirst() == [.plan, .notify(isNews: false)])
      #expect(machine.retries.time == start + .seconds(seconds) && machine.retries.attempt == attempt)
      // Without a validator the bytes before the gap are compared, here all of them.
      #expect(
        machine.handle(.demand(reader: 100), at: start)
          == [.request(request(), at: machine.retries.time)])
    }
    #expect(machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start) == [.notify(isNews: false)])
    #expect(
      machine.phase == .failed(NetworkError(.interrupted, "3 attempts brought nothing from byte 100 on: gone")))
  }

  @Test func `while no reader waits, the limit ends nothing, and a step of the reader leads to another attempt`() throws
  {
    var machine = try playing()
    var backOff = BackOff()
    (backOff.longestDelay, backOff.limit) = (.seconds(10), 1)
    machine.use(backOff, isAwaited: false)
    for attempt in 1...5 {
      let effects = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
      #expect(machine.isOpen && effects.contains(.plan) == (attempt == 1))
      let isAnnounced = effects.contains { if case .note(.connectionLost) = $0 { true } else { false } }
      #expect(isAnnounced == (attempt == 1), "no attempt is promised that a pause puts off")
      #expect(attempt == 1 || machine.retries.time == start + .seconds(10))
      #expect(machine.handle(.demand(reader: 10), at: start) == [.request(request(), at: machine.retries.time)])
    }
    machine.use(backOff, isAwaited: true)
    _ = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
    #expect(machine.failure(at: 100)?.message == "5 attempts brought nothing from byte 100 on: gone")
  }

  @Test func `new bytes reset the count of failures`() throws {
    var machine = try playing()
    _ = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
    _ = machine.handle(.demand(reader: 100), at: start)
    _ = machine.handle(.stored(0..<100, newByteCount: 0), at: start)
    #expect(machine.retries.attempt == 1, "those bytes had arrived before")
    _ = machine.handle(.stored(100..<101, newByteCount: 1), at: start)
    #expect(machine.retries.attempt == 0 && machine.retries.time == .zero)
  }

  @Test func `the delay of a busy server is respected`() throws {
    var machine = machine()
    _ = machine.handle(.begin, at: start)
    let effects = machine.handle(try head("503 Busy", "Retry-After: 7"), at: start)
    #expect(
      effects == [
        .note(.busy(reason: "the server answers 503 Busy", retrySeconds: 7)),
        .request(request(), at: start + .seconds(7)), .notify(isNews: false),
      ])
    #expect(machine.isBusy)
    _ = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
    #expect(!machine.isBusy)
  }

  @Test func `a refusal fails at once`() throws {
    var machine = machine()
    _ = machine.handle(.begin, at: start)
    #expect(machine.handle(try head("404 Not Found"), at: start) == [.cancel, .notify(isNews: false)])
    #expect(machine.phase == .failed(NetworkError(.refused(status: 404), "the server answers 404 Not Found")))
  }

  @Test func `bytes that differ end playback and clear the spool`() throws {
    var machine = try playing()
    #expect(machine.handle(.mismatch, at: start) == [.clearSpool, .cancel, .notify(isNews: false)])
    #expect(machine.record.present.isEmpty && machine.failure(at: 0)?.kind == .changed)
  }

  @Test func `a server that ignores ranges is read in order`() throws {
    var machine = try playing()
    _ = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
    _ = machine.handle(.demand(reader: 900), at: start)
    _ = machine.handle(try head("206 Partial Content", "Content-Range: bytes 77-999/1000"), at: start)
    #expect(machine.kind.comesInOrder && machine.transfer?.start == 0)
  }

  // MARK: Kept bytes

  @Test func `a complete copy is only validated`() throws {
    var machine = machine(kept: kept([0..<1000], tag: "\"1\""))
    let validation = request(nil, isOpenEnded: true, "If-None-Match: \"1\"")
    #expect(machine.handle(.begin, at: start) == [.request(validation, at: .zero)])
    #expect(machine.handle(try head("304 Not Modified"), at: start) == [.notify(isNews: true)])
    #expect(machine.handle(.ended(nil), at: start) == [.save, .plan, .notify(isNews: false)])
    #expect(machine.isComplete)
  }

  @Test func `another version replaces the copy before anything was played`() throws {
    var machine = machine(kept: kept([0..<1000], tag: "\"1\""))
    _ = machine.handle(.begin, at: start)
    let effects = machine.handle(try head("200 OK", "Content-Length: 500", "ETag: \"2\""), at: start)
    #expect(effects == [.clearSpool, .makeRoom(500), .notify(isNews: true)])
    #expect(machine.record.length == 500 && machine.record.present.isEmpty)
  }

  @Test(arguments: [("206 Partial Content", "bytes 100-499/500"), ("416 Range Not Satisfiable", "bytes */50")])
  func `a copy whose rest is of another version is requested again before it opens`(
    status: String, range: String
  ) throws {
    var machine = machine(kept: kept([0..<100], tag: "\"1\""))
    _ = machine.handle(.begin, at: start)
    let effects = machine.handle(try head(status, "Content-Range: \(range)", "ETag: \"2\""), at: start)
    #expect(effects.last == .request(request(), at: .zero) && machine.isOpening)
    _ = machine.handle(try head("200 OK", "Content-Length: 500", "ETag: \"2\""), at: start)
    #expect(machine.isOpen && machine.record.length == 500 && machine.record.present.isEmpty)
  }

  @Test func `offline, a copy is played`() throws {
    var machine = machine(kept: kept([0..<1000], tag: "\"1\""))
    _ = machine.handle(.begin, at: start)
    let effects = machine.handle(.ended(NetworkError(.unreachable, "no network")), at: start)
    #expect(machine.isOpen && effects == [.notify(isNews: true), .notify(isNews: false)])
  }

  @Test func `without a copy, an unreachable server fails at once`() throws {
    var machine = machine()
    _ = machine.handle(.begin, at: start)
    let error = NetworkError(.unreachable, "no network")
    #expect(machine.handle(.ended(error), at: start) == [.notify(isNews: false)])
    #expect(machine.failure == error)
  }

  // MARK: Room

  /// A machine for the cache folder that has a head and the first `count` of 1000 bytes, and whose disk is full.
  private func full(after count: Int64, memory: Int64) throws -> FetchMachine {
    var machine = machine(kept: kept([]), memory: memory)
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(try head("200 OK", "Content-Length: 1000"), at: start)
    #expect(machine.contents.isKept)
    if count > 0 { _ = machine.handle(.stored(0..<count, newByteCount: count), at: start) }
    let effect = count > 0 ? FetchEffect.continueInMemory(ByteRanges([0..<count])) : .useMemory
    #expect(machine.handle(.unstorable, at: start) == [effect])
    #expect(machine.record.length == 1000)
    #expect(machine.transfer?.destination(of: 10, 1000) == count..<(count + 10))
    return machine
  }

  @Test func `the first bytes go into memory if the disk is full`() throws {
    let machine = try full(after: 0, memory: 1 << 20)
    #expect(!machine.contents.isKept)
  }

  @Test func `bytes on a disk that fills up stay there, and the record names only them`() throws {
    var machine = try full(after: 300, memory: 400)
    #expect(!machine.contents.hasRoomForAll && machine.handle(.unstorable, at: start) == [], "the memory is full, too")
    #expect(machine.handle(.bytes(400, reader: 600), at: start) == [], "all of the memory is free")
    _ = machine.handle(.stored(300..<700, newByteCount: 400), at: start)
    #expect(machine.handle(.bytes(100, reader: 700), at: start) == [.evict(300..<400)], "the disk gets no room by that")
    _ = machine.handle(.stored(700..<800, newByteCount: 100), at: start)
    #expect(machine.record.present == ByteRanges([0..<300, 400..<800]))
    #expect(machine.contents.canBeSaved && machine.contents.savedRecord.present == ByteRanges([0..<300]))
    #expect(machine.handle(.mismatch, at: start).first == .useMemory, "both places are empty")
    #expect(!machine.contents.isKept && machine.contents.savedRecord.present.isEmpty)
  }

  @Test func `a reader on a disk that is full gets the bytes behind it at the cost of those further on in memory`()
    throws
  {
    var machine = try full(after: 300, memory: 400)
    for place in Swift.stride(from: Int64(300), to: 1000, by: 100) {
      _ = machine.handle(.bytes(100, reader: place), at: start)
      _ = machine.handle(.stored(place..<(place + 100), newByteCount: 100), at: start)
    }
    _ = machine.handle(.ended(nil), at: start)
    #expect(machine.record.present == ByteRanges([0..<300, 600..<1000]), "the memory is full")
    // The reader seeks back, and plays up to the end of the bytes on the disk.
    _ = machine.handle(.demand(reader: 250), at: start)
    let first = try #require(machine.transfer?.start)
    _ = machine.handle(try head("206 Partial Content", "Content-Range: bytes \(first)-599/1000"), at: start)
    _ = machine.handle(.stored(first..<300, newByteCount: 0), at: start)
    #expect(machine.handle(.bytes(100, reader: 250), at: start) == [.evict(900..<1000)])
    #expect(!machine.isPaused)
  }

  @Test func `a transfer pauses when there is no room, and resumes when the reader has moved`() throws {
    var machine = machine(memory: 800)
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(try head("200 OK", "Content-Length: 10000"), at: start)
    _ = machine.handle(.stored(0..<800, newByteCount: 800), at: start)
    #expect(machine.handle(.bytes(100, reader: 100), at: start) == [.notify(isNews: false)])
    #expect(machine.isPaused)
    #expect(machine.handle(.demand(reader: 200), at: start) == [], "not yet")
    #expect(machine.handle(.demand(reader: 500), at: start) == [.resume])
    #expect(machine.handle(.bytes(100, reader: 500), at: start) == [.evict(0..<100)])
  }

  @Test func `a server without ranges that begins again gets room for the bytes before the reader`() throws {
    var machine = machine(memory: 800)
    _ = machine.handle(.begin, at: start)
    let whole = try head("200 OK", "Content-Length: 10000", "Accept-Ranges: none")
    _ = machine.handle(whole, at: start)
    _ = machine.handle(.stored(0..<800, newByteCount: 800), at: start)
    #expect(machine.handle(.bytes(800, reader: 800), at: start) == [.evict(0..<800)])
    _ = machine.handle(.stored(800..<1600, newByteCount: 800), at: start)
    _ = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
    _ = machine.handle(.demand(reader: 1600), at: start)
    _ = machine.handle(whole, at: start)
    #expect(machine.transfer?.destination(of: 100, machine.record.length) == 0..<100)
    #expect(machine.handle(.bytes(100, reader: 1600), at: start) == [.evict(800..<900)])
    _ = machine.handle(.stored(0..<100, newByteCount: 100), at: start)
    #expect(machine.handle(.bytes(100, reader: 1600), at: start) == [.evict(0..<100)])
  }

  @Test func `a server without ranges that always breaks off at the same byte is given up, although bytes arrived`()
    throws
  {
    var machine = machine(memory: 800)
    _ = machine.handle(.begin, at: start)
    var connectionCount = 0
    while connectionCount < 20, machine.failure == nil {
      connectionCount += 1
      _ = machine.handle(try head("200 OK", "Content-Length: 10000", "Accept-Ranges: none"), at: start)
      for place in Swift.stride(from: Int64(0), to: 1600, by: 100) {
        // The first time, the reader follows the bytes. Later, bytes that it has read and that were evicted come again.
        _ = machine.handle(.bytes(100, reader: connectionCount == 1 ? place : 1600), at: start)
        let range = try #require(machine.transfer?.destination(of: 100, machine.record.length))
        let newCount = 100 - machine.record.present.intersection(ByteRanges([range])).byteCount
        _ = machine.handle(.stored(range, newByteCount: newCount), at: start)
      }
      _ = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
      _ = machine.handle(.demand(reader: 1600), at: start)
    }
    #expect(connectionCount == 4, "the first connection and three attempts")
    #expect(machine.failure(at: 1600)?.message == "3 attempts brought nothing from byte 1600 on: gone")
  }

  @Test func `a connection that has filled the room is not a failed attempt`() throws {
    var machine = machine(memory: 800)
    _ = machine.handle(.begin, at: start)
    for connection in 1...10 {
      _ = machine.handle(try head("200 OK", "Content-Length: 10000", "Accept-Ranges: none"), at: start)
      _ = machine.handle(.stored(0..<800, newByteCount: connection == 1 ? 800 : 0), at: start)
      _ = machine.handle(.bytes(100, reader: 100), at: start)
      #expect(machine.isPaused)
      _ = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
      #expect(machine.isOpen)
      _ = machine.handle(.demand(reader: 100), at: start)
    }
  }

  // MARK: Pipes

  @Test func `a pipe is requested once`() throws {
    var machine = machine(kind: .pipe, memory: 800)
    #expect(machine.handle(.begin, at: start).count == 1)
    _ = machine.handle(try head("200 OK"), at: start)
    _ = machine.handle(.stored(0..<800, newByteCount: 800), at: start)
    #expect(machine.handle(.bytes(100, reader: 800), at: start) == [.evict(0..<100)])
    _ = machine.handle(.stored(800..<900, newByteCount: 100), at: start)
    #expect(machine.handle(.demand(reader: 900), at: start) == [])
    #expect(machine.handle(.demand(reader: 0), at: start) == [.cancel, .notify(isNews: false)])
    #expect(machine.failure(at: 0)?.message == "cannot seek back in piped input")
  }

  // MARK: Stations

  private func station() throws -> FetchMachine {
    var machine = machine()
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(try head("200 OK", "icy-metaint: 8192", "icy-name: Radio"), at: start)
    return machine
  }

  @Test func `a station has no end, and is rejoined after a lost connection`() throws {
    var machine = try station()
    #expect(machine.kind.isLive && machine.stationName == "Radio")
    _ = machine.handle(.stored(0..<900, newByteCount: 900), at: start)
    let later = start + .seconds(60)
    let effects = machine.handle(.ended(nil), at: later)
    #expect(effects.dropFirst() == [.plan, .notify(isNews: false)])
    #expect(machine.handle(.demand(reader: 900), at: later) == [.request(request(), at: machine.retries.time)])
    #expect(machine.handle(try head("200 OK", "icy-metaint: 8192"), at: later) == [.note(.rejoined)])
    #expect(
      machine.transfer?.destination(of: 10, machine.record.length) == 900..<910, "the bytes follow the earlier ones")
  }

  @Test func `a station that always hangs up at once is given up, although bytes arrived`() throws {
    var machine = try station()
    var time = start
    var failures = 0
    while machine.isOpen, failures < 20 {
      _ = machine.handle(.stored(0..<1, newByteCount: 1), at: time)
      _ = machine.handle(.ended(nil), at: time)
      time = max(time, machine.retries.time)
      _ = machine.handle(.demand(reader: 0), at: time)
      failures += 1
    }
    #expect(failures == 4, "the first connection and three attempts")
  }

  // MARK: Playlists

  @Test func `the entries of a playlist are tried one after the other`() throws {
    let (one, two) = (WebAddress("http://host/1.mp3"), WebAddress("http://host/2.m3u8"))
    var machine = machine(playlists: .follow)
    _ = machine.handle(.begin, at: start)
    #expect(machine.handle(try head("200 OK", "Content-Length: 50"), at: start) == [], "it may be a playlist")
    #expect(machine.handle(.beginning(.entries), at: start) == [.cancel, .useMemory, .readPlaylist(Self.address)])
    let request = TransferRequest(address: one)
    #expect(machine.handle(.playlist(.success([one, two])), at: start) == [.request(request, at: .zero)])
    #expect(machine.handle(try head("404 Not Found"), at: start) == [.cancel, .startFeed], "the second one is of HLS")
    let failure = NetworkError(.unusable, "this is not an HLS playlist")
    #expect(machine.handle(.feed(.ended(.failure(failure))), at: start) == [.endFeed, .notify(isNews: false)])
    #expect(machine.phase == .failed(failure))
  }

  // MARK: Resolved addresses

  /// A machine whose address was resolved.
  private func resolving(_ handling: PlaylistHandling = .list) -> FetchMachine {
    let contents = SpoolContents(
      SpoolRecord(address: Self.address.description), budget: SpoolBudget(byteLimit: 1 << 20), isKept: false,
      limits: .init(cacheByteCount: 1 << 20, memoryByteCount: 1 << 20))
    return FetchMachine(
      AddressTrail(Self.address, handling: handling, isResolved: true), kind: .file(canRange: true), contents: contents,
      retries: Retries(BackOff(), seed: 1))
  }

  private let one = WebAddress("http://one/1?expires=5")
  private let two = WebAddress("http://two/2")

  @Test func `an address that is resolved is not fetched, and the next one is tried where one fails`() throws {
    var machine = resolving()
    #expect(machine.handle(.begin, at: start) == [.resolve(Self.address)])
    #expect(
      machine.handle(.resolved(.success(Resolution([one, two]))), at: start)
        == [.request(TransferRequest(address: one), at: .zero)])
    #expect(
      machine.handle(try head("404 Not Found"), at: start)
        == [.cancel, .request(TransferRequest(address: two), at: .zero)])
    _ = machine.handle(try head("206 Partial Content", "Content-Range: bytes 0-99/100"), at: start)
    #expect(machine.failure == nil && machine.resolution?.addresses == [one, two])
    #expect(machine.trail.wanted == Self.address)
  }

  @Test func `an address that has expired is resolved again, once until bytes arrive`() throws {
    var machine = resolving()
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(.resolved(.success(Resolution([one]))), at: start)
    _ = machine.handle(try head("200 OK", "Content-Length: 9000000", "Accept-Ranges: bytes", "ETag: \"1\""), at: start)
    _ = machine.handle(.beginning(nil), at: start)
    for _ in 0..<2 {
      _ = machine.handle(.stored(0..<100, newByteCount: 100), at: start)
      #expect(machine.handle(.demand(reader: 5_000_000), at: start).count == 1)
      #expect(machine.handle(try head("403 Forbidden"), at: start) == [.cancel, .resolve(Self.address)])
      #expect(machine.handle(.demand(reader: 5_000_000), at: start) == [], "the old address is not asked again")
      #expect(machine.handle(.resolved(.success(Resolution([two]))), at: start) == [.plan])
    }
    guard case .request(let request, _)? = machine.handle(.demand(reader: 5_000_000), at: start).first else {
      Issue.record("no request")
      return
    }
    #expect(request.address == two && request.range?.lowerBound == 5_000_000)
    _ = machine.handle(try head("403 Forbidden"), at: start)
    #expect(machine.failure?.kind == .refused(status: 403))
  }

  @Test func `a list of pages is reported, but not without end`() {
    let list = NetworkError(.playlist([one]), "a playlist of 1")
    var machine = resolving()
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(.resolved(.failure(list)), at: start)
    #expect(machine.failure == list)
    machine = resolving(.follow)
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(.resolved(.failure(list)), at: start)
    #expect(machine.failure?.message == "too many nested playlists")
  }

  // MARK: Entries of playlists

  @Test func `a playlist of addresses that all fail ends`() throws {
    var machine = machine(playlists: .follow)
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(.beginning(.entries), at: start)
    let entries = (0..<1000).map { WebAddress("http://host/\($0).mp3") }
    var effects = machine.handle(.playlist(.success(entries)), at: start)
    var requestCount = 0
    while machine.isOpening, requestCount < 1000 {
      #expect(effects.contains { if case .request = $0 { true } else { false } })
      requestCount += 1
      effects = machine.handle(try head("404 Not Found"), at: start)
    }
    #expect(requestCount == 64)
  }

  @Test func `playlists that name each other are given up`() {
    var machine = machine(playlists: .follow)
    _ = machine.handle(.begin, at: start)
    for _ in 0..<8 {
      #expect(machine.handle(.beginning(.entries), at: start).last == .readPlaylist(Self.address))
      _ = machine.handle(.playlist(.success([Self.address])), at: start)
    }
    _ = machine.handle(.beginning(.entries), at: start)
    #expect(machine.failure(at: 0)?.message == "too many nested playlists")
  }

  @Test func `a playlist is reported if the caller asks for it`() {
    var machine = machine(playlists: .list)
    _ = machine.handle(.begin, at: start)
    _ = machine.handle(.beginning(.entries), at: start)
    #expect(machine.handle(.playlist(.success([Self.address])), at: start) == [.notify(isNews: false)])
    #expect(machine.failure(at: 0)?.kind == .playlist([Self.address]))
  }

  @Test func `a kept copy that is a playlist is followed when the server is away`() {
    var machine = machine(playlists: .follow, kept: kept([0..<1000]), keptPlaylist: .hls)
    _ = machine.handle(.begin, at: start)
    let effects = machine.handle(.ended(NetworkError(.interrupted, "gone")), at: start)
    #expect(effects == [.useMemory, .startFeed])
    #expect(machine.isOpening && !machine.contents.isKept && machine.record.present.isEmpty)
  }

  // MARK: Segments

  @Test func `a live feed opens with its first bytes and waits for room`() {
    var machine = machine(kind: .feed(SegmentFeed()), memory: 1000)
    #expect(machine.handle(.begin, at: start) == [.startFeed])
    #expect(machine.admitSegment(byteCount: 600, reader: 0).admission == .at(0))
    let facts = FeedEvent.Facts(isLive: true, contentType: "audio/aac")
    #expect(machine.handle(.feed(.stored(0..<600, facts)), at: start) == [.notify(isNews: false)])
    #expect(machine.isOpen && machine.kind.isLive && machine.record.contentType == "audio/aac")
    #expect(machine.admitSegment(byteCount: 600, reader: 0).admission == .full)
    #expect(machine.kind.feed?.isWaiting == true)
    #expect(machine.handle(.demand(reader: 600), at: start) == [.wakeFeed])
    let (admission, effects) = machine.admitSegment(byteCount: 600, reader: 600)
    #expect(admission == .at(600) && effects == [.evict(0..<200)])
    #expect(machine.isLost(100) && !machine.isLost(300))
  }

  @Test func `a live feed keeps all that was read, and loses unread bytes during a pause`() {
    let limit: Int64 = 1 << 18
    var machine = machine(kind: .feed(SegmentFeed()), memory: limit)
    _ = machine.handle(.begin, at: start)
    #expect(machine.admitSegment(byteCount: Int(limit), reader: 0).admission == .at(0))
    let facts = FeedEvent.Facts(isLive: true, contentType: "audio/aac")
    _ = machine.handle(.feed(.stored(0..<limit, facts)), at: start)
    let (admission, effects) = machine.admitSegment(byteCount: 100, reader: 100)
    #expect(admission == .at(limit) && effects == [.evict(0..<100)], "however far back the reader is")
    _ = machine.handle(.feed(.stored(limit..<(limit + 100), facts)), at: start)
    #expect(machine.admitSegment(byteCount: 100, reader: 100).admission == .full)
    #expect(machine.handle(.keepLatest(limit, losesUnread: true, reader: 100), at: start) == [.wakeFeed])
    let later = machine.admitSegment(byteCount: 100, reader: 100)
    #expect(later.admission == .at(limit + 100) && later.effects == [.evict(100..<200)])
  }

  @Test func `a feed whose readers have left takes no bytes`() {
    var machine = machine(kind: .feed(SegmentFeed()))
    _ = machine.handle(.begin, at: start)
    let cancelled = NetworkError(.cancelled, "cancelled")
    #expect(machine.handle(.failed(cancelled), at: start) == [.endFeed, .notify(isNews: false)])
    #expect(machine.admitSegment(byteCount: 1, reader: 0).admission == .over)
    #expect(machine.nextSegment(reader: 0).wanted == .over)
  }
}
