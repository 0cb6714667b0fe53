/// The places of some packets: `Cues` (RFC 9559 5.1.5).
struct MatroskaCues {
  /// One for every second of 18 hours.
  private static let maximumCount = 0x10000

  /// A cluster that holds the packet that begins at a time.
  struct Point {
    /// In units of the segment.
    var time: Int64
    /// From the start of the stream.
    var byteOffset: Int64
  }

  /// In their order in time.
  private(set) var points: [Point] = []

  /// Reads the content of a `CuePoint`, if it tells of the track `number`. Clusters are counted from `segmentStart`.
  mutating func read(_ content: RawSpan, trackNumber number: UInt64, segmentStart: Int64) {
    var (time, position) = (nil as Int64?, nil as UInt64?)
    content.forEachElement { id, content in
      switch id {
      case MatroskaID.cueTime: time = content.ebmlInteger
      case MatroskaID.cueTrackPositions: position = position ?? Self.position(content, trackNumber: number)
      default: break
      }
    }
    guard let time, let position, position < 1 << 56, points.count < Self.maximumCount,
      time > points.last?.time ?? -1
    else { return }
    points.append(Point(time: time, byteOffset: segmentStart + Int64(position)))
  }

  private static func position(_ content: RawSpan, trackNumber number: UInt64) -> UInt64? {
    var (position, isOurs) = (nil as UInt64?, false)
    content.forEachElement { id, content in
      if id == MatroskaID.cueTrack { isOurs = content.ebmlUnsigned == number }
      if id == MatroskaID.cueClusterPosition { position = content.ebmlUnsigned }
    }
    return isOurs ? position : nil
  }
}
