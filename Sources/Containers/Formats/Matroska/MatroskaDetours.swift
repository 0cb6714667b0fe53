/// The places of header elements that lie after the clusters, by `SeekHead` (RFC 9559 5.1.1), and of those that were
/// read.
struct MatroskaDetours {
  /// Places that are kept. A file that refers to more elements is read only that far, so that circles end.
  private static let maximumCount = 64

  private var offsets: [Int64] = []
  private var readOffsets: Set<Int64> = []
  private var tracksOffset: Int64?
  /// The place to return to once the tracks after the first cluster are read.
  private var returnOffset: Int64?

  /// Reads the content of a `SeekHead`. Positions are counted from `segmentStart`.
  mutating func readSeekHead(_ content: RawSpan, segmentStart: Int64) {
    content.forEachElement { id, content in
      guard id == MatroskaID.seek else { return }
      var (target, position) = (0 as UInt64, UInt64.max)
      content.forEachElement { id, content in
        if id == MatroskaID.seekID { target = content.ebmlUnsigned }
        if id == MatroskaID.seekPosition { position = content.ebmlUnsigned }
      }
      guard position < 1 << 56, case let offset = segmentStart + Int64(position) else { return }
      switch UInt32(truncatingIfNeeded: target) {
      case MatroskaID.tracks: tracksOffset = offset
      case MatroskaID.tags, MatroskaID.cues, MatroskaID.chapters, MatroskaID.attachments, MatroskaID.seekHead:
        if offsets.count < Self.maximumCount { offsets.append(offset) }
      default: break
      }
    }
  }

  /// True if the element at an offset was read.
  func hasRead(_ offset: Int64) -> Bool { readOffsets.contains(offset) }

  mutating func noteRead(_ offset: Int64) { if readOffsets.count < Self.maximumCount { readOffsets.insert(offset) } }

  /// The next place with an element that was not read.
  mutating func next() -> Int64? {
    while readOffsets.count < Self.maximumCount, let offset = offsets.first {
      offsets.removeFirst()
      if !readOffsets.contains(offset) { return offset }
    }
    return nil
  }

  /// The place of the tracks after a cluster at `offset`, which is returned to afterwards. `nil` if it is unknown.
  mutating func goToTracks(from offset: Int64) -> Int64? {
    guard let target = tracksOffset, target > offset else { return nil }
    (tracksOffset, returnOffset) = (nil, offset)
    return target
  }

  /// The place to return to after `goToTracks`.
  mutating func returnFromTracks() -> Int64? {
    defer { returnOffset = nil }
    return returnOffset
  }
}
