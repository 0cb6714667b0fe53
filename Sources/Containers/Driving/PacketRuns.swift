public import AudioModel

extension AudioFile.PacketRead {
  /// The number of packets: those of all runs.
  public var packetCount: Int { packets.reduce(0) { $0 + $1.packetCount } }

  /// Calls `body` with each packet and its bytes, runs divided. `bytes` is what `readPacketData` has filled.
  public func forEachPacket<Failure: Error>(
    in bytes: RawSpan, _ body: (PacketDescription, RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    for run in packets {
      for number in 0..<run.packetCount {
        let packet = run.packet(number)
        try body(packet, bytes.extracting(start..<start + packet.byteCount))
        start += packet.byteCount
      }
    }
  }
}

extension Span<PacketDescription> {
  /// The number of packets that an `AudioFileStream` delivers: those of all runs.
  public var packetCount: Int { indices.reduce(0) { $0 + self[$1].packetCount } }

  /// Calls `body` with each packet and its bytes, runs divided. `bytes` is what an `AudioFileStream` delivers with
  /// them.
  public func forEachPacket<Failure: Error>(
    in bytes: RawSpan, _ body: (PacketDescription, RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    for index in indices {
      for number in 0..<self[index].packetCount {
        let packet = self[index].packet(number)
        let start = Int(packet.byteOffset - self[0].byteOffset)
        try body(packet, bytes.extracting(start..<start + packet.byteCount))
      }
    }
  }
}
