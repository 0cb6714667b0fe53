internal import ByteIO

// Answers for readers.
extension FetchMachine {
  var kind: ResourceKind { _read { yield body.kind } }
  var contents: SpoolContents { _read { yield body.contents } }
  /// Facts about the resource, and the list of bytes in the spool.
  var record: SpoolRecord { _read { yield body.contents.record } }
  var retries: Retries { body.retries }
  var transfer: FetchTransfer? { body.transfer }
  var isOpening: Bool { if case .opening = phase { true } else { false } }
  var isOpen: Bool { if case .open = phase { true } else { false } }
  /// The reason why no more bytes will arrive.
  var failure: NetworkError? { if case .failed(let error) = phase { error } else { nil } }
  var isComplete: Bool { !isOpening && record.isComplete }
  var isPaused: Bool { transfer?.isPaused == true }
  var timeline: HLSTimeline? { kind.feed?.timeline }

  /// True if a request for that address can share these bytes. False for a station, which begins again for each
  /// listener, and without room for the distance between two readers.
  func leads(from address: WebAddress, _ handling: PlaylistHandling) -> Bool {
    guard case .file = kind, failure == nil, isOpening || contents.hasRoomForAll else { return false }
    return trail.leads(from: address, handling, isOpen: !isOpening)
  }

  /// The end of the bytes from `offset` on; `.max` if it is unknown.
  func knownEnd(from offset: Int64) -> Int64 { kind.feed?.knownEnd(from: offset) ?? record.length ?? .max }

  /// True if a missing byte will never arrive.
  func isLost(_ offset: Int64) -> Bool {
    if let isLost = kind.feed?.isLost(offset) { return isLost }
    switch kind {
    case .file, .pipe: return false
    case .station, .feed: return record.present.ranges.first.map { offset < $0.lowerBound } ?? false
    }
  }

  /// The reason why a missing byte cannot arrive.
  func failure(at offset: Int64) -> NetworkError? { failure ?? kind.feed?.failure(at: offset) }

  /// True if the wait for those bytes is over: they have arrived, or never will.
  func isOver(_ wanted: Range<Int64>) -> Bool {
    if failure(at: wanted.lowerBound) != nil { return true }
    let end = record.present.end(from: wanted.lowerBound)
    return end >= min(wanted.upperBound, knownEnd(from: wanted.lowerBound)) || kind.feed?.isLost(end) == true
  }

  /// Bytes that have arrived, and the expected total, if known; for a live stream, the limit of kept bytes.
  var progress: (arrived: Int64, all: Int64?) {
    if kind.isLive { return (contents.end, contents.budget.byteLimit) }
    let arrived = record.present.byteCount
    // All segments are of about the same size.
    return (arrived, timeline?.byteCount(arrived: arrived) ?? record.length)
  }
}
