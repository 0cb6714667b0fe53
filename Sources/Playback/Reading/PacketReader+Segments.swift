internal import AudioModel
internal import Containers
internal import Streaming

// Seeks in HTTP live streaming on demand: the playlist gives the segment to fetch, and the segment gives its packets.
extension PacketReader {
  /// A seek to a segment that is being fetched.
  struct SegmentSeek {
    /// The target.
    var packet: Int64
    /// The expected place.
    var place: SegmentPlace
    /// The number of segments that were tried before.
    var attemptCount: Int
  }

  /// The clocks of segments may differ from the playlist; each fetched segment corrects the estimate. The limit ends a
  /// search through wrong clocks.
  private static let attemptLimit = 6

  private var secondsPerPacket: Double? {
    guard let format = information.dataFormat, format.framesPerPacket > 0, format.sampleRate > 0 else { return nil }
    return Double(format.framesPerPacket) / format.sampleRate
  }

  /// Seeks to the segment that holds a packet. False without a playlist, or if the packet index knows better.
  func goToSegment(ofPacket packet: Int64) -> Bool {
    guard let stream, !stream.isComplete, supply.arriving != nil, let secondsPerPacket,
      batch.entries.first.map({ $0.index > packet }) ?? true || batch.entries.last.map({ $0.end <= packet }) ?? true
    else { return false }
    let index = supply.packetIndex
    if let anchor = index.anchor(atOrBefore: packet), stream.availableByteCount(from: anchor.byteOffset) > 0 {
      return false
    }
    guard let place = stream.place(atSeconds: Double(packet) * secondsPerPacket) else { return false }
    // Packets of consecutive bytes can be counted, which is better than an estimate.
    if !place.isExact, packet >= index.packetCount, !placeIsEstimated,
      place.byteOffset < index.endOffset + stream.availableByteCount(from: index.endOffset)
    {
      return false
    }
    go(to: SegmentSeek(packet: packet, place: place, attemptCount: 0))
    return true
  }

  private func go(to seek: SegmentSeek) {
    guard let stream, let supply = supply.arriving, let secondsPerPacket else { return }
    let framesPerPacket = Int64((information.dataFormat?.framesPerPacket ?? 0) / frameFactor)
    let place = seek.place
    supply.seek(toByte: place.byteOffset) {
      let seconds = (stream.place(atByte: place.byteOffset) ?? place).seconds
      // Limited so that sums of frames cannot overflow.
      let packet = Int64(max(0, min((seconds / secondsPerPacket).rounded(), 0x1p50 / Double(max(1, framesPerPacket)))))
      return ResumePoint(byteOffset: place.byteOffset, packet: packet, frame: packet * framesPerPacket)
    }
    begin(atPacket: seek.packet, frame: 0)
    (placeIsEstimated, segmentSeek) = (!place.isExact, seek)
  }

  /// True if another segment turns out to hold the target: the seek continues there.
  func beginsBetter() -> Bool {
    guard let seek = segmentSeek, seek.attemptCount < Self.attemptLimit, let secondsPerPacket,
      let place = stream?.place(atSeconds: Double(seek.packet) * secondsPerPacket),
      place.byteOffset != seek.place.byteOffset
    else { return false }
    go(to: SegmentSeek(packet: seek.packet, place: place, attemptCount: seek.attemptCount + 1))
    return true
  }

  /// The first packets of the segment have arrived.
  func endSegmentSeek() {
    guard let seek = segmentSeek else { return }
    segmentSeek = nil
    placeIsEstimated = !((stream?.place(atByte: seek.place.byteOffset) ?? seek.place).isExact)
    // The rest of an earlier packet at the start of the segment is no damage.
    batch.removeGap(at: seek.place.byteOffset)
    guard let first = batch.entries.first else { return }
    frame = first.index * Int64(information.dataFormat?.framesPerPacket ?? 0)
  }
}
