/// The bytes of a resource that are there.
typealias ByteRanges = RangeSet<Int64>

extension RangeSet<Int64> {
  /// Bytes in all.
  var byteCount: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

  /// Where the run of bytes that holds `offset` ends; `offset` itself if that byte is missing.
  func end(from offset: Int64) -> Int64 {
    let place = firstIndex { $0.upperBound > offset }
    return place < ranges.count && ranges[place].lowerBound <= offset ? ranges[place].upperBound : offset
  }

  /// The first run of missing bytes at or behind `offset` and before `end`.
  func gap(from offset: Int64, to end: Int64) -> Range<Int64>? {
    let start = self.end(from: offset)
    guard start < end else { return nil }
    let next = firstIndex { $0.lowerBound > start }
    return start..<(next < ranges.count ? Swift.min(end, ranges[next].lowerBound) : end)
  }

  /// The first run that a condition holds for which holds for all behind it.
  private func firstIndex(where holds: (Range<Int64>) -> Bool) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
