internal import AudioModel
internal import ByteIO
internal import Glibc
internal import Threads

/// One resource of the network, or a pipe: performs the effects of its `FetchMachine`, and moves bytes into the arrival
/// that its readers share. Exists as long as it has readers. Any thread.
///
/// Safety: everything that changes is touched under the monitor of `arrival`.
final class NetworkResource: @unchecked Sendable {
  let network: Network
  /// The place to begin at, if that is not the start.
  let beginning: StreamContinuation?
  private let jar: CookieJar
  private let transfers: any Transfers
  private let arrival: Arrival
  private var machine: FetchMachine
  /// Number of the current transfer.
  private var transferID: Int?
  /// Controls the thread that feeds segments.
  private var gate: HLSGate?

  /// An address. `kept`: its spool in the cache folder and the record of that; nil to store its bytes in memory.
  init(
    _ trail: AddressTrail, of network: Network, transfers: any Transfers, kind: ResourceKind,
    kept: (spool: Spool, record: SpoolRecord)?, beginning: StreamContinuation?, cookies: CookieJar
  ) throws(NetworkError) {
    let configuration = network.configuration
    let record = kept?.record ?? SpoolRecord(address: trail.address.description)
    let spool = if let kept { kept.spool } else { try Spool() }
    (self.network, self.transfers, self.beginning, jar) = (network, transfers, beginning, cookies)
    arrival = Arrival(spool, charset: trail.address.fields[.charset].flatMap { Charset($0) })
    let keptPlaylist =
      trail.handling == .asIs || record.present.isEmpty
      ? nil : Self.playlist(at: spool, record.present, configuration.playlists)
    let budget = SpoolBudget(byteLimit: kept == nil ? configuration.memoryByteLimit : .max)
    machine = FetchMachine(
      trail, kind: kind,
      contents: SpoolContents(
        record, budget: budget, isKept: kept != nil, isPinned: spool.isPinned, limits: .init(configuration)),
      keptPlaylist: keptPlaylist, retries: Retries(configuration.backOff, seed: .random(in: 0 ... .max)))
  }

  init(pipe name: String, of network: Network, transfers: PipeTransfer, _ spool: Spool, byteLimit: Int64) {
    let configuration = network.configuration
    (self.network, self.transfers, beginning, jar) = (network, transfers, nil, CookieJar())
    arrival = Arrival(spool)
    let contents = SpoolContents(
      SpoolRecord(address: name), budget: SpoolBudget(byteLimit: byteLimit), isKept: false, limits: .init(configuration)
    )
    machine = FetchMachine(
      AddressTrail(WebAddress(name)), kind: .pipe, contents: contents,
      retries: Retries(configuration.backOff, seed: .random(in: 0 ... .max)))
  }

  deinit {
    gate?.end()
    if let transferID { transfers.cancel(transferID) }
    if machine.record.present.isEmpty { arrival.spool.remove() } else { save() }
  }

  func begin() { locked { handle(.begin) } }

  // MARK: Under the monitor

  /// Runs `body` under the monitor. The functions and properties below are called from within.
  func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try arrival.monitor.locked(body)
  }

  /// The present state of fetching.
  var state: FetchMachine { _read { yield machine } }

  /// The position of the reader that is served.
  private var position: Int64 { arrival.position(isLive: machine.kind.isLive) }

  private func handle(_ event: FetchEvent) {
    perform(machine.handle(event, at: .now))
    if machine.transfer == nil { transferID = nil }
  }

  private func perform(_ effects: [FetchEffect]) {
    for effect in effects {
      do throws(NetworkError) { try perform(effect) } catch { return handle(.failed(error)) }
    }
  }

  private func perform(_ effect: FetchEffect) throws(NetworkError) {
    switch effect {
    case .request(let request, let time):
      if let transferID { transfers.cancel(transferID) }
      transferID = transfers.start(request, for: self, at: time)
    case .cancel:
      if let transferID { transfers.cancel(transferID) }
      transferID = nil
    case .resume: if let transferID { transfers.resume(transferID) }
    case .evict(let range): arrival.spool.evict(range, present: machine.record.present)
    case .clearSpool: arrival.spool.clear()
    case .useMemory:
      arrival.spool.remove()
      arrival.use(try Spool())
    case .continueInMemory(let bytes): arrival.use(try Spool(after: bytes, in: arrival.spool))
    case .makeRoom(let byteCount): network.folder?.makeRoom(for: byteCount)
    case .save: save()
    case .readPlaylist(let address): readPlaylist(at: address)
    case .resolve(let address): resolve(address)
    case .startFeed: startFeed()
    case .endFeed:
      gate?.end()
      gate = nil
    case .wakeFeed: gate?.ring()
    case .interruptFeed: gate?.interrupt()
    case .note(let notice):
      arrival.note(notice)
      network.configuration.announce?(machine.trail.address, notice)
    case .notify(let isNews): notify(isNews: isNews)
    case .plan: plan()
    }
  }

  private func notify(isNews: Bool = false) {
    arrival.notify(isNews: isNews, progress: machine.progress) { isWaitOver(of: $0) }
  }

  /// Fetches the bytes that the readers need next.
  private func plan() {
    guard machine.isOpen, !arrival.readers.isEmpty else { return }
    arrival.serveNext(machine.record, byteCount: machine.transfer.map { $0.position - $0.start } ?? 0)
    handle(.demand(reader: position))
  }

  /// Saves the arrived bytes in the cache folder.
  private func save() {
    guard machine.contents.canBeSaved else { return }
    let (spool, record) = (arrival.spool, machine.contents.savedRecord)
    transfers.perform { spool.save(record) }
  }

  private func startFeed() {
    let gate = HLSGate()
    self.gate = gate
    let feed = HLSFeed(self, at: machine.trail.address, gate: gate)
    _ = WorkerThread(named: "hls") {
      var feed = feed
      feed.run()
    }
  }
}

// MARK: Readers

/// All of it is called under the monitor.
extension NetworkResource {
  func add(_ reader: Arrival.Reader) { arrival.add(reader) }

  /// Removes a reader, and stops fetching the bytes that only this reader needed.
  func remove(_ reader: Arrival.Reader) {
    arrival.remove(reader)
    plan()
  }

  private static let cancellation = NetworkError(.cancelled, "cancelled")

  /// Ends the waits of one reader: missing bytes will not arrive for it.
  func cancel(_ reader: Arrival.Reader) {
    guard machine.failure == nil else { return }
    reader.isCancelled = true
    guard !arrival.readers.allSatisfy(\.isCancelled) else { return handle(.failed(Self.cancellation)) }
    notify()
    remove(reader)
  }

  /// Reads bytes that have arrived; returns 0 at the end, nil if the reader has to wait.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, for reader: Arrival.Reader
  ) throws(ByteIOError) -> Int? {
    if machine.isOpening { return nil }
    reader.position = offset
    let count = try arrival.spool.read(into: buffer, at: offset, present: machine.record.present)
    if count > 0 {
      reader.position = offset + Int64(count)
      handle(.delivered)
    } else if offset >= machine.knownEnd(from: offset) {
      return 0
    } else if machine.isLost(offset) {
      throw ByteIOError(
        operation: "read", errno: ESPIPE, byteOffset: offset, detail: "that part of the stream is gone")
    }
    plan()
    return count > 0 ? count : nil
  }

  /// True if bytes have arrived, or never will. If not, `reader` is called once they have, and at each `step` of them.
  func want(_ wanted: Range<Int64>, step: Int64, for reader: Arrival.Reader) -> Bool {
    (reader.position, reader.wanted) = (wanted.lowerBound, wanted)
    plan()
    if isWaitOver(of: reader) {
      reader.wanted = nil
      return true
    }
    let end = machine.record.present.end(from: wanted.lowerBound)
    transfers.hurry()
    if step < wanted.upperBound - end { reader.wanted = wanted.lowerBound..<(end + step) }
    return false
  }

  /// The reason why a missing byte cannot arrive.
  func failure(at offset: Int64, for reader: Arrival.Reader) -> NetworkError? {
    machine.failure ?? (reader.isCancelled ? Self.cancellation : machine.failure(at: offset))
  }

  private func isWaitOver(of reader: Arrival.Reader) -> Bool {
    guard let wanted = reader.wanted, machine.failure == nil else { return machine.failure != nil }
    return reader.isCancelled || machine.isOver(wanted)
  }

  /// Waits for news, until `deadline` at most. Returns false if that has passed.
  @discardableResult
  func waitForNews(until deadline: MonotonicTime? = nil) -> Bool { arrival.waitForNews(until: deadline) }

  /// Fetches without delay: a reader waits.
  func hurry() { transfers.hurry() }

  func title(at byteOffset: Int64) -> String? { arrival.title(at: byteOffset) }

  var titleReading: TextReading? { arrival.titleReading }

  func place(atSeconds seconds: Double) -> SegmentPlace? { machine.place(atSeconds: seconds) }

  func keep(latest byteCount: Int64, losesUnread: Bool) {
    handle(.keepLatest(byteCount, losesUnread: losesUnread, reader: position))
  }
}

// MARK: Transfers

// Called on the network's thread.
extension NetworkResource: TransferReceiver {
  var cookies: CookieJar? { jar }

  var isAwaited: Bool { locked { machine.isOpening || arrival.isAwaited(machine.record) } }

  func transfer(_ id: Int, didReceive head: HTTPResponseHead) -> Bool {
    locked {
      guard transferID == id else { return false }
      prepareToRetry()
      handle(.head(head))
      return transferID == id
    }
  }

  func transfer(_ id: Int, didReceive bytes: UnsafeRawBufferPointer) -> TransferVerdict {
    // A near server sends piece upon piece: readers would get in when all of them have arrived.
    arrival.monitor.giveWay()
    return locked {
      guard transferID == id else { return .stop }
      if machine.isOpening { handle(.beginning(playlist(in: bytes))) }
      guard machine.isOpen, transferID == id else { return .stop }
      handle(.bytes(bytes.count, reader: position))
      if machine.isPaused { return .pause }
      do throws(NetworkError) { try store(bytes) } catch { handle(.failed(error)) }
      plan()
      notify()
      return transferID == id ? .take : .stop
    }
  }

  func transfer(_ id: Int, didEnd error: NetworkError?) {
    locked {
      guard transferID == id else { return }
      transferID = nil
      prepareToRetry()
      handle(.ended(error))
    }
  }

  private func prepareToRetry() {
    let configuration = network.configuration
    let opening = machine.isOpening ? configuration.openingBackOff : nil
    machine.use(opening ?? configuration.backOff, isAwaited: arrival.isAwaited(machine.record))
  }

  private func store(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) {
    guard let pieces = machine.split(bytes) else { return try write(bytes) }
    for piece in pieces {
      switch piece {
      case .audio(let range): try write(UnsafeRawBufferPointer(rebasing: bytes[range]))
      case .metadata(let block):
        guard let place = machine.transfer?.position, let title = ICYMetadata(block).title else { break }
        arrival.append(title, at: place, oldestByte: machine.record.present.ranges.first?.lowerBound ?? 0)
      }
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) {
    guard let place = machine.transfer?.destination(of: bytes.count, machine.record.length) else { return }
    let part = UnsafeRawBufferPointer(rebasing: bytes[..<Int(place.upperBound - place.lowerBound)])
    let newCount: Int64?
    do throws(NetworkError) { newCount = try put(part, at: place.lowerBound) } catch {
      let broken = arrival.spool
      handle(.unstorable)
      guard arrival.spool !== broken else { throw error }
      newCount = try put(part, at: place.lowerBound)
    }
    handle(newCount.map { .stored(place, newByteCount: $0) } ?? .mismatch)
  }

  private func put(_ bytes: UnsafeRawBufferPointer, at place: Int64) throws(NetworkError) -> Int64? {
    try arrival.spool.write(bytes, at: place, present: machine.record.present)
  }
}

// MARK: Playlists

extension NetworkResource {
  private static let playlistByteLimit = 1 << 20
  private static let playlistHeadByteCount = 4096

  /// The kind of playlist that bytes begin, if playlists are to be followed.
  private func playlist(in bytes: UnsafeRawBufferPointer) -> PlaylistKind? {
    if machine.trail.handling == .asIs { return nil }
    return Self.playlist(Array(bytes.prefix(Self.playlistHeadByteCount)), network.configuration.playlists)
  }

  private static func playlist(_ start: [UInt8], _ playlists: PlaylistReading?) -> PlaylistKind? {
    HLSPlaylist.begins(start) ? .hls : playlists?.begins(start) == true ? .entries : nil
  }

  /// The kind of playlist that kept bytes begin.
  private static func playlist(
    at spool: Spool, _ present: ByteRanges, _ playlists: PlaylistReading?
  ) -> PlaylistKind? {
    withUnsafeTemporaryAllocation(byteCount: playlistHeadByteCount, alignment: 1) { start in
      do throws(ByteIOError) {
        let count = try spool.read(into: start, at: 0, present: present)
        return count > 0 ? playlist(Array(start[..<count]), playlists) : nil
      } catch { return nil }
    }
  }

  private func readPlaylist(at address: WebAddress) {
    _ = WorkerThread(named: "playlist") { [weak self, network, jar] in
      let outcome = Result { () throws(NetworkError) -> [WebAddress]? in
        do throws(ByteIOError) {
          let document = try network.document(address.text, byteLimit: Self.playlistByteLimit, cookies: jar)
          // The first bytes do not always show it.
          if HLSPlaylist.begins(document.bytes) { return nil }
          return network.configuration.playlists?.addresses(document.bytes, document.address).filter(\.isHTTP) ?? []
        } catch { throw NetworkError(.interrupted, error.reason) }
      }
      self?.locked { self?.handle(.playlist(outcome)) }
    }
  }

  private func resolve(_ address: WebAddress) {
    guard let resolver = network.configuration.resolver else { return }
    _ = WorkerThread(named: "resolver") { [weak self] in
      let outcome = Result { () throws(NetworkError) in try resolver.resolve(address) { [weak self] in self != nil } }
      self?.locked { self?.handle(.resolved(outcome)) }
    }
  }
}

// MARK: Segments

/// Called on the thread that feeds segments.
extension NetworkResource {
  enum Feeding {
    case taken
    /// There is no room until the reader moves.
    case full
    /// No more bytes are needed.
    case over
  }

  /// Takes the next bytes; the first ones open the resource. In a stream with an end they belong to the current
  /// segment, or to the next one.
  func feed(_ bytes: [UInt8], _ facts: FeedEvent.Facts, title: String?) -> Feeding {
    locked {
      let (admission, effects) = machine.admitSegment(byteCount: bytes.count, reader: position)
      perform(effects)
      switch admission {
      case .dropped: return .taken
      case .full: return .full
      case .over: return .over
      case .at(let place):
        if !bytes.isEmpty, let title { arrival.insert(title, at: place) }
        return store(bytes, facts, at: place) ? .taken : .over
      }
    }
  }

  private func store(_ bytes: [UInt8], _ facts: FeedEvent.Facts, at place: Int64) -> Bool {
    do throws(NetworkError) {
      _ = try bytes.span.withUnsafeBytes { (bytes) throws(NetworkError) in try put(bytes, at: place) }
      handle(.feed(.stored(place..<(place + Int64(bytes.count)), facts)))
    } catch { handle(.failed(error)) }
    return machine.failure == nil
  }

  func report(_ event: FeedEvent) { locked { handle(.feed(event)) } }

  /// Sends a notice to the readers at once.
  func announce(_ notice: NetworkNotice) {
    locked {
      arrival.note(notice)
      notify()
    }
  }

  /// The segment to fetch next, for the position of the reader.
  func nextSegment() -> SegmentFeed.Wanted {
    locked {
      let (wanted, effects) = machine.nextSegment(reader: position)
      perform(effects)
      return wanted
    }
  }
}

extension SpoolContents.Limits {
  fileprivate init(_ configuration: NetworkConfiguration) {
    self.init(cacheByteCount: configuration.cacheByteLimit, memoryByteCount: configuration.memoryByteLimit)
  }
}
