internal import AudioModel

/// Conversions between packets, frames and bytes. They throw 'more' if they need bytes that have not arrived.
extension AudioFile {
  /// The first frame of a packet. Throws 'pck?' if the packet does not exist, 'more' if it has not arrived, 'wht?' if
  /// reading fails.
  public func frame(ofPacket packet: Int64) throws(ContainerError) -> Int64 {
    try extendIndex(to: packet)
    if let frame = try map.frame(ofPacket: packet) { return frame }
    guard try move(to: packet) else { throw missing("packet \(packet)") }
    return nextFrame
  }

  /// The packet at which to begin decoding in order to reach a time.
  public struct DecodingStart: Sendable, Hashable {
    /// The first packet to decode.
    public var packet: Int64
    /// The number of decoded frames, from `packet` on, that precede the time and have to be dropped.
    public var frameOffset: Int
  }

  /// The packet at which to begin decoding in order to reach a time. The preroll is that of the container or of the
  /// decoder (`AudioDecoder.prerollPacketCount`), whichever is longer; the packet is one at which the decoder can begin
  /// (`AudioDecoder.resetInterval`). Always exact. Seconds count from the first audible frame.
  ///
  /// Throws 'pck?' after the end, -50 for NaN, 'wht?' if reading fails.
  public func decodingStart(
    atSeconds seconds: Double, decoderPreroll: Int = 0, resetInterval: Int = 1
  ) throws(ContainerError) -> DecodingStart {
    let frame = try map.frame(atSeconds: seconds)
    let target = try packet(containingFrame: frame)
    var first = max(0, target.packet - Int64(max(prerollPacketCount, decoderPreroll)))
    if try map.framesPerPacket() == nil {
      // The first packet may decode to no frame, but the next one needs it.
      let early = frame - Int64(prerollFrameCount)
      first = early > 0 ? min(first, try packet(containingFrame: early).packet) : 0
    }
    first -= first % Int64(max(1, resetInterval))
    return DecodingStart(packet: first, frameOffset: Int(clamping: frame - (try self.frame(ofPacket: first))))
  }

  private func missing(_ thing: String) -> ContainerError {
    isWaitingForBytes
      ? ContainerError(.dataUnavailable, "\(thing) is not there yet")
      : ContainerError(.invalidPacketOffset, "there is no \(thing)")
  }

  /// The packet that contains a frame, and the number of its frames before that one. Frames count from the first frame
  /// of the first packet, with priming. Throws 'pck?' if the packet does not exist, 'wht?' if reading fails.
  public func packet(containingFrame frame: Int64) throws(ContainerError) -> (packet: Int64, frameOffset: Int) {
    if let found = try map.packet(containingFrame: frame) {
      _ = try self.frame(ofPacket: found.packet)
      return found
    }
    try extendIndex { $0.frameCount > frame }
    guard 0..<index.frameCount ~= frame else { throw missing("frame \(frame)") }
    try begin(at: index.anchor(atOrBeforeFrame: frame))
    while let found = try reader.next() {
      guard case .packet(let packet) = found.event, reader.frame > frame else { continue }
      return (reader.packet - 1, Int(frame - (reader.frame - Int64(packet.frameCount))))
    }
    throw missing("frame \(frame)")
  }

  /// The exact start of a packet, from the data offset. Throws 'pck?' if the packet does not exist.
  public func byteOffset(ofPacket packet: Int64) throws(ContainerError) -> Int64 {
    guard packet >= 0, let description = try packetDescriptions(startPacket: packet, count: 1).packets.first else {
      throw missing("packet \(packet)")
    }
    return description.byteOffset - (try map.dataOffset())
  }
}
