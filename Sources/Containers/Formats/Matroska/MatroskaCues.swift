internal import AudioModel

/// The places of some packets: `Cues` (RFC 9559 5.1.5).
struct MatroskaCues {
  /// Enough for one cue per second for 18 hours.
  private static let maximumCount = 0x10000

  /// The cluster that contains the packet at a time.
  private struct Point {
    /// In units of the segment.
    var time: Int64
    /// From the start of the stream.
    var byteOffset: Int64
  }

  /// In their order in time.
  private var points: [Point] = []
  /// The points as places of packets, if they are exact.
  private var places: [ResumePoint] = []

  /// Reads the content of a `CuePoint` of the track `number`. Positions are counted from `segmentStart`.
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

  // MARK: Places of packets

  /// Marks a place in `ResumePoint.state`, beside the state of the codec: the packet is not the first of its cluster.
  static let isCue: Int32 = 1 << 30

  /// Converts the points to places of packets of `frameCount` frames, if the times of all points are exact enough to
  /// identify packets.
  mutating func placePackets(by clock: MatroskaClock, frameCount: Int) {
    guard frameCount > 1 else { return }
    places = []
    var found: [ResumePoint] = []
    for point in points {
      let packet = Int64((Double(clock.position(of: point.time)) / Double(frameCount)).rounded())
      let (frame, overflows) = packet.multipliedReportingOverflow(by: Int64(frameCount))
      let error = Double((frame &- clock.position(of: point.time)).magnitude)
      guard !overflows, packet > found.last?.packet ?? -1, error <= clock.framesPerUnit + 1 else { return }
      found.append(ResumePoint(byteOffset: point.byteOffset, packet: packet, frame: frame, state: Self.isCue))
    }
    places = found
  }

  /// The last place at or before a packet.
  func place(atOrBefore packet: Int64) -> ResumePoint? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].packet <= packet { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : places[low - 1]
  }

  /// The time of the cue from which a place was derived.
  func time(of place: ResumePoint, by clock: MatroskaClock) -> Int64 {
    let most = Int64(clock.framesPerUnit) + 1
    return points.first {
      $0.byteOffset == place.byteOffset && abs(clock.position(of: $0.time) - place.frame) <= most
    }?.time ?? .min
  }
}
