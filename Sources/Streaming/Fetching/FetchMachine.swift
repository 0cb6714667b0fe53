internal import AudioModel
internal import ByteIO

/// Chooses the requests, interprets the answers, and retries or gives up. Pure: events in, effects out.
/// `NetworkResource` performs the effects, and moves the bytes.
struct FetchMachine {
  enum Phase: Hashable {
    /// The server has not answered yet. `kept`: the kind of playlist that the kept bytes begin, if any.
    case opening(kept: PlaylistKind?)
    /// `hasDelivered`: true once bytes were given to readers: no others may replace them.
    case open(hasDelivered: Bool)
    /// No more bytes will arrive.
    case failed(NetworkError)
  }

  private(set) var phase: Phase
  private(set) var body: FetchBody
  private(set) var trail: AddressTrail
  private(set) var stationName: String?
  /// The answer of the resolver, if the address is one that is resolved.
  private(set) var resolution: Resolution?
  /// True if the last attempt failed because the server is busy.
  private(set) var isBusy = false
  private var renewal = Renewal.possible
  private var earlyEnds = EarlyEnds()
  private var effects: [FetchEffect] = []
  private var now = MonotonicTime.zero

  init(
    _ trail: AddressTrail, kind: ResourceKind, contents: SpoolContents, keptPlaylist: PlaylistKind? = nil,
    retries: Retries
  ) {
    (self.trail, phase) = (trail, .opening(kept: keptPlaylist))
    body = FetchBody(kind: kind, contents: contents, retries: retries)
  }

  /// Applies changed settings for attempts. `isAwaited`: true if a reader waits for bytes that have not arrived.
  mutating func use(_ backOff: BackOff, isAwaited: Bool) { body.retries.use(backOff, isAwaited: isAwaited) }

  /// The only place where an event changes the state.
  mutating func handle(_ event: FetchEvent, at now: MonotonicTime) -> [FetchEffect] {
    self.now = now
    switch event {
    case .begin: begin()
    case .head(let head): receive(head)
    case .beginning(let playlist): if let playlist { follow(playlist) } else { open() }
    case .bytes(let count, let reader): effects += body.makeRoom(for: count, reader: reader)
    case .stored(let range, let newCount):
      body.store(range, newCount)
      if renewal == .made { renewal = .possible }
    case .unstorable: effects += body.contents.leaveDisk()
    case .mismatch: fail(changed())
    case .ended(let error): end(error)
    case .demand(let reader): plan(for: reader)
    case .delivered: if isOpen { phase = .open(hasDelivered: true) }
    case .playlist(let outcome): advance(outcome)
    case .resolved(let outcome): take(outcome)
    case .keepLatest(let byteCount, let losesUnread, let reader):
      if !isOpening { effects += body.keep(latest: byteCount, losesUnread: losesUnread, reader: reader) }
    case .failed(let error): fail(error)
    case .feed(let event): if failure == nil { changeFeed { $0.handle(event, &$1) } }
    }
    defer { effects = [] }
    return effects
  }

  /// Separates the audio of a station from its titles; `nil` if all bytes belong to the resource.
  mutating func split(_ bytes: UnsafeRawBufferPointer) -> [ICYSplitter.Piece]? {
    body.kind.withStation { $0.splitter.split(bytes) }
  }

  // MARK: Requests

  private mutating func begin() {
    if case .feed = kind {
      effects.append(.startFeed)
    } else if trail.isResolved {
      effects.append(.resolve(trail.wanted))
    } else if body.contents.wasWhole {
      // Without a question to the server, which may be away.
      open()
    } else {
      askFirst()
    }
  }

  /// Requests the beginning, or checks that the kept bytes are still valid. `plan` makes the requests after it.
  private mutating func askFirst() {
    if let gap = record.present.gap(from: 0, to: record.length ?? .max) {
      request(from: gap.lowerBound)
    } else if let condition = record.validator.condition {
      body.transfer = FetchTransfer(start: 0, position: 0, isValidation: true)
      effects.append(.request(TransferRequest(address: trail.address, fields: [condition]), at: retries.time))
    } else {
      request(from: record.length ?? 0)
    }
  }

  private mutating func request(from place: Int64, to end: Int64? = nil) {
    effects.append(body.request(trail.address, from: place, to: end, at: now))
  }

  private mutating func plan(for reader: Int64) {
    body.reader = reader
    guard isOpen, renewal != .pending else { return }
    do throws(NetworkError) { effects += try body.plan(from: trail.address, at: now) } catch { fail(error) }
  }

  // MARK: Answers

  private mutating func receive(_ head: HTTPResponseHead) {
    guard let transfer else { return }
    let context = FetchAnswer.Context(
      record: record, transfer: transfer, isOpening: isOpening, isLive: kind.isLive,
      hasDelivered: phase == .open(hasDelivered: true))
    do throws(NetworkError) {
      let answer = try FetchAnswer(head, context)
      try accept(answer, head, transfer)
      trail.origin = trail.origin ?? head.address
      // The first bytes of a body show whether it is a playlist.
      let isKnown = trail.handling == .asIs || head.status != 200 || !record.present.isEmpty
      if isOpening, isKnown, !answer.needsRequest { open() }
    } catch {
      if error.kind == .busy { body.retries.requestDelay(.seconds(head.retryAfter ?? 0)) }
      if error.mayPass { lose(error) } else if !renews(after: error) { fail(error) }
    }
  }

  private mutating func accept(
    _ answer: FetchAnswer, _ head: HTTPResponseHead, _ current: FetchTransfer
  ) throws(NetworkError) {
    switch answer {
    case .new(let length): adopt(head, length: length)
    case .part(let total): body.contents.record.length = record.length ?? total
    case .whole:
      if current.start > 0 || current.end != nil { forgetRanges() }
      body.transfer?.position = 0
      body.transfer?.end = nil
    case .unchanged: effects += body.cancelTransfer()
    case .notModified: break
    case .rejoined:
      _ = body.kind.withStation { $0.splitter = ICYSplitter(interval: head.metadataInterval) }
      effects.append(.note(.rejoined))
    case .ends(let length): body.contents.record.length = length
    case .replaced(let length):
      clear()
      adopt(head, length: length)
      body.transfer?.position = 0
    case .replacedInPart:
      clear()
      request(from: 0)
    case .doubtful(let length): try compare(length, current)
    case .wrongRange: startOver()
    }
  }

  /// Derives the kind of the resource from the first answer, and chooses the place for its bytes.
  private mutating func adopt(_ head: HTTPResponseHead, length: Int64?) {
    switch kind {
    case .pipe: break
    case _ where head.isLive: body.kind = .station(.init(splitter: ICYSplitter(interval: head.metadataInterval)))
    default: body.kind = .file(canRange: head.acceptsRanges ?? (length != nil))
    }
    stationName = head.stationName
    effects += body.contents.adopt(head, length: length, address: trail.address)
  }

  /// Mirrors of a server may send different validators for the same bytes: if the lengths agree, kept bytes are
  /// compared with those that arrive.
  private mutating func compare(_ length: Int64?, _ current: FetchTransfer) throws(NetworkError) {
    guard let length, length == record.length, !record.validator.isEmpty else { throw changed() }
    body.contents.record.validator = Validator()
    request(from: record.present.end(from: current.start), to: current.end)
  }

  /// Deletes the kept bytes, which are stale: no others may be played after them.
  private mutating func changed() -> NetworkError {
    clear()
    return NetworkError(.changed, "the file on the server has changed; play it again from the start")
  }

  private mutating func clear() {
    if isOpening { phase = .opening(kept: nil) }
    effects.append(body.contents.clear())
  }

  /// The server's ranges are wrong: requests the whole resource, in order.
  private mutating func startOver() {
    forgetRanges()
    guard !retries.isExhausted else {
      return fail(NetworkError(.unusable, "the server sends other bytes than the requested ones"))
    }
    body.retries.countImmediate()
    request(from: 0)
  }

  private mutating func forgetRanges() { if case .file = kind { body.kind = .file(canRange: false) } }

  // MARK: Phases

  /// Opens the resource: the server has answered, or the kept bytes suffice. If these are a playlist, it is followed.
  private mutating func open() {
    if trail.handling != .asIs, case .opening(let kept?) = phase { return follow(kept) }
    phase = .open(hasDelivered: false)
    effects.append(.notify(isNews: true))
  }

  private mutating func end(_ error: NetworkError?) {
    guard let ended = transfer else { return }
    let leave = kind.isLive ? NetworkError(.interrupted, "the station ended the connection") : nil
    if let error = error ?? leave ?? ended.shortage(record.length) {
      guard error.kind == .short, case .file = kind, earlyEnds.note(ended, of: record.length)
      else { return lose(error) }
      body.contents.record.length = ended.position
      effects.append(.note(.ended(reason: error.message)))
    } else if ended.end == nil {
      body.contents.record.length = record.length ?? ended.position
    }
    body.transfer = nil
    if isOpening { open() }
    effects += body.save + [.plan, .notify(isNews: false)]
  }

  /// A connection was lost: plans another attempt if it may help.
  private mutating func lose(_ error: NetworkError) {
    if let transfer { body.kind.countConnection(of: now - transfer.time, &body.retries) }
    body.transfer = nil
    let mayRetry = error.mayPass && !(isOpening && error.kind == .unreachable)
    if isOpening, error.mayPass, !record.present.isEmpty {
      // Without a network, the kept bytes can be played.
      open()
      guard isOpen else { return }
    }
    // Another request to a server without ranges would fetch all bytes again.
    guard mayRetry, let delay = body.retries.planNext(at: now, mayExceedLimit: kind.canRange) else {
      if isOpen, error.kind == .unreachable, record.isComplete {
        return effects.append(.notify(isNews: false))
      }
      guard mayRetry, !isOpening, case .file = kind else { return fail(error) }
      return fail(error.after(retries.attempt, withoutByte: record.present.end(from: body.reader)))
    }
    // A station without a source may answer in the same way.
    isBusy = error.kind == .busy && !kind.isLive
    // Beyond the limit, the reader's next step plans the request: nobody knows when.
    if isOpening || !retries.isBeyondLimit {
      let (reason, seconds) = (error.message, delay.inSeconds)
      effects.append(
        .note(
          isBusy ? .busy(reason: reason, retrySeconds: seconds) : .connectionLost(reason: reason, retrySeconds: seconds)
        ))
    }
    if isOpening { askFirst() } else if !retries.isBeyondLimit { effects.append(.plan) }
    effects.append(.notify(isNews: false))
  }

  /// No more bytes will arrive, unless a playlist has another entry to try.
  private mutating func fail(_ error: NetworkError) {
    effects += body.cancelTransfer()
    if replace(after: error) { return }
    if case .feed = kind { effects.append(.endFeed) }
    phase = .failed(error)
    effects += body.save + [.notify(isNews: false)]
  }

  // MARK: Resolved addresses

  /// A new address for the rest of the bytes, after one that has expired.
  private enum Renewal {
    case possible, pending
    /// Nothing has arrived from there yet.
    case made
  }

  /// Resolves the address again if it was refused in the middle. Returns false if that is not possible.
  private mutating func renews(after error: NetworkError) -> Bool {
    guard isOpen, trail.isResolved, error.isRefusal, renewal == .possible else { return false }
    renewal = .pending
    effects += body.cancelTransfer() + [.resolve(trail.wanted)]
    return true
  }

  private mutating func take(_ outcome: Result<Resolution, NetworkError>) {
    switch outcome {
    case .success(let new) where isOpening:
      resolution = new
      trail.add(new.addresses)
      fail(NetworkError(.unusable, "the program names no address on the network"))
    case .success(let new):
      guard isOpen, let address = new.addresses.first else { return }
      renewal = .made
      trail.renew(address)
      effects.append(.plan)
    case .failure(let error):
      guard case .playlist = error.kind, trail.handling != .list else { return fail(error) }
      fail(NetworkError(.unusable, "too many nested playlists"))
    }
  }

  // MARK: Playlists

  /// The resource turns out to be a playlist: its entries are read in its place. Nothing of it is kept.
  private mutating func follow(_ playlist: PlaylistKind) {
    effects += body.cancelTransfer()
    guard trail.enterPlaylist() else { return fail(NetworkError(.unusable, "too many nested playlists")) }
    effects.append(body.contents.moveToMemory(trail.address))
    (phase, body.kind, stationName) = (.opening(kept: nil), .file(canRange: true), nil)
    body.retries.resetCount()
    switch playlist {
    case .hls: startFeed()
    case .entries: effects.append(.readPlaylist(trail.address))
    }
  }

  private mutating func startFeed() {
    body.kind = .feed(SegmentFeed())
    effects.append(.startFeed)
  }

  /// A playlist has been read: its entries, or `nil` if it is a playlist of HTTP live streaming.
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
    body.retries.reset()
    if next.path.lowercased().hasSuffix(".m3u8") { startFeed() } else { askFirst() }
    return true
  }

  private mutating func leaveFeed() {
    if case .feed = kind { effects.append(.endFeed) }
    body.kind = .file(canRange: true)
  }

  // MARK: Segments

  /// Finds room for bytes that the feeding thread has fetched.
  mutating func admitSegment(byteCount: Int, reader: Int64) -> (admission: FeedAdmission, effects: [FetchEffect]) {
    guard failure == nil else { return (.over, []) }
    var admission = FeedAdmission.over
    changeFeed { $0.admit(Int64(byteCount), reader: reader, &$1, &admission) }
    defer { effects = [] }
    return (admission, effects)
  }

  mutating func nextSegment(reader: Int64) -> (wanted: SegmentFeed.Wanted, effects: [FetchEffect]) {
    guard failure == nil else { return (.over, []) }
    let wanted = body.kind.withFeed(&body.contents) { feed, _ in feed.next(reader: reader) } ?? .over
    guard case .finished(let run) = wanted else { return (wanted, []) }
    changeFeed { $0.complete(run: run, &$1) }
    defer { effects = [] }
    return (record.isComplete ? .over : .nothing, effects)
  }

  /// Changes the feed and the contents of the spool together, and carries out the outcome. Without a feed, as after the
  /// end of one, does nothing.
  private mutating func changeFeed(_ change: (inout SegmentFeed, inout SpoolContents) -> SegmentFeed.Outcome) {
    guard let outcome = body.kind.withFeed(&body.contents, change) else { return }
    effects += outcome.effects
    if let failure = outcome.failure { return fail(failure) }
    guard outcome.opens else { return }
    if isOpening { phase = .open(hasDelivered: false) }
    effects.append(.notify(isNews: false))
  }

  /// The place to read for a time of a stream of segments.
  mutating func place(atSeconds seconds: Double) -> SegmentPlace? {
    body.kind.withFeed(&body.contents) { $0.place(atSeconds: seconds, among: $1.record.present) } ?? nil
  }
}
