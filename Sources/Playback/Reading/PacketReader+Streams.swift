internal import AudioModel
internal import Containers
internal import Streaming

// Network streams: losses of stations, and segments of HTTP live streaming.
extension PacketReader {
  private var estimate: ByteEstimate { ByteEstimate(supply.packetIndex, information, frameFactor: frameFactor) }

  /// The bytes that have arrived behind the next packet.
  var arrival: PacketArrival {
    let rate = information.dataFormat?.sampleRate ?? 0
    return PacketArrival(
      input: input, estimate: estimate, nextByteOffset: nextByteOffset,
      secondsAhead: rate > 0 ? Double(window.frameCountAhead) / rate : 0)
  }

  /// If the next bytes are lost, continues with the oldest kept ones. Returns about how many seconds are lost; `nil` if
  /// nothing is lost.
  func passLoss() throws(TrackError) -> Double? {
    guard let start = input.oldestByteOffset, nextByteOffset < start, let supply = supply.arriving else { return nil }
    let seconds = Double(start - nextByteOffset) / estimate.bytesPerSecond
    let frame: Int64
    do throws(ContainerError) {
      if let anchor = supply.packetIndex.anchor(atOrAfterByte: start) {
        try supply.seek(toAnchor: anchor.packet)
        frame = anchor.frame &* Int64(frameFactor)
      } else {
        try supply.continueBehindLoss(at: start)
        frame = frameCount(in: supply.packetIndex)
      }
    } catch { throw .container(error) }
    restart(atPacket: 0, frame: frame)
    return seconds
  }

  // MARK: Segments

  private var secondsPerPacket: Double? {
    guard let format = information.dataFormat, format.framesPerPacket > 0, format.sampleRate > 0 else { return nil }
    return Double(format.framesPerPacket) / format.sampleRate
  }

  /// Seeks to the segment that holds a packet. False without a playlist, or if the packet index knows better.
  func goToSegment(ofPacket packet: Int64) -> Bool {
    guard let stream = input.stream, !stream.isComplete, let secondsPerPacket, supply.arriving != nil,
      !window.contains(packet),
      let seek = SegmentSeek(
        toPacket: packet, in: stream, supply.packetIndex, secondsPerPacket: secondsPerPacket,
        isCounted: !positionIsEstimated)
    else { return false }
    go(to: seek)
    return true
  }

  private func go(to seek: SegmentSeek) {
    guard let stream = input.stream, let supply = supply.arriving, let secondsPerPacket else { return }
    let framesPerPacket = Int64((information.dataFormat?.framesPerPacket ?? 0) / frameFactor)
    supply.seek(toByte: seek.segment.byteOffset) {
      seek.firstPacket(in: stream, secondsPerPacket: secondsPerPacket, framesPerPacket: framesPerPacket)
    }
    restart(atPacket: seek.packet, frame: 0)
    (positionIsEstimated, segmentSeek) = (!seek.segment.isExact, seek)
  }

  /// True if another segment turns out to hold the target: the seek continues there.
  func redirectsSegmentSeek() -> Bool {
    guard let stream = input.stream, let secondsPerPacket,
      let seek = segmentSeek?.redirected(in: stream, secondsPerPacket: secondsPerPacket)
    else { return false }
    go(to: seek)
    return true
  }

  /// The first packets of the segment have arrived.
  func endSegmentSeek() {
    guard let seek = segmentSeek else { return }
    segmentSeek = nil
    positionIsEstimated = !seek.currentSegment(in: input.stream).isExact
    // The rest of an earlier packet at the start of the segment is no damage.
    window.batch.removeGap(at: seek.segment.byteOffset)
    guard let first = window.batch.entries.first else { return }
    window.frame = first.index &* Int64(information.dataFormat?.framesPerPacket ?? 0)
  }
}
