internal import AudioModel

// Reports to a sink, and their order.
extension AudioFileStream {
  func handle(
    _ event: ContainerEvent, byteCount: Int64, at offset: Int64, batch: inout UnreportedPackets, position: Int,
    _ bytes: RawSpan, into sink: inout some AudioFileStreamSink
  ) {
    switch event {
    case .packet(let packet):
      reportGarbage(into: &sink)
      if packet.isFragmented { deliver(&batch, of: bytes, into: &sink) }
      if let delivered = counter.count(packet, at: offset, spanning: byteCount) {
        batch.append(delivered, of: packet, at: offset, position: position)
      }
      if packet.isFragmented { deliverFragments(of: &batch, at: position, of: bytes, into: &sink) }
    case .garbage, .truncatedPacket:
      deliver(&batch, of: bytes, into: &sink)
      if garbage.byteCount == 0 { garbage.byteOffset = offset }
      garbage.byteCount += byteCount
    case .metadata:
      reportGarbage(into: &sink)
    case .ready:
      reportGarbage(into: &sink)
      isReadyToProducePackets = true
      let format = parser.information.dataFormat
      counter.index.expectUniform(
        bytesPerPacket: format?.bytesPerPacket ?? 0, framesPerPacket: format?.framesPerPacket ?? 0)
      if let table = parser.index(endingAt: totalByteCount) { counter.index = table }
      announcedTags = parser.information.tags
      announce(AudioFileStreamPropertyID.announced, into: &sink)
    }
  }

  func deliver(_ batch: inout UnreportedPackets, of bytes: RawSpan, into sink: inout some AudioFileStreamSink) {
    guard !batch.packets.isEmpty else { return }
    deliver(&batch, in: bytes.extracting(batch.range), into: &sink)
  }

  /// Delivers one packet that lies in the bytes in pieces.
  func deliverFragments(
    of batch: inout UnreportedPackets, at position: Int, of bytes: RawSpan, into sink: inout some AudioFileStreamSink
  ) {
    guard !batch.packets.isEmpty else { return }
    var whole = parser.leadingBytes
    for fragment in parser.fragments {
      bytes.extracting(position + fragment.lowerBound..<position + fragment.upperBound)
        .withUnsafeBytes { whole.append(contentsOf: $0) }
    }
    deliver(&batch, in: whole.span.bytes, into: &sink)
  }

  func deliver(_ batch: inout UnreportedPackets, in bytes: RawSpan, into sink: inout some AudioFileStreamSink) {
    sink.stream(
      self, didParse: batch.packets.span, in: bytes,
      firstPacket: counter.next - batch.packets.reduce(0) { $0 + Int64($1.packetCount) })
    batch.packets.removeAll(keepingCapacity: true)
  }

  func reportGarbage(into sink: inout some AudioFileStreamSink) {
    guard garbage.byteCount > 0 else { return }
    if counter.extendsIndex { counter.index.skip(garbage.byteCount, at: garbage.byteOffset) }
    sink.stream(self, didSkip: garbage.byteCount, at: garbage.byteOffset)
    garbage.byteCount = 0
  }

  func announce(_ properties: [AudioFileStreamPropertyID], into sink: inout some AudioFileStreamSink) {
    let information = information
    for property in properties where property.isKnown(in: information) {
      sink.stream(self, didFind: property)
    }
  }
}
