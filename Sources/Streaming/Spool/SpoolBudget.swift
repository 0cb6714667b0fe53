/// Chooses the bytes to evict if a resource does not fit into its limit. Pure.
struct SpoolBudget: Hashable {
  /// Limit of bytes that are kept.
  var byteLimit: Int64
  /// True for a ring, for streams without end: it keeps all bytes that were read, and evicts the oldest first.
  var isRing = false
  /// True if a ring also evicts unread bytes, as during a pause.
  var losesUnread = false

  /// Bytes behind the reader that are kept for a small step back.
  private var keptBehind: Int64 { byteLimit / 4 }

  /// The bytes to evict so that `count` bytes at `place` have room; `nil` if they have to wait until the reader moves.
  /// `evictable`: those of the present bytes that have a limit, if not all have.
  func evictions(
    _ present: ByteRanges, among evictable: ByteRanges? = nil, reader: Int64, arriving count: Int64, at place: Int64
  ) -> [Range<Int64>]? {
    let evictable = evictable ?? present
    var excess = evictable.byteCount + count - byteLimit
    var evicted: [Range<Int64>] = []
    // Before the reader, the oldest first. A reader that waits for these very bytes needs no others.
    let isAwaited = present.end(from: reader) >= place
    let isStarved = isAwaited && place <= reader
    let keepsBehind = !isStarved && !isRing
    let end = isRing && losesUnread ? place : min(keepsBehind ? reader - keptBehind : reader, place)
    for range in evictable.ranges where excess > 0 && range.lowerBound < end {
      let part = range.lowerBound..<min(range.upperBound, end, range.lowerBound + excess)
      evicted.append(part)
      excess -= part.upperBound - part.lowerBound
    }
    // After the reader, the furthest first.
    let start = max(reader, place + count)
    for range in evictable.ranges.reversed() where excess > 0 && isAwaited && !isRing && range.upperBound > start {
      let part = max(range.lowerBound, start, range.upperBound - excess)..<range.upperBound
      evicted.append(part)
      excess -= part.upperBound - part.lowerBound
    }
    return excess > 0 ? nil : evicted
  }
}
