/// Chooses the bytes to evict where not all of a resource can be kept. Pure.
struct SpoolBudget: Hashable {
  /// Bytes that may be there at a time.
  var byteLimit: Int64
  /// Whether it is a ring, for what has no end: all that was read is kept, and the oldest goes first.
  var isRing = false
  /// Whether of a ring even bytes go that were not read, as while the listener pauses.
  var losesUnread = false

  /// Bytes behind the reader that are kept for a small step back.
  private var keptBehind: Int64 { byteLimit / 4 }

  /// The bytes to evict so that `count` bytes at `place` find room; nil if those have to wait until the reader has moved.
  func evictions(_ present: ByteRanges, reader: Int64, arriving count: Int64, at place: Int64) -> [Range<Int64>]? {
    var excess = present.byteCount + count - byteLimit
    var evicted: [Range<Int64>] = []
    // Behind the reader, the oldest first. A reader that waits for these very bytes has nothing else to lose.
    let isAwaited = present.end(from: reader) >= place
    let isStarved = isAwaited && place <= reader
    let keepsBehind = !isStarved && !isRing
    let end = isRing && losesUnread ? place : min(keepsBehind ? reader - keptBehind : reader, place)
    for range in present.ranges where excess > 0 && range.lowerBound < end {
      let part = range.lowerBound..<min(range.upperBound, end, range.lowerBound + excess)
      evicted.append(part)
      excess -= part.upperBound - part.lowerBound
    }
    // Ahead of it, the farthest first.
    let start = max(reader, place + count)
    for range in present.ranges.reversed() where excess > 0 && isAwaited && !isRing && range.upperBound > start {
      let part = max(range.lowerBound, start, range.upperBound - excess)..<range.upperBound
      evicted.append(part)
      excess -= part.upperBound - part.lowerBound
    }
    return excess > 0 ? nil : evicted
  }
}
