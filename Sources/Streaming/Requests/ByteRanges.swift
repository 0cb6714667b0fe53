/// The bytes of a resource that have arrived.
typealias ByteRanges = RangeSet<Int64>

extension RangeSet<Int64> {
  /// The sum of all ranges.
  var byteCount: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

  /// The end of the range that contains `offset`; `offset` itself if that byte is missing.
  func end(from offset: Int64) -> Int64 {
    let index = firstIndex { $0.upperBound > offset }
    return index < ranges.count && ranges[index].lowerBound <= offset ? ranges[index].upperBound : offset
  }

  /// The first range of missing bytes at or after `offset` and before `end`.
  func gap(from offset: Int64, to end: Int64) -> Range<Int64>? {
    let start = self.end(from: offset)
    guard start < end else { return nil }
    let next = firstIndex { $0.lowerBound > start }
    return start..<(next < ranges.count ? Swift.min(end, ranges[next].lowerBound) : end)
  }

  /// The index of the first range that meets a condition. The condition holds for all ranges after that one, too.
  private func firstIndex(where holds: (Range<Int64>) -> Bool) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
