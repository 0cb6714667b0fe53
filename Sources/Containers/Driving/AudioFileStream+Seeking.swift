internal import AudioModel

// Seeking.
extension AudioFileStream {
  /// Seeks to a packet. Returns the place of the bytes that the next `parse` must get.
  ///
  /// For the exact samples of the packet, a decoder needs `prerollPacketCount` packets before it: seek to the first of
  /// these and discard their frames, or use `seek(toSeconds:)`, which does both.
  ///
  /// Exact for packets of one size or in a table (their own place), parsed or in an adopted index (up to 63 packets before);
  /// else estimated. Throws 'more' before `isReadyToProducePackets`, 'pck?' outside the packets, 'dsc!' if packets cannot
  /// be found by their bytes; and the error that `parse` has thrown.
  public func seek(toPacket packet: Int64) throws(ContainerError) -> SeekTarget {
    guard !isParsing else { throw ContainerError(.illegalOperation, "a seek while the stream reports") }
    if let failure, failure.code != .discontinuityCantRecover { throw failure }
    let map = map
    let start = try map.dataOffset()
    try map.check(packet)
    var target: SeekTarget
    let known = index.anchor(atOrBefore: packet) ?? knownResumePoint(atOrBefore: packet)
    resumePoint = parser.listedPlace(of: packet, in: index) ?? known
    if let anchor = resumePoint {
      target = SeekTarget(dataOffset: anchor.byteOffset - start, packet: packet, isEstimated: false)
    } else {
      var other = parser
      try other.resume(at: nil)
      target = SeekTarget(dataOffset: try map.estimatedByteOffset(ofPacket: packet), packet: packet, isEstimated: true)
    }
    target.prerollPacketCount = Int(min(packet, Int64(prerollPacketCount)))
    (seekTarget, failure) = (target, nil)
    return target
  }

  /// Seeks to a time. Returns the place of the bytes that the next `parse` must get. The first `frameOffset` decoded
  /// frames precede the time, with the preroll. Seconds count from the first audible frame.
  ///
  /// Some decoders need more preroll than the container knows (`AudioDecoder.prerollPacketCount`), or begin at some
  /// packets only (`AudioDecoder.resetInterval`). Exact or estimated as `seek(toPacket:)`. Throws as that does, and -50
  /// for NaN.
  public func seek(
    toSeconds seconds: Double, decoderPreroll: Int = 0, resetInterval: Int = 1
  ) throws(ContainerError) -> SeekTarget {
    let frame = try map.frame(atSeconds: seconds)
    let preroll = max(prerollPacketCount, decoderPreroll)
    let first: Int64
    let firstFrame: Int64
    if let found = try map.packet(containingFrame: frame) {
      let needed = max(0, found.packet - Int64(preroll))
      first = needed - needed % Int64(max(1, resetInterval))
      firstFrame = frame - Int64(found.frameOffset) - (found.packet - first) * (try map.framesPerPacket() ?? 0)
    } else if let anchor = index.anchor(atOrBeforeFrame: max(0, frame - Int64(prerollFrameCount))) {
      (first, firstFrame) = (anchor.packet, anchor.frame)
    } else {
      // Packets differ in their frames, and these were not seen yet.
      let mean = try map.meanFramesPerPacket()
      (first, firstFrame) = (Int64(saturating: Double(frame) / mean), frame)
    }
    var target = try seek(toPacket: first)
    (target.prerollPacketCount, target.frameOffset) = (preroll, Int(clamping: frame - firstFrame))
    return target
  }

  /// Continues with the bytes from a place that the caller knows. Packet and frame there may be estimates, and are not
  /// added to the index. For streams whose parts have a time. Throws as `seek(toPacket:)`, but for the place.
  public func seek(to place: ResumePoint) throws(ContainerError) {
    guard !isParsing else { throw ContainerError(.illegalOperation, "a seek while the stream reports") }
    if let failure, failure.code != .discontinuityCantRecover { throw failure }
    let start = try map.dataOffset()
    (resumePoint, failure) = (place, nil)
    seekTarget = SeekTarget(dataOffset: place.byteOffset - start, packet: place.packet, isEstimated: true)
  }

  func jump(to target: SeekTarget) throws(ContainerError) {
    guard let start = parser.information.dataOffset else { return }
    try resume(at: resumePoint)
    offset = start + target.dataOffset
    pending = []
    (skipping, neededByteCount, garbage.byteCount) = (0, 0, 0)
    nextPacket = resumePoint?.packet ?? target.packet
    firstDelivered = target.packet
    packetNumbersAreExact = !target.isEstimated
    isFinished = false
    seekTarget = nil
  }

  /// Continues with the bytes from `byteOffset` on after a loss of bytes, and continues to count packets without the
  /// lost ones. For streams without end, where numbers only give an order.
  public func continueBehindLoss(at byteOffset: Int64) throws(ContainerError) {
    try loseTrack()
    (offset, nextPacket, garbage.byteCount) = (byteOffset, index.packetCount, 0)
    (seekTarget, packetNumbersAreExact, firstDelivered) = (nil, true, 0)
  }

  /// Removes the places of packets before `byteOffset`.
  public func forgetPlaces(before byteOffset: Int64) { index.forget(before: byteOffset) }

  /// Bytes are missing: the current packet is lost, the next one is searched, and its number is estimated.
  func loseTrack() throws(ContainerError) {
    try resume(at: nil)
    offset += Int64(pending.count)
    pending = []
    (skipping, neededByteCount) = (0, 0)
    packetNumbersAreExact = false
  }
}
