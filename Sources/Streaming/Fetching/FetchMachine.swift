internal import AudioModel
internal import ByteIO

/// Chooses the requests, interprets the answers, and retries or gives up. Pure: events in, effects out.
/// `NetworkResource` performs the effects, and moves the bytes.
struct FetchMachine {
  /// The phases of a resource.
  enum Phase: Hashable {
    /// The server has not answered yet.
    case opening
    case open
    /// No more bytes will arrive.
    case failed(NetworkError)
  }

  private(set) var phase = Phase.opening
  private(set) var kind: ResourceKind
  /// The bytes in the spool, and the facts about the resource.
  private(set) var contents: SpoolContents
  private(set) var trail: AddressTrail
  private(set) var retries: Retries
  /// The current request; at most one.
  private(set) var transfer: FetchTransfer?
  /// The address of the first answer, after redirects.
  private(set) var origin: WebAddress?
  private(set) var stationName: String?
  /// The kind of playlist that the kept bytes begin, if any.
  private var keptPlaylist: PlaylistKind?
  /// True once bytes were given to readers: no others may replace them.
  private var hasDelivered = false
  private var earlyEnds = EarlyEnds()
  /// The position of the reader that is served.
  private var reader: Int64 = 0
  /// The effects of the current event.
  private var effects: [FetchEffect] = []
  private var now = MonotonicTime.zero

  init(
    _ trail: AddressTrail, kind: ResourceKind, contents: SpoolContents, keptPlaylist: PlaylistKind? = nil,
    retries: Retries
  ) {
    (self.trail, self.kind, self.contents) = (trail, kind, contents)
    (self.keptPlaylist, self.retries) = (keptPlaylist, retries)
  }

  /// Applies changed settings for attempts. `isAwaited`: true if a reader waits for bytes that have not arrived.
  mutating func use(_ backOff: BackOff, isAwaited: Bool) { retries.use(backOff, isAwaited: isAwaited) }

  /// The only place where an event changes the state.
  mutating func handle(_ event: FetchEvent, at now: MonotonicTime) -> [FetchEffect] {
    self.now = now
    switch event {
    case .begin: begin()
    case .head(let head): receive(head)
    case .beginning(let playlist): if let playlist { follow(playlist) } else { open() }
    case .bytes(let count, let reader): makeRoom(for: count, reader: reader)
    case .stored(let range, let newCount): store(range, newCount)
    case .unstorable: effects += contents.leaveDisk()
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

  /// Separates the audio of a station from its titles; nil if all bytes belong to the resource.
  mutating func split(_ bytes: UnsafeRawBufferPointer) -> [ICYSplitter.Piece]? {
    kind.withStation { $0.splitter.split(bytes) }
  }

  /// The place of the next bytes of the body: at most `count`, none past the end.
  func destination(of count: Int) -> Range<Int64>? {
    guard let place = transfer?.position else { return nil }
    let count = min(Int64(count), (record.length ?? .max) - place)
    return count > 0 ? place..<(place + count) : nil
  }

  // MARK: Requests

  private mutating func begin() {
    if case .feed = kind { effects.append(.startFeed) } else { askFirst() }
  }

  /// Requests the beginning, or checks that the kept bytes are still valid. `plan` makes the requests after it.
  private mutating func askFirst() {
    if let gap = record.present.gap(from: 0, to: record.length ?? .max) {
      request(from: gap.lowerBound, to: nil)
    } else if let condition = record.validator.condition {
      transfer = FetchTransfer(start: 0, position: 0, isValidation: true)
      effects.append(.request(TransferRequest(address: trail.address, fields: [condition]), at: retries.time))
    } else {
      request(from: record.length ?? 0, to: nil)
    }
  }

  /// Requests the bytes from `place` on, and, without a validator, some before it for comparison.
  private mutating func request(from place: Int64, to end: Int64?) {
    let start = kind.isLive ? place : record.requestStart(for: place)
    let request = TransferRequest(trail.address, from: kind.isLive ? 0 : start, to: end, record.validator)
    transfer = FetchTransfer(start: start, end: end, position: start, time: max(retries.time, now))
    effects.append(.request(request, at: retries.time))
  }

  private mutating func cancelTransfer() {
    guard transfer != nil else { return }
    transfer = nil
    effects.append(.cancel)
  }

  /// Fetches the next bytes for a reader: the one that is served; at a station, the one that is furthest ahead.
  private mutating func plan(for reader: Int64) {
    self.reader = reader
    guard case .open = phase else { return }
    switch kind {
    case .feed(let feed): effects.append(feed.feeds(reader: reader) ? .wakeFeed : .interruptFeed)
    case .station:
      if transfer == nil { request(from: contents.end, to: nil) }
      resumeIfThereIsRoom(for: reader)
    case .file(let canRange): obey(step(for: reader, canRange: canRange), reader: reader)
    case .pipe:
      let step = step(for: reader, canRange: false)
      guard case .fetch = step else { return obey(step, reader: reader) }
      fail(NetworkError(.unusable, "cannot seek back in piped input"))
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

  /// Resumes a paused transfer when a good piece fits, not for each byte. A reader that waits for the piece gets room
  /// at the cost of all other bytes.
  private mutating func resumeIfThereIsRoom(for reader: Int64) {
    guard isPaused, let place = roomPlace(for: reader), contents.canResume(at: place, reader: reader) else { return }
    transfer?.isPaused = false
    effects.append(.resume)
  }

  private mutating func makeRoom(for count: Int, reader: Int64) {
    guard let place = roomPlace(for: reader) else { return }
    guard let evictions = contents.makeRoom(for: Int64(count), at: place, reader: reader) else {
      transfer?.isPaused = true
      // It has brought all that can be kept.
      retries.reset()
      return effects.append(.notify(isNews: false))
    }
    effects += evictions
  }

  /// The place of the next bytes. If all bytes come in order, those before the reader lead to those that it waits for,
  /// and get room at the same cost: the transfer may have begun again at 0.
  private func roomPlace(for reader: Int64) -> Int64? {
    transfer.map { comesInOrder ? max($0.position, reader) : $0.position }
  }

  private mutating func store(_ range: Range<Int64>, _ newCount: Int64) {
    // A transfer that began again at 0 brings evicted bytes once more, which are no progress.
    let isProgress = newCount > 0 && (!comesInOrder || range.upperBound > min(reader, contents.end))
    contents.insert(range)
    transfer?.position = range.upperBound
    if isProgress { retries.reset() }
  }

  private mutating func keep(latest byteCount: Int64, losesUnread: Bool, reader: Int64) {
    guard !isOpening, kind.isLive, contents.keep(latest: byteCount, losesUnread: losesUnread) else { return }
    if case .feed = kind { effects.append(.wakeFeed) } else { resumeIfThereIsRoom(for: reader) }
  }

  private mutating func save() { if contents.canBeSaved { effects.append(.save) } }

  // MARK: Answers

  private mutating func receive(_ head: HTTPResponseHead) {
    guard let transfer else { return }
    let context = FetchAnswer.Context(
      record: record, transfer: transfer, isOpening: isOpening, isLive: kind.isLive, hasDelivered: hasDelivered)
    do throws(NetworkError) {
      let answer = try FetchAnswer(head, context)
      try accept(answer, head, transfer)
      origin = origin ?? head.address
      // The first bytes of a body show whether it is a playlist.
      let isKnown = trail.handling == .asIs || head.status != 200 || !record.present.isEmpty
      if isOpening, isKnown, !answer.needsRequest { open() }
    } catch {
      if error.kind == .busy { retries.requestDelay(.seconds(head.retryAfter ?? 0)) }
      if error.mayPass { lose(error) } else { fail(error) }
    }
  }

  private mutating func accept(
    _ answer: FetchAnswer, _ head: HTTPResponseHead, _ current: FetchTransfer
  ) throws(NetworkError) {
    switch answer {
    case .new(let length): adopt(head, length: length)
    case .part(let total): contents.record.length = record.length ?? total
    case .whole:
      if current.start > 0 || current.end != nil { forgetRanges() }
      transfer?.position = 0
      transfer?.end = nil
    case .unchanged: cancelTransfer()
    case .notModified: break
    case .rejoined:
      _ = kind.withStation { $0.splitter = ICYSplitter(interval: head.metadataInterval) }
      effects.append(.note(.rejoined))
    case .ends(let length): contents.record.length = length
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

  /// Derives the kind of the resource from the first answer, and chooses the place for its bytes.
  private mutating func adopt(_ head: HTTPResponseHead, length: Int64?) {
    let isLive = head.isLive
    if case .pipe = kind {
    } else {
      let splitter = ICYSplitter(interval: head.metadataInterval)
      kind = isLive ? .station(.init(splitter: splitter)) : .file(canRange: head.acceptsRanges ?? (length != nil))
    }
    stationName = head.stationName
    effects += contents.adopt(head, length: length, address: trail.address)
  }

  /// Mirrors of a server may send different validators for the same bytes: if the lengths agree, kept bytes are
  /// compared with those that arrive.
  private mutating func compare(_ length: Int64?, _ current: FetchTransfer) throws(NetworkError) {
    guard let length, length == record.length, !record.validator.isEmpty else { throw changed() }
    contents.record.validator = Validator()
    request(from: record.present.end(from: current.start), to: current.end)
  }

  /// Deletes the kept bytes, which are stale: no others may be played after them.
  private mutating func changed() -> NetworkError {
    clear()
    return NetworkError(.changed, "the file on the server has changed; play it again from the start")
  }

  private mutating func clear() {
    keptPlaylist = nil
    effects.append(contents.clear())
  }

  /// The server's ranges are wrong: requests the whole resource, in order.
  private mutating func startOver() {
    forgetRanges()
    guard !retries.isExhausted else {
      return fail(NetworkError(.unusable, "the server sends other bytes than the requested ones"))
    }
    retries.countImmediate()
    request(from: 0, to: nil)
  }

  private mutating func forgetRanges() { if case .file = kind { kind = .file(canRange: false) } }

  // MARK: Phases

  /// Opens the resource: the server has answered, or the kept bytes suffice. If these are a playlist, it is followed.
  private mutating func open() {
    if trail.handling != .asIs, let keptPlaylist { return follow(keptPlaylist) }
    phase = .open
    effects.append(.notify(isNews: true))
  }

  private mutating func end(_ error: NetworkError?) {
    guard let ended = transfer else { return }
    let leave = kind.isLive ? NetworkError(.interrupted, "the station ended the connection") : nil
    if let error = error ?? leave ?? ended.shortage(record.length) {
      guard error.kind == .short, case .file = kind, earlyEnds.note(ended, of: record.length)
      else { return lose(error) }
      contents.record.length = ended.position
      effects.append(.note(.ended(reason: error.message)))
    } else if ended.end == nil {
      contents.record.length = record.length ?? ended.position
    }
    transfer = nil
    if isOpening { open() }
    save()
    effects += [.plan, .notify(isNews: false)]
  }

  /// A connection was lost: plans another attempt if it may help.
  private mutating func lose(_ error: NetworkError) {
    if let transfer { kind.countConnection(of: now - transfer.time, &retries) }
    transfer = nil
    let mayRetry = error.mayPass && !(isOpening && error.kind == .unreachable)
    if isOpening, error.mayPass, !record.present.isEmpty {
      // Without a network, the kept bytes can be played.
      open()
      guard case .open = phase else { return }
    }
    // Another request to a server without ranges would fetch all bytes again.
    guard mayRetry, let delay = retries.planNext(at: now, mayExceedLimit: canRange) else {
      if case .open = phase, error.kind == .unreachable, record.isComplete {
        return effects.append(.notify(isNews: false))
      }
      guard mayRetry, !isOpening, case .file = kind else { return fail(error) }
      return fail(error.after(retries.attempt, withoutByte: record.present.end(from: reader)))
    }
    // Beyond the limit, the reader's next step plans the request: nobody knows when.
    if isOpening || !retries.isBeyondLimit {
      effects.append(.note(.connectionLost(reason: error.message, retrySeconds: delay.inSeconds)))
    }
    if isOpening { askFirst() } else if !retries.isBeyondLimit { effects.append(.plan) }
    effects.append(.notify(isNews: false))
  }

  /// No more bytes will arrive, unless a playlist has another entry to try.
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
    guard trail.enterPlaylist() else { return fail(NetworkError(.unusable, "too many nested playlists")) }
    effects.append(contents.moveToMemory(trail.address))
    (kind, keptPlaylist, stationName, origin) = (.file(canRange: true), nil, nil, nil)
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

  /// A playlist has been read: its entries, or nil if it is a playlist of HTTP live streaming.
  private mutating func advance(_ outcome: Result<[WebAddress]?, NetworkError>) {
    guard isOpening else { return }
    switch outcome {
    case .success(nil): startFeed()
    case .success(let entries?):
      if trail.handling == .list, !entries.isEmpty {
        return fail(NetworkError(.playlist(entries), "a playlist of \(entries.count)"))
      }
      trail.add(entries)
      fail(NetworkError(.unusable, "the playlist has no entries on the network"))
    case .failure(let error): fail(error)
    }
  }

  /// Moves to the next entry of a playlist after one that cannot be opened, or to the entries of a list that only has a
  /// name of HTTP live streaming. Returns false if there is none.
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

  /// Handles an event of the thread that feeds segments. Events of a feed that was left are ignored.
  private mutating func handle(_ event: FeedEvent) {
    if case .failed = phase { return }
    changeFeed { $0.handle(event, &$1) }
  }

  /// Finds room for bytes that the feeding thread has fetched.
  mutating func admitSegment(byteCount: Int, reader: Int64) -> (admission: FeedAdmission, effects: [FetchEffect]) {
    if case .failed = phase { return (.over, []) }
    var admission = FeedAdmission.over
    changeFeed { $0.admit(Int64(byteCount), reader: reader, &$1, &admission) }
    defer { effects = [] }
    return (admission, effects)
  }

  /// Chooses the next segment to fetch.
  mutating func nextSegment(reader: Int64) -> (wanted: SegmentFeed.Wanted, effects: [FetchEffect]) {
    if case .failed = phase { return (.over, []) }
    let wanted = kind.withFeed { $0.next(reader: reader) } ?? .over
    guard case .finished(let run) = wanted else { return (wanted, []) }
    changeFeed { $0.complete(run: run, &$1) }
    defer { effects = [] }
    return (record.isComplete ? .over : .nothing, effects)
  }

  /// Changes the feed and the contents of the spool together, and carries out the outcome.
  private mutating func changeFeed(_ change: (inout SegmentFeed, inout SpoolContents) -> SegmentFeed.Outcome) {
    guard case .feed(var feed) = kind else { return }
    kind = .pipe  // As in `ResourceKind.withFeed`.
    let outcome = change(&feed, &contents)
    kind = .feed(feed)
    effects += outcome.effects
    if let failure = outcome.failure { return fail(failure) }
    guard outcome.opens else { return }
    phase = .open
    effects.append(.notify(isNews: false))
  }

  /// The place to read for a time of a stream of segments.
  mutating func place(atSeconds seconds: Double) -> SegmentPlace? {
    kind.withFeed { [present = record.present] in $0.place(atSeconds: seconds, among: present) } ?? nil
  }
}
