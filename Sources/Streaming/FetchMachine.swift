internal import ByteIO
internal import Threads

/// Decides what to ask a server for, what its answers mean, and when to give up. Pure: events in, effects out.
/// `NetworkResource` performs the effects, and moves the bytes.
struct FetchMachine {
  /// The phases of a resource.
  enum Phase: Hashable {
    /// The server has not answered yet.
    case opening
    case open
    /// Nothing more will come.
    case failed(NetworkError)
  }

  /// A request under way, or planned.
  struct Transfer: Hashable {
    /// The first byte asked for, and the end where it is not that of the resource.
    var start: Int64
    var end: Int64?
    /// Where the next byte belongs.
    var position: Int64
    /// Asked for only to see whether the kept bytes are still valid.
    var isValidation = false
    var isPaused = false
    /// When it was begun.
    var time = MonotonicTime.zero
  }

  /// Settings that a machine needs.
  struct Limits: Hashable {
    /// Bytes in the cache folder, and bytes in memory for each resource.
    var cacheByteCount: Int64
    var memoryByteCount: Int64
  }

  private(set) var phase = Phase.opening
  private(set) var kind: ResourceKind
  /// Facts about the resource, and which bytes of it are in the spool.
  private(set) var record: SpoolRecord
  private(set) var budget: SpoolBudget
  private(set) var trail: AddressTrail
  private(set) var retries: Retries
  /// The request under way; at most one.
  private(set) var transfer: Transfer?
  /// Where the first answer came from, after redirects.
  private(set) var origin: WebAddress?
  private(set) var stationName: String?
  /// The spool lies in the cache folder and is kept for another time.
  private(set) var isKept: Bool
  private let limits: Limits
  /// The playlist that the kept bytes begin, if they do.
  private var keptPlaylist: PlaylistKind?
  /// Bytes were given to readers: no others may take their place.
  private var hasDelivered = false
  /// Of the event that is being handled.
  private var effects: [FetchEffect] = []
  private var now = MonotonicTime.zero

  init(
    _ trail: AddressTrail, kind: ResourceKind, record: SpoolRecord, budget: SpoolBudget, isKept: Bool,
    keptPlaylist: PlaylistKind? = nil, limits: Limits, retries: Retries
  ) {
    (self.trail, self.kind, self.record, self.budget, self.isKept) = (trail, kind, record, budget, isKept)
    (self.keptPlaylist, self.limits, self.retries) = (keptPlaylist, limits, retries)
  }

  /// Takes over changed settings for attempts.
  mutating func use(_ backOff: BackOff) { retries.use(backOff) }

  /// The only place where an event changes the state.
  mutating func handle(_ event: FetchEvent, at now: MonotonicTime) -> [FetchEffect] {
    self.now = now
    switch event {
    case .begin: begin()
    case .head(let head): receive(head)
    case .beginning(let playlist): if let playlist { follow(playlist) } else { open() }
    case .bytes(let count, let reader): makeRoom(for: count, reader: reader)
    case .stored(let range, let newCount): store(range, newCount)
    case .mismatch: fail(changed())
    case .ended(let error): end(error)
    case .demand(let reader): plan(for: reader)
    case .delivered: hasDelivered = true
    case .playlist(let outcome): advance(outcome)
    case .keepLatest(let byteCount, let losesUnread, let reader):
      keep(latest: byteCount, losesUnread: losesUnread, reader: reader)
    case .failed(let error): fail(error)
    case .feed(let event): handle(event)
    }
    defer { effects = [] }
    return effects
  }

  /// Separates the sound of a station from its titles; nil where all bytes are the resource.
  mutating func split(_ bytes: UnsafeRawBufferPointer) -> [ICYSplitter.Piece]? {
    kind.withStation { $0.splitter.split(bytes) }
  }

  /// Where the next bytes of the body belong: at most `count`, none behind the end.
  func destination(of count: Int) -> Range<Int64>? {
    guard let place = transfer?.position else { return nil }
    let count = min(Int64(count), (record.length ?? .max) - place)
    return count > 0 ? place..<(place + count) : nil
  }

  // MARK: Requests

  /// Bytes that are fetched again where nothing but they can tell whether the resource is still the same.
  private static let overlapByteCount: Int64 = 4096

  private mutating func begin() {
    if case .feed = kind { effects.append(.startFeed) } else { askFirst() }
  }

  /// Asks for the beginning, or whether the kept bytes are still valid. `plan` makes the requests after it.
  private mutating func askFirst() {
    if let gap = record.present.gap(from: 0, to: record.length ?? .max) {
      request(from: gap.lowerBound, to: nil)
    } else if let tag = record.validator.entityTag {
      validate(with: "If-None-Match: \(tag)")
    } else if let date = record.validator.lastModified {
      validate(with: "If-Modified-Since: \(date)")
    } else {
      request(from: record.length ?? 0, to: nil)
    }
  }

  private mutating func validate(with field: String) {
    var request = TransferRequest(address: trail.address)
    request.fields = [field]
    transfer = Transfer(start: 0, position: 0, isValidation: true)
    effects.append(.request(request, at: retries.time))
  }

  /// Asks for the bytes from `place` on, and for some before it where the server has no validator.
  private mutating func request(from place: Int64, to end: Int64?) {
    var request = TransferRequest(address: trail.address)
    var start = place
    let (validator, hasEnd) = (record.validator.forRange, !kind.isLive)
    if hasEnd, validator == nil, let run = record.present.ranges.last(where: { $0.upperBound == place }) {
      start = max(run.lowerBound, place - Self.overlapByteCount)
    }
    if hasEnd, start > 0 || end != nil {
      request.range = start..<(end ?? .max)
      request.isOpenEnded = end == nil
      if let validator { request.fields = ["If-Range: \(validator)"] }
    }
    transfer = Transfer(start: start, end: end, position: start, time: max(retries.time, now))
    effects.append(.request(request, at: retries.time))
  }

  private mutating func cancelTransfer() {
    guard transfer != nil else { return }
    transfer = nil
    effects.append(.cancel)
  }

  /// Fetches what the reader wants next who is being served; of a station, the reader who is farthest on.
  private mutating func plan(for reader: Int64) {
    guard case .open = phase else { return }
    switch kind {
    case .feed(let feed): effects.append(feed.feeds(reader: reader) ? .wakeFeed : .interruptFeed)
    case .station:
      if transfer == nil { request(from: record.present.ranges.last?.upperBound ?? 0, to: nil) }
      resumeIfThereIsRoom(for: reader)
    case .file(let canRange): obey(step(for: reader, canRange: canRange), reader: reader)
    case .pipe:
      let step = step(for: reader, canRange: false)
      guard case .fetch = step else { return obey(step, reader: reader) }
      fail(NetworkError(.unusable, "what a pipe has brought does not come again"))
    }
  }

  private func step(for reader: Int64, canRange: Bool) -> FetchPlan.Step {
    FetchPlan(
      present: record.present, length: record.length, position: reader, transfer: transfer?.position,
      canRange: canRange, wantsAll: hasRoomForAll
    ).step
  }

  private mutating func obey(_ step: FetchPlan.Step, reader: Int64) {
    switch step {
    case .keep: resumeIfThereIsRoom(for: reader)
    case .fetch(let place, let end): request(from: place, to: end)
    case .stop:
      cancelTransfer()
      save()
    }
  }

  // MARK: Room

  /// Resumes a paused transfer when a good piece fits, not for each byte. A reader that waits for the piece gets room at
  /// the cost of all other bytes.
  private mutating func resumeIfThereIsRoom(for reader: Int64) {
    guard let paused = transfer, paused.isPaused else { return }
    // A station must not wait long: it would end the connection.
    let room = budget.isRing ? min(budget.byteLimit / 8, 1 << 16) : budget.byteLimit / 8
    guard budget.evictions(record.present, reader: reader, arriving: room, at: paused.position) != nil else { return }
    transfer?.isPaused = false
    effects.append(.resume)
  }

  private mutating func makeRoom(for count: Int, reader: Int64) {
    guard let place = transfer?.position else { return }
    let room = budget.evictions(record.present, reader: reader, arriving: Int64(count), at: place)
    guard let room else {
      transfer?.isPaused = true
      return effects.append(.notify(isNews: false))
    }
    for range in room { evict(range) }
  }

  private mutating func evict(_ range: Range<Int64>) {
    record.present.remove(contentsOf: range)
    effects.append(.evict(range))
  }

  private mutating func store(_ range: Range<Int64>, _ newCount: Int64) {
    record.present.insert(contentsOf: range)
    transfer?.position = range.upperBound
    if newCount > 0 { retries.reset() }
  }

  /// Some seconds of any station: the bytes between the network and the decoder.
  private static let leastRing: Int64 = 1 << 18

  private mutating func keep(latest byteCount: Int64, losesUnread: Bool, reader: Int64) {
    guard !isOpening, kind.isLive else { return }
    budget.byteLimit = max(Self.leastRing, min(byteCount, limits.memoryByteCount))
    guard losesUnread != budget.losesUnread else { return }
    budget.losesUnread = losesUnread
    resumeIfThereIsRoom(for: reader)
  }

  /// Remembers the bytes that have arrived for another time.
  private mutating func save() { if isKept, record.length != nil { effects.append(.save) } }

  // MARK: Answers

  private mutating func receive(_ head: HTTPResponseHead) {
    guard let transfer else { return }
    let context = FetchAnswer.Context(
      record: record, transfer: transfer, isOpening: isOpening, isLive: kind.isLive, hasDelivered: hasDelivered)
    do throws(NetworkError) {
      try accept(FetchAnswer(head, context), head, transfer)
      origin = origin ?? head.address
      // A body that may be a playlist is looked at first.
      if isOpening, trail.handling == .asIs || head.status != 200 || !record.present.isEmpty { open() }
    } catch {
      if error.kind == .busy { retries.requestDelay(seconds: head.retryAfter ?? 0) }
      if error.mayPass { lose(error) } else { fail(error) }
    }
  }

  private mutating func accept(
    _ answer: FetchAnswer, _ head: HTTPResponseHead, _ current: Transfer
  ) throws(NetworkError) {
    switch answer {
    case .new(let length): adopt(head, length: length)
    case .part(let total): record.length = record.length ?? total
    case .whole:
      if current.start > 0 || current.end != nil { forgetRanges() }
      transfer?.position = 0
      transfer?.end = nil
    case .unchanged: cancelTransfer()
    case .notModified: break
    case .rejoined:
      _ = kind.withStation { $0.splitter = ICYSplitter(interval: head.metadataInterval) }
      effects.append(.note(.rejoined))
    case .endsAtStart: record.length = current.start
    case .replaced(let length):
      clear()
      adopt(head, length: length)
      transfer?.position = 0
    case .replacedInPart:
      clear()
      request(from: 0, to: nil)
    case .doubtful(let length): try compare(length, current)
    case .wrongRange: startOver()
    }
  }

  /// Learns from the first answer which kind of resource it is, and chooses the place for its bytes.
  private mutating func adopt(_ head: HTTPResponseHead, length: Int64?) {
    let isLive = head.isLive
    if case .pipe = kind {
    } else {
      let splitter = ICYSplitter(interval: head.metadataInterval)
      kind = isLive ? .station(.init(splitter: splitter)) : .file(canRange: head.acceptsRanges ?? (length != nil))
    }
    budget.isRing = isLive
    stationName = head.stationName
    let mayKeep = !isLive && head.mayBeStored && length.map { $0 <= limits.cacheByteCount / 2 } ?? false
    if isKept, !mayKeep {
      effects.append(.useMemory)
      record = SpoolRecord(address: trail.address.description)
      (isKept, budget) = (false, SpoolBudget(byteLimit: limits.memoryByteCount, isRing: isLive))
    } else if isKept, let length {
      effects.append(.makeRoom(length))
    }
    record.length = isLive ? nil : length
    record.validator = head.validator
    record.contentType = head.contentType
  }

  /// Servers that stand for each other may name the same bytes differently: where the lengths agree, kept bytes are
  /// compared with those that come.
  private mutating func compare(_ length: Int64?, _ current: Transfer) throws(NetworkError) {
    guard let length, length == record.length, !record.validator.isEmpty else { throw changed() }
    record.validator = Validator()
    request(from: record.present.end(from: current.start), to: current.end)
  }

  /// The kept bytes are of no use any more, and nothing else may be played behind them.
  private mutating func changed() -> NetworkError {
    clear()
    return NetworkError(.changed, "the file on the server is another one now; play it again from the start")
  }

  private mutating func clear() {
    record = SpoolRecord(address: record.address)
    keptPlaylist = nil
    effects.append(.clearSpool)
  }

  /// The server's ranges make no sense: fetch all of it, in order.
  private mutating func startOver() {
    forgetRanges()
    guard !retries.isExhausted else {
      return fail(NetworkError(.unusable, "the server sends other bytes than it was asked for"))
    }
    retries.countImmediate()
    request(from: 0, to: nil)
  }

  private mutating func forgetRanges() { if case .file = kind { kind = .file(canRange: false) } }

  // MARK: Phases

  /// The server has answered, or need not. Kept bytes that begin a playlist are followed instead.
  private mutating func open() {
    if trail.handling != .asIs, let keptPlaylist { return follow(keptPlaylist) }
    phase = .open
    effects.append(.notify(isNews: true))
  }

  private mutating func end(_ error: NetworkError?) {
    guard let ended = transfer else { return }
    if let error { return lose(error) }
    if kind.isLive { return lose(NetworkError(.interrupted, "the station ended the connection")) }
    if !ended.isValidation, let length = record.length, ended.position < min(ended.end ?? length, length) {
      return lose(NetworkError(.interrupted, "the server sent \(ended.position) of \(length) bytes"))
    }
    transfer = nil
    record.length = record.length ?? ended.position
    if isOpening { open() }
    save()
    effects += [.plan, .notify(isNews: false)]
  }

  /// A connection that stood for less has brought only what a station always sends first.
  private static let briefTime = TimeSpan.seconds(2)

  /// A connection was lost: plans another attempt, if that may help.
  private mutating func lose(_ error: NetworkError) {
    countBriefConnection()
    transfer = nil
    let mayRetry = error.mayPass && !(isOpening && error.kind == .unreachable)
    if isOpening, error.mayPass, !record.present.isEmpty {
      // Perhaps there is no network: the kept bytes can be played.
      open()
      guard case .open = phase else { return }
    }
    guard mayRetry, let delay = retries.planNext(at: now) else {
      if case .open = phase, error.kind == .unreachable, record.isComplete {
        return effects.append(.notify(isNews: false))
      }
      return fail(error)
    }
    effects.append(.note(.connectionLost(reason: error.message, retrySeconds: delay)))
    if isOpening { askFirst() } else { effects.append(.plan) }
    effects.append(.notify(isNews: false))
  }

  /// Bytes of brief connections to a station are no progress.
  private mutating func countBriefConnection() {
    guard let transfer, case .station(var station) = kind else { return }
    let isBrief = now < transfer.time + Self.briefTime
    retries.raise(to: isBrief ? station.briefConnectionCount : 0)
    station.briefConnectionCount = isBrief ? retries.attempt + 1 : 0
    kind = .station(station)
  }

  /// Nothing more will come, unless a playlist names something else to try.
  private mutating func fail(_ error: NetworkError) {
    cancelTransfer()
    if replace(after: error) { return }
    if case .feed = kind { effects.append(.endFeed) }
    phase = .failed(error)
    save()
    effects.append(.notify(isNews: false))
  }

  // MARK: Playlists

  /// The resource turns out to be a playlist: its entries are read in its place. Nothing of it is kept.
  private mutating func follow(_ playlist: PlaylistKind) {
    cancelTransfer()
    guard trail.enterPlaylist() else { return fail(NetworkError(.unusable, "playlists that name each other")) }
    effects.append(.useMemory)
    record = SpoolRecord(address: trail.address.description)
    (isKept, keptPlaylist, budget) = (false, nil, SpoolBudget(byteLimit: limits.memoryByteCount))
    (kind, stationName, origin) = (.file(canRange: true), nil, nil)
    retries.resetCount()
    switch playlist {
    case .hls: startFeed()
    case .entries: effects.append(.readPlaylist(trail.address))
    }
  }

  private mutating func startFeed() {
    kind = .feed(SegmentFeed())
    effects.append(.startFeed)
  }

  /// A playlist has been read: the entries, or nil where it is one of HTTP live streaming.
  private mutating func advance(_ outcome: Result<[WebAddress]?, NetworkError>) {
    guard isOpening else { return }
    switch outcome {
    case .success(nil): startFeed()
    case .success(let entries?):
      if trail.handling == .tell, !entries.isEmpty {
        return fail(NetworkError(.playlist(entries), "a playlist of \(entries.count)"))
      }
      trail.add(entries)
      fail(NetworkError(.unusable, "the playlist names nothing that lies on the network"))
    case .failure(let error): fail(error)
    }
  }

  /// Moves to the next entry of a playlist, as the one before cannot be opened; or to the entries of a list that is only
  /// named like one of HTTP live streaming. Returns false if there is none.
  private mutating func replace(after failure: NetworkError) -> Bool {
    guard isOpening, failure.kind != .cancelled else { return false }
    if failure.kind == .otherPlaylist, trail.enterPlaylist() {
      leaveFeed()
      effects.append(.readPlaylist(trail.address))
      return true
    }
    guard let next = trail.advance() else { return false }
    leaveFeed()
    retries.reset()
    if next.path.lowercased().hasSuffix(".m3u8") { startFeed() } else { askFirst() }
    return true
  }

  private mutating func leaveFeed() {
    if case .feed = kind { effects.append(.endFeed) }
    kind = .file(canRange: true)
  }

  // MARK: Segments

  /// Handles an event of the thread that feeds segments.
  private mutating func handle(_ event: FeedEvent) {
    switch event {
    case .playlist(let timeline): _ = kind.withFeed { $0.adopt(timeline) }
    case .clock(let clock, let segment): _ = kind.withFeed { $0.note(clock, of: segment) }
    case .segmentFailed(let error):
      if kind.withFeed({ $0.failRun(error) }) == true { effects.append(.notify(isNews: false)) }
    case .encodingChanged: if kind.withFeed({ $0.endRun() }) == true { openFeed() }
    case .segmentAbandoned: if let bytes = kind.withFeed({ $0.abandonSegment() }) ?? nil { evict(bytes) }
    case .ended(let outcome): endFeed(outcome)
    case .stored(let range, let facts): storeSegment(range, facts)
    }
  }

  private mutating func openFeed() {
    phase = .open
    effects.append(.notify(isNews: false))
  }

  private mutating func endFeed(_ outcome: Result<StreamContinuation?, NetworkError>) {
    if case .failed = phase { return }
    switch outcome {
    case .failure(let error): return fail(error)
    case .success(let continuation): _ = kind.withFeed { $0.end(continuation) }
    }
    if timeline == nil { record.length = record.present.ranges.last?.upperBound ?? 0 }
    openFeed()
  }

  private mutating func storeSegment(_ range: Range<Int64>, _ facts: FeedEvent.Facts) {
    record.present.insert(contentsOf: range)
    _ = kind.withFeed { feed in
      feed.append(range.upperBound - range.lowerBound, of: facts.segment)
      if !range.isEmpty { feed.open(isLive: facts.isLive) }
    }
    guard !range.isEmpty else { return }
    record.contentType = record.contentType ?? facts.contentType
    openFeed()
  }

  /// Finds room for bytes that the feeding thread has fetched.
  mutating func admitSegment(byteCount: Int, reader: Int64) -> (admission: FeedAdmission, effects: [FetchEffect]) {
    let admission = admit(Int64(byteCount), reader: reader)
    defer { effects = [] }
    return (admission, effects)
  }

  private mutating func admit(_ byteCount: Int64, reader: Int64) -> FeedAdmission {
    if case .failed = phase { return .over }
    guard let feed = kind.feed else { return .over }
    switch feed.place(for: byteCount, liveEnd: record.present.ranges.last?.upperBound ?? 0) {
    case .dropped: return .dropped
    case .tooFar:
      fail(NetworkError(.unusable, "this HLS stream has more bytes than any sound"))
      return .over
    case .at(let place):
      let room = budget.evictions(record.present, reader: reader, arriving: byteCount, at: place)
      _ = kind.withFeed { $0.wait(room == nil) }
      guard let room else {
        effects.append(.notify(isNews: false))
        return .full
      }
      for range in room {
        evict(range)
        if let rest = kind.withFeed({ $0.evict(endingAt: range.upperBound) }) ?? nil { evict(rest) }
      }
      return .at(place)
    }
  }

  /// Chooses the next segment to fetch.
  mutating func nextSegment(reader: Int64) -> (wanted: SegmentFeed.Wanted, effects: [FetchEffect]) {
    if case .failed = phase { return (.over, []) }
    let wanted = kind.withFeed { $0.next(reader: reader) } ?? .over
    guard case .finished(let run) = wanted else { return (wanted, []) }
    if let completed = kind.withFeed({ $0.complete(run: run) }) ?? nil {
      // The run from the start is the whole resource, if nothing of it was evicted.
      if completed.isWhole, record.present.end(from: 0) == completed.bytes.upperBound {
        record.length = completed.bytes.upperBound
      }
      openFeed()
    }
    defer { effects = [] }
    return (record.isComplete ? .over : .nothing, effects)
  }

  /// Where to read on for a moment of a stream of segments.
  mutating func place(atSeconds seconds: Double) -> SegmentPlace? {
    kind.withFeed { [present = record.present] in $0.place(atSeconds: seconds, among: present) } ?? nil
  }
}
