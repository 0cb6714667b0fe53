internal import AudioModel

// Going on elsewhere.
extension AudioFileStream {
  /// The place to continue so that a packet is delivered next. The next `parse` must be given bytes from there on.
  ///
  /// A decoder that is to give the packet's own samples needs `prerollPacketCount` packets before it: seek to the first of
  /// those and discard what they decode to, or let `seek(toSeconds:)` do both.
  ///
  /// Exact for packets that were parsed or are in an adopted index, else estimated from the header's table or the mean
  /// size. Throws 'more' before `isReadyToProducePackets`, 'pck?' before the first packet and after the last, 'dsc!'
  /// for a place that would have to be guessed where no packet can be found by its bytes; and what `parse` has thrown.
  public func seek(toPacket packet: Int64) throws(ContainerError) -> SeekTarget {
    guard !isParsing else { throw ContainerError(.illegalOperation, "a seek while the stream reports") }
    if let failure, failure.code != .discontinuityCantRecover { throw failure }
    let map = map
    let start = try map.dataOffset()
    try map.check(packet)
    var target: SeekTarget
    resumePoint = index.anchor(atOrBefore: packet) ?? toldPlace(atOrBefore: packet)
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

  /// The place to continue so that decoding what is delivered next reaches a moment of the audio: its first
  /// `frameOffset` frames come before it, preroll included. Seconds count from the first frame to be heard.
  ///
  /// A decoder may need more packets before the target than the container knows (`AudioDecoder.prerollPacketCount`), or
  /// begin at some packets only (`AudioDecoder.resetInterval`). Exact where `seek(toPacket:)` is, else estimated. Throws as that does, and -50 for a time that is no number.
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

  /// Continues with the bytes from a place that the caller knows: packet and frame there may be guesses, and are not
  /// remembered. For streams whose parts have a time.
  public func seek(to place: ResumePoint) throws(ContainerError) {
    guard !isParsing else { throw ContainerError(.illegalOperation, "a seek while the stream reports") }
    if let failure { throw failure }
    let start = try map.dataOffset()
    resumePoint = place
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

  /// Continues with the bytes from `byteOffset` on, those before it being lost for good, and counts on as if they had
  /// never been: for streams without end, whose numbers mean nothing but an order.
  public func continueBehindLoss(at byteOffset: Int64) throws(ContainerError) {
    try loseTrack()
    (offset, nextPacket, garbage.byteCount) = (byteOffset, index.packetCount, 0)
    (seekTarget, packetNumbersAreExact, firstDelivered) = (nil, true, 0)
  }

  /// Forgets where packets before `byteOffset` were.
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
