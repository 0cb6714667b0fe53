/// One packet of compressed audio (an "MPEG audio frame" is a packet here): its place and its number of frames. Packets
/// of one size, as in PCM, come as runs: one description for many.
public struct PacketDescription: Hashable, Sendable {
  /// From the start of the stream or file.
  public var byteOffset: Int64
  /// Bytes of all packets of the run.
  public var byteCount: Int
  /// PCM frames of all packets of the run, before encoder delay and padding are trimmed.
  public var frameCount: Int
  /// Discarded PCM frames before those: the delay of a link of a chained stream.
  public var droppedFrameCount = 0
  /// True for the first packet of a link of a chained stream: its decoder needs no packet before it.
  public var beginsLink = false
  /// The number of packets in the run: 1 unless all packets of the format have one size.
  public var packetCount: Int

  /// A packet, or a run of `packetCount`.
  public init(byteOffset: Int64, byteCount: Int, frameCount: Int, packetCount: Int = 1) {
    self.byteOffset = byteOffset
    self.byteCount = byteCount
    self.frameCount = frameCount
    self.packetCount = packetCount
  }

  /// A single packet of the run; `index` counts from 0.
  public func packet(_ index: Int) -> PacketDescription {
    guard packetCount > 1, 0..<packetCount ~= index else { return self }
    let size = byteCount / packetCount
    var packet = PacketDescription(
      byteOffset: byteOffset + Int64(index * size), byteCount: size, frameCount: frameCount / packetCount)
    if index == 0 { (packet.droppedFrameCount, packet.beginsLink) = (droppedFrameCount, beginsLink) }
    return packet
  }
}

/// The part of a stream's decoded frames that is played (`'pnfo'`). The three add up to all frames
/// of all packets.
public struct AudioFilePacketTableInfo: Hashable, Sendable {
  /// Frames to play, from the first behind `primingFrames` on.
  public var validFrames: Int64
  /// Frames to drop at the start, including the delay of the decoder.
  public var primingFrames: Int
  /// Frames to drop at the end.
  public var remainderFrames: Int

  /// A trim of these counts of frames.
  public init(validFrames: Int64, primingFrames: Int, remainderFrames: Int) {
    self.validFrames = validFrames
    self.primingFrames = primingFrames
    self.remainderFrames = remainderFrames
  }
}
