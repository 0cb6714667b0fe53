import SegueContainers
import Testing

/// One import brings all that it takes to parse.
@Test func `the small product parses with one import`() throws {
  struct Count: AudioFileStreamSink {
    var packets = 0
    mutating func stream(
      _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
    ) { self.packets += packets.packetCount }
  }
  // A WAVE file of 8 bits, with 100 frames.
  var bytes = Array("RIFF".utf8) + [0x88, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0]
  bytes += [0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0] + Array("data".utf8) + [100, 0, 0, 0]
  bytes += [UInt8](repeating: 0x80, count: 100)
  let stream = AudioFileStream(typeHint: .wave)
  var count = Count()
  try stream.parse(bytes.span.bytes, into: &count)
  try stream.finish(into: &count)
  #expect(count.packets == 100)
  #expect(try stream.value(of: .fileFormat) == .wave)
}
