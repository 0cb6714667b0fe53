internal import AudioModel
internal import ByteIO

/// The bytes of a resource, and the request that brings more of them: chooses what to request for a reader, and makes room.
/// Pure; returns the effects of its changes.
struct FetchBody {
  var kind: ResourceKind
  /// The bytes in the spool, and the facts about the resource.
  var contents: SpoolContents
  var retries: Retries
  /// The current request; at most one.
  var transfer: FetchTransfer?
  /// The position of the reader for which it was planned last.
  var reader: Int64 = 0

  /// Saves the record of the spool, if that is worth it.
  var save: [FetchEffect] { contents.canBeSaved ? [.save] : [] }

  // MARK: Requests

  /// Requests the bytes from `offset` on, and, without a validator, some before it for comparison.
  mutating func request(
    _ address: WebAddress, from offset: Int64, to end: Int64?, at now: MonotonicTime
  ) -> FetchEffect {
    let start = kind.isLive ? offset : contents.record.requestStart(for: offset)
    transfer = FetchTransfer(start: start, end: end, position: start, time: max(retries.time, now))
    return .request(
      TransferRequest(address, from: kind.isLive ? 0 : start, to: end, contents.record.validator), at: retries.time)
  }

  mutating func cancelTransfer() -> [FetchEffect] {
    guard transfer != nil else { return [] }
    transfer = nil
    return [.cancel]
  }

  /// Fetches the next bytes for the reader: the one that is served; at a station, the one that is furthest ahead. Throws
  /// if they cannot be requested.
  mutating func plan(from address: WebAddress, at now: MonotonicTime) throws(NetworkError) -> [FetchEffect] {
    switch kind {
    case .feed(let feed): return [feed.feeds(reader: reader) ? .wakeFeed : .interruptFeed]
    case .station:
      let request = transfer == nil ? [request(address, from: contents.end, to: nil, at: now)] : []
      return request + resumeIfThereIsRoom(for: reader)
    case .file, .pipe: break
    }
    let plan = FetchPlan(
      present: contents.record.present, length: contents.record.length, position: reader, transfer: transfer?.position,
      canRange: kind.canRange, wantsAll: contents.hasRoomForAll)
    switch plan.step {
    case .keep: return resumeIfThereIsRoom(for: reader)
    case .fetch(let offset, let end):
      if case .pipe = kind { throw NetworkError(.unusable, "cannot seek back in piped input") }
      return [request(address, from: offset, to: end, at: now)]
    case .stop: return cancelTransfer() + save
    }
  }

  // MARK: Room

  /// Resumes a paused transfer when a good piece fits, not for each byte. A reader that waits for the piece gets room
  /// at the cost of all other bytes.
  private mutating func resumeIfThereIsRoom(for reader: Int64) -> [FetchEffect] {
    guard let transfer, transfer.isPaused, contents.canResume(at: roomPlace(of: transfer, for: reader), reader: reader)
    else { return [] }
    self.transfer?.isPaused = false
    return [.resume]
  }

  /// Makes room for bytes of the transfer, or pauses it.
  mutating func makeRoom(for count: Int, reader: Int64) -> [FetchEffect] {
    guard let transfer else { return [] }
    let offset = roomPlace(of: transfer, for: reader)
    if let evictions = contents.makeRoom(for: Int64(count), at: offset, reader: reader) { return evictions }
    self.transfer?.isPaused = true
    // It has brought all that can be kept.
    retries.reset()
    return [.notify(isNews: false)]
  }

  /// The place of the next bytes. If all bytes come in order, those before the reader lead to those that it waits for,
  /// and get room at the same cost: the transfer may have begun again at 0.
  private func roomPlace(of transfer: FetchTransfer, for reader: Int64) -> Int64 {
    kind.comesInOrder ? max(transfer.position, reader) : transfer.position
  }

  mutating func store(_ range: Range<Int64>, _ newCount: Int64) {
    // A transfer that began again at 0 brings evicted bytes once more, which are no progress.
    let isProgress = newCount > 0 && (!kind.comesInOrder || range.upperBound > min(reader, contents.end))
    contents.insert(range)
    transfer?.position = range.upperBound
    if isProgress { retries.reset() }
  }

  /// Sets the number of bytes that are kept of a live stream.
  mutating func keep(latest byteCount: Int64, losesUnread: Bool, reader: Int64) -> [FetchEffect] {
    guard kind.isLive, contents.keep(latest: byteCount, losesUnread: losesUnread) else { return [] }
    if case .feed = kind { return [.wakeFeed] }
    return resumeIfThereIsRoom(for: reader)
  }
}
