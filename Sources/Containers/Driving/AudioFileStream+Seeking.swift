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
    let known = counter.index.anchor(atOrBefore: packet) ?? knownResumePoint(atOrBefore: packet)
    resumePoint = parser.listedPlace(of: packet, in: counter.index) ?? known
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
    let first = try map.start(
      ofFrame: frame, preroll: preroll, resetInterval: resetInterval, prerollFrameCount: prerollFrameCount)
    var target = try seek(toPacket: first.packet)
    (target.prerollPacketCount, target.frameOffset) = (preroll, Int(clamping: frame - first.frame))
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
    pending = PendingBytes(offset: start + target.dataOffset)
    counter.next = resumePoint?.packet ?? target.packet
    counter.firstDelivered = target.packet
    counter.isExact = !target.isEstimated
    (garbage.byteCount, isFinished, seekTarget) = (0, false, nil)
  }

  /// Continues with the bytes from `byteOffset` on after a loss of bytes, and continues to count packets without the
  /// lost ones. For streams without end, where numbers only give an order.
  public func continueBehindLoss(at byteOffset: Int64) throws(ContainerError) {
    try loseTrack()
    (pending.offset, garbage.byteCount, seekTarget) = (byteOffset, 0, nil)
    (counter.next, counter.isExact, counter.firstDelivered) = (counter.index.packetCount, true, 0)
  }

  /// Removes the places of packets before `byteOffset`.
  public func forgetPlaces(before byteOffset: Int64) { counter.index.forget(before: byteOffset) }

  /// Bytes are missing: the current packet is lost, the next one is searched, and its number is estimated.
  func loseTrack() throws(ContainerError) {
    try resume(at: nil)
    pending = PendingBytes(offset: pending.offset + Int64(pending.count))
    counter.isExact = false
  }
}
