internal import AudioModel

/// Numbers the packets of a stream, and indexes those whose numbers are exact.
struct PacketCounter {
  var index = PacketIndex()
  /// Number of the next packet, and whether it is exact.
  var next: Int64 = 0
  var isExact = true
  /// Packets before this one are parsed, not delivered: a seek led to a place before its target.
  var firstDelivered: Int64 = 0

  /// True if the next packet is the first one that the index lacks.
  var extendsIndex: Bool { isExact && next == index.packetCount && !index.isComplete }

  /// Counts packets, and returns those of them that are to be delivered.
  mutating func count(_ packet: ContainerPacket, at offset: Int64, spanning byteCount: Int64) -> ContainerPacket? {
    if extendsIndex { index.append(packet, at: offset, spanning: byteCount) }
    let early = Int(max(0, min(Int64(packet.packetCount), firstDelivered - next)))
    next += Int64(packet.packetCount)
    return early < packet.packetCount ? packet.part(packet.packetCount - early) : nil
  }
}
