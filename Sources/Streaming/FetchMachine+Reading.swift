internal import ByteIO

// Answers for readers.
extension FetchMachine {
  var isOpening: Bool { if case .opening = phase { true } else { false } }
  var isComplete: Bool { !isOpening && record.isComplete }
  var hasBytes: Bool { !record.present.isEmpty || record.length == 0 }
  var isPaused: Bool { transfer?.isPaused == true }
  /// Whether nothing of it has to be evicted.
  var hasRoomForAll: Bool { (record.length ?? 0) <= budget.byteLimit }
  var timeline: HLSTimeline? { kind.feed?.timeline }

  /// Whether the server sends parts.
  var canRange: Bool { if case .file(let canRange) = kind { canRange } else { false } }

  /// Whether each byte comes only after all before it.
  var comesInOrder: Bool {
    switch kind {
    case .file(let canRange): !canRange
    case .pipe: true
    case .station, .feed: false
    }
  }

  /// Bytes that the transfer under way has brought.
  var broughtByteCount: Int64 { transfer.map { $0.position - $0.start } ?? 0 }

  /// Whether a request for that address can share these bytes: not those of a station, which begins anew for each
  /// listener, nor where there is no room for the distance between two readers.
  func leads(from address: WebAddress, _ handling: PlaylistHandling) -> Bool {
    guard case .file = kind, isOpening || hasRoomForAll else { return false }
    if case .failed = phase { return false }
    return trail.leads(from: address, handling, isOpen: !isOpening)
  }

  /// Where the bytes from `offset` on end, if that is known.
  func knownEnd(from offset: Int64) -> Int64 { kind.feed?.knownEnd(from: offset) ?? record.length ?? .max }

  /// Whether a missing byte will not come.
  func isLost(_ offset: Int64) -> Bool {
    if let isLost = kind.feed?.isLost(offset) { return isLost }
    switch kind {
    case .file, .pipe: return false
    case .station, .feed: return record.present.ranges.first.map { offset < $0.lowerBound } ?? false
    }
  }

  /// Why a missing byte cannot be had.
  func failure(at offset: Int64) -> NetworkError? {
    if case .failed(let error) = phase { error } else { kind.feed?.failure(at: offset) }
  }

  /// Whether the wait for those bytes is over: they are there, or will not come.
  func isOver(_ wanted: Range<Int64>) -> Bool {
    if failure(at: wanted.lowerBound) != nil { return true }
    let end = record.present.end(from: wanted.lowerBound)
    return end >= min(wanted.upperBound, knownEnd(from: wanted.lowerBound)) || kind.feed?.isLost(end) == true
  }

  /// Bytes that have arrived, and those there will be, as far as that is known; of a live stream, those that are kept.
  var progress: (arrived: Int64, all: Int64?) {
    if kind.isLive { return (record.present.ranges.last?.upperBound ?? 0, budget.byteLimit) }
    let arrived = record.present.byteCount
    // All segments are of about the same size.
    return (arrived, timeline?.byteCount(arrived: arrived) ?? record.length)
  }
}
