internal import AudioModel

/// Packets of one run of bytes, not yet reported.
struct UnreportedPackets {
  var packets: [PacketDescription] = []
  /// The start of the first packet in the available bytes, and the end of the last.
  var range = 0..<0

  /// Appends the last ones of `packet`, which begins at `position` in the available bytes and at `offset` in the stream.
  mutating func append(_ delivered: ContainerPacket, of packet: ContainerPacket, at offset: Int64, position: Int) {
    let passed = packet.byteCount - delivered.byteCount
    let start = packets.isEmpty ? position + passed : range.lowerBound
    range = start..<position + packet.byteCount
    packets.append(delivered.description(at: offset + Int64(passed)))
  }
}
