internal import Containers
internal import Streaming

/// A seek in HTTP live streaming on demand: the playlist gives the segment to fetch, and the segment gives its packets.
struct SegmentSeek {
  /// The target.
  let packet: Int64
  /// The segment that is expected to hold it.
  private(set) var segment: SegmentPlace
  /// The number of segments that were tried before.
  private var attemptCount = 0

  /// The clocks of segments may differ from the playlist; each fetched segment corrects the estimate. The limit ends a
  /// search through wrong clocks.
  private static let attemptLimit = 6

  /// `nil` without a playlist, or if the packet index knows better. `isCounted`: the packets of the index were counted from
  /// the start.
  init?(
    toPacket packet: Int64, in stream: NetworkByteSource, _ index: PacketIndex, secondsPerPacket: Double,
    isCounted: Bool
  ) {
    if let anchor = index.anchor(atOrBefore: packet), stream.availableByteCount(from: anchor.byteOffset) > 0 {
      return nil
    }
    guard let segment = stream.place(atSeconds: Double(packet) * secondsPerPacket) else { return nil }
    // Packets of consecutive bytes can be counted, which is better than an estimate.
    if !segment.isExact, packet >= index.packetCount, isCounted,
      segment.byteOffset < index.endOffset + stream.availableByteCount(from: index.endOffset)
    {
      return nil
    }
    (self.packet, self.segment) = (packet, segment)
  }

  /// The same seek to another segment, if that one turns out to hold the target.
  func redirected(in stream: NetworkByteSource, secondsPerPacket: Double) -> SegmentSeek? {
    guard attemptCount < Self.attemptLimit,
      let segment = stream.place(atSeconds: Double(packet) * secondsPerPacket),
      segment.byteOffset != self.segment.byteOffset
    else { return nil }
    var seek = self
    (seek.segment, seek.attemptCount) = (segment, attemptCount + 1)
    return seek
  }

  /// The segment, as exactly as it is known now.
  func currentSegment(in stream: NetworkByteSource?) -> SegmentPlace {
    stream?.place(atByte: segment.byteOffset) ?? segment
  }

  /// The number and the frame of the segment's first packet.
  func firstPacket(in stream: NetworkByteSource, secondsPerPacket: Double, framesPerPacket: Int64) -> ResumePoint {
    let seconds = currentSegment(in: stream).seconds
    // Limited so that sums of frames cannot overflow.
    let packet = Int64(max(0, min((seconds / secondsPerPacket).rounded(), 0x1p50 / Double(max(1, framesPerPacket)))))
    return ResumePoint(byteOffset: segment.byteOffset, packet: packet, frame: packet * framesPerPacket)
  }
}
