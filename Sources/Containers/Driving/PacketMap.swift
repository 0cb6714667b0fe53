internal import AudioModel

/// Converts between packets, frames and bytes of a stream.
struct PacketMap {
  var information: MediaInformation
  var index: PacketIndex
  var seekTable: SeekTable?

  /// First frame of a packet; `nil` if packets differ in their frames and must be looked at one by one.
  func frame(ofPacket packet: Int64) throws(ContainerError) -> Int64? {
    try check(packet)
    return try framesPerPacket().map { packet * $0 }
  }

  /// The packet that contains a frame, and the number of its frames before it; `nil` as above.
  func packet(containingFrame frame: Int64) throws(ContainerError) -> (packet: Int64, frameOffset: Int)? {
    guard let framesPerPacket = try framesPerPacket() else { return nil }
    let (packet, rest) = max(0, frame).quotientAndRemainder(dividingBy: framesPerPacket)
    try check(frame < 0 ? frame : packet)
    return (packet, Int(rest))
  }

  /// The frame that is heard at a moment, counted from the first of packet 0.
  func frame(atSeconds seconds: Double) throws(ContainerError) -> Int64 {
    guard !seconds.isNaN else { throw ContainerError(.badParameter, "a time that is no number") }
    _ = try dataOffset()
    let priming = information.packetTable?.primingFrames ?? information.primingFrames
    let (sum, overflows) = Int64(saturating: (max(0, seconds) * (information.dataFormat?.sampleRate ?? 0)).rounded())
      .addingReportingOverflow(Int64(priming))
    return overflows ? .max : sum
  }

  /// The packet that a decoder must begin with to reach a frame, and the first frame of that packet. `preroll` packets
  /// or `prerollFrameCount` frames precede the frame's, and decoding begins at multiples of `resetInterval` only.
  func start(
    ofFrame frame: Int64, preroll: Int, resetInterval: Int, prerollFrameCount: Int
  ) throws(ContainerError) -> (packet: Int64, frame: Int64) {
    if let found = try packet(containingFrame: frame) {
      let needed = max(0, found.packet - Int64(preroll))
      let first = needed - needed % Int64(max(1, resetInterval))
      return (first, frame - Int64(found.frameOffset) - (found.packet - first) * (try framesPerPacket() ?? 0))
    }
    if let anchor = index.anchor(atOrBeforeFrame: max(0, frame - Int64(prerollFrameCount))) {
      return (anchor.packet, anchor.frame)
    }
    // Packets differ in their frames, and these were not seen yet.
    return (Int64(saturating: Double(frame) / (try meanFramesPerPacket())), frame)
  }

  /// The mean of the packets seen so far.
  private func meanFramesPerPacket() throws(ContainerError) -> Double {
    guard index.packetCount >= 8, index.frameCount > 0 else {
      throw ContainerError(.dataUnavailable, "fewer than 8 packets were seen")
    }
    return Double(index.frameCount) / Double(index.packetCount)
  }

  /// The start of a packet, from the data offset; exact for remembered places, else estimated.
  func byteOffset(ofPacket packet: Int64) throws(ContainerError) -> (byteOffset: Int64, isEstimated: Bool) {
    try check(packet)
    let start = try dataOffset()
    if let anchor = index.anchor(atOrBefore: packet) {
      if anchor.packet == packet { return (anchor.byteOffset - start, false) }
      let inside = Double(packet - anchor.packet) * (try averageByteCount())
      return (anchor.byteOffset - start + Int64(saturating: inside), true)
    }
    _ = try averageByteCount()
    return (try estimatedByteOffset(ofPacket: packet), true)
  }

  /// The same from the header's table, else from the mean size of a packet, however few were seen.
  func estimatedByteOffset(ofPacket packet: Int64) throws(ContainerError) -> Int64 {
    if let seekTable, let count = information.packetCount, count > 0 {
      return seekTable.byteOffset(atFraction: Double(packet) / Double(count)) - (try dataOffset())
    }
    return Int64(saturating: Double(packet) * (information.averageBytesPerPacket ?? 0))
  }

  /// The packet at a byte (from the data offset), how far into it the byte lies, and whether both are estimated.
  func packet(
    atByte byteOffset: Int64
  ) throws(ContainerError) -> (packet: Int64, byteOffsetInPacket: Int, isEstimated: Bool) {
    guard 0..<Self.most ~= byteOffset else {
      throw ContainerError(.invalidPacketOffset, "there is no byte \(byteOffset)")
    }
    let offset = try dataOffset() + byteOffset
    let anchor =
      index.anchor(atOrBeforeByte: offset) ?? ResumePoint(byteOffset: offset - byteOffset, packet: 0, frame: 0)
    let average = try averageByteCount()
    let rest = Double(offset - anchor.byteOffset)
    let inside = (rest / average).rounded(.down)
    guard inside < Double(Self.most) else {
      throw ContainerError(.invalidPacketOffset, "there is no packet at byte \(byteOffset)")
    }
    return (anchor.packet + Int64(inside), Int(rest - inside * average), rest != 0)
  }

  /// No stream has that many packets or bytes; smaller numbers can be multiplied and added without overflow.
  private static let most: Int64 = 1 << 48

  /// Refuses packets that do not exist.
  func check(_ packet: Int64) throws(ContainerError) {
    // A header may be too short: the first of several files that a station sends.
    let end = max(index.packetCount, min(information.packetCount ?? Self.most, Self.most))
    guard packet >= 0, packet < end else {
      let all = information.packetCount.map { "; there are \($0)" } ?? ""
      throw ContainerError(.invalidPacketOffset, "there is no packet \(packet)\(all)")
    }
  }

  func dataOffset() throws(ContainerError) -> Int64 {
    guard let dataOffset = information.dataOffset else {
      throw ContainerError(.dataUnavailable, "the first packet was not reached yet")
    }
    return dataOffset
  }

  /// Frames of a packet; `nil` if packets differ in their frames.
  func framesPerPacket() throws(ContainerError) -> Int64? {
    guard let format = information.dataFormat else {
      throw ContainerError(.dataUnavailable, "the first packet was not reached yet")
    }
    return format.framesPerPacket > 0 ? Int64(format.framesPerPacket) : nil
  }

  /// Of all packets if they are known, else of those seen, which takes at least eight.
  private func averageByteCount() throws(ContainerError) -> Double {
    guard information.packetCount != nil || index.packetCount >= 8, let average = information.averageBytesPerPacket,
      average > 0
    else { throw ContainerError(.dataUnavailable, "fewer than 8 packets were seen") }
    return average
  }
}
