import AudioModel
import Containers
import Testing

@Suite struct `Xing, Info, VBRI and LAME headers` {
  static let audio = Array(Synthesis.packets(100).joined())

  static func information(_ first: [UInt8], _ rest: [UInt8] = audio, isComplete: Bool = false) throws
    -> MediaInformation
  {
    let file = try AudioFile(source: AwkwardSource(first + rest))
    if isComplete { #expect(try file.advanceIndex()) }
    return file.information
  }

  @Test func `give the numbers of packets and bytes, without themselves`() throws {
    let information = try Self.information(
      Synthesis.xing("Xing", packetCount: 5000, byteCount: 2_000_417),
      Self.audio + [UInt8](repeating: 0, count: 2_000_000 - 41750))
    #expect(information.packetCount == 5000)
    #expect(information.audioDataByteCount == 2_000_000)
    #expect(information.duration == 5_760_000.0 / 44100)
    #expect(information.bitRate == 122_500)
    #expect(information.packetTable == nil)
  }

  @Test func `are found after the side information of every channel mode and version`() throws {
    for (version, mode, place) in [(3, 1, 36), (3, 3, 21), (2, 1, 21), (2, 3, 13), (0, 0, 21)]
      as [(UInt32, UInt32, Int)]
    {
      for isProtected in [false, true] {
        // 64 kb/s: MPEG-1 44.1 kHz 208, MPEG-2 22.05 kHz 208, MPEG-2.5 11.025 kHz 417 bytes.
        let header = Synthesis.header(
          version: version, bitRate: version == 3 ? 5 : 8, mode: mode, isProtected: isProtected)
        let size = version == 0 ? 417 : 208
        for shift in [0, 2] where isProtected || shift == 0 {
          var packet = Synthesis.packet(header, size)
          packet.replaceSubrange(
            place + shift..<place + shift + 12, with: Array("Info".utf8) + [0, 0, 0, 1] + Synthesis.bigEndian(77, 4))
          let (transcript, _) = pushed(packet + Array(repeatElement(Synthesis.packet(header, size), count: 5).joined()))
          #expect(transcript.packets.count == 5)
          #expect(transcript.packets.first?.byteOffset == Int64(size))
        }
      }
    }
  }

  @Test(
    arguments: [
      // Delay, padding; priming, remainder of 100 packets; nil where nothing is to be trimmed.
      (576, 1386, 1105, 857), (576, 529, 1105, 0), (576, 100, 1105, 0), (0, 600, 529, 71), (1, 0, 530, 0),
      (4095, 4095, 4624, 3566),
    ] as [(UInt32, UInt32, Int, Int)]) func `give the trim, with the decoder's 529 frames moved to the start`(
      delay: UInt32, padding: UInt32, priming: Int, remainder: Int
    ) throws
  {
    let first = Synthesis.xing(packetCount: 100, byteCount: nil, delay: delay, padding: padding)
    for isComplete in [false, true] {
      let table = try Self.information(first, isComplete: isComplete).packetTable
      #expect(
        table
          == AudioFilePacketTableInfo(
            validFrames: 115200 - Int64(priming + remainder), primingFrames: priming, remainderFrames: remainder))
    }
  }

  @Test func `are ignored if they trim more than the file has`() throws {
    let (few, first) = (
      Array(Synthesis.packets(3).joined()), Synthesis.xing(packetCount: 3, byteCount: nil, delay: 4095, padding: 4095)
    )
    for isComplete in [false, true] {
      let information = try Self.information(first, few, isComplete: isComplete)
      #expect(information.packetTable == nil)
      #expect(information.duration == 3456.0 / 44100)
    }
    // Both zero is an encoder that does not know.
    #expect(
      try Self.information(Synthesis.xing(packetCount: 100, byteCount: nil, delay: 0, padding: 0)).packetTable == nil)
    // Trims nothing that is not said how long.
    #expect(
      try Self.information(Synthesis.xing(packetCount: nil, byteCount: nil, delay: 576, padding: 1386)).packetTable
        == nil)
  }

  @Test(arguments: [50, 99, 101, 150, 4_000_000_000] as [UInt32])
  func `give way to the packets where they count wrong`(claim: UInt32) throws {
    let byteCount = UInt32(417 + Self.audio.count)
    let first = Synthesis.xing(packetCount: claim, byteCount: byteCount, delay: 576, padding: 1386)
    let information = try Self.information(first, isComplete: true)
    #expect(information.packetCount == 100)
    // The bytes are all there, so the trim at the end counts from the true end.
    #expect(
      information.packetTable
        == AudioFilePacketTableInfo(validFrames: 115200 - 1105 - 857, primingFrames: 1105, remainderFrames: 857))
    #expect(information.duration == Double(115200 - 1105 - 857) / 44100)
  }

  @Test func `lose the remainder with the packets that are cut off`() throws {
    for (missing, remainder) in [(0, 857), (1, 0), (2, 0)] {
      let rest = Array(Synthesis.packets(100 - missing).joined())
      let first = Synthesis.xing(packetCount: 100, byteCount: UInt32(417 + Self.audio.count), delay: 576, padding: 1386)
      let table = try #require(try Self.information(first, rest, isComplete: true).packetTable)
      #expect(table.remainderFrames == remainder && table.primingFrames == 1105)
      #expect(table.validFrames == Int64((100 - missing) * 1152 - 1105 - remainder))
    }
  }

  @Test func `with fields cut off or senseless do no harm`() throws {
    let thin = Synthesis.header(version: 2, bitRate: 1, rate: 1, mode: 3)  // 24 bytes: 8 kb/s at 24 kHz.
    var first = Synthesis.packet(thin, 24)
    first.replaceSubrange(13..<24, with: Array("Xing".utf8) + [0, 0, 0, 15, 0xff, 0xff, 0xff])
    let (transcript, _) = pushed(first + Array(repeatElement(Synthesis.packet(thin, 24), count: 5).joined()))
    #expect(transcript.packets.count == 5 && transcript.error == nil)
    for (packets, bytes) in [(0, 0), (.max, .max), (1, .max), (.max, 1)] as [(UInt32, UInt32)] {
      let first = Synthesis.xing(
        "Xing", packetCount: packets, byteCount: bytes, delay: 4095, padding: 4095,
        table: [UInt8](repeating: 255, count: 100))
      let information = try Self.information(first, isComplete: true)
      #expect(information.packetCount == 100)
      _ = try Self.information(first)
    }
  }

  @Test func `of VBRI kind give packets, bytes and places`() throws {
    var first = Synthesis.packet(Synthesis.header(), 417)
    var content = Array("VBRI".utf8) + [0, 1, 9, 0x31, 0, 75]
    content += Synthesis.bigEndian(UInt32(417 + Self.audio.count), 4) + Synthesis.bigEndian(100, 4)
    content += [0, 4, 0, 10, 0, 2, 0, 25] + [100, 100, 1000, 1000].flatMap { Synthesis.bigEndian($0, 2) }
    first.replaceSubrange(36..<36 + content.count, with: content)
    let information = try Self.information(first)
    #expect(information.packetCount == 100 && information.audioDataByteCount == Int64(Self.audio.count))
    #expect(information.packetTable == nil)
    let stream = AudioFileStream()
    var transcript = Transcript()
    let start = Array((first + Self.audio)[..<2000])
    try stream.parse(start.span.bytes, into: &transcript)
    let (half, threeQuarters) = (try stream.seek(toPacket: 50), try stream.seek(toPacket: 75))
    #expect(half.dataOffset == 2000 && threeQuarters.dataOffset == 12000 && half.isEstimated)
  }

  // MARK: Duration

  @Test(arguments: [
    // TLEN in ms, believed or not: the estimate is 100 packets of 417.5 bytes at 128 kb/s = 2609 ms.
    (2612, true), (2700, true), (2500, true), (2900, false), (2400, false), (240_000, false),
  ]) func `else come from TLEN if it is likely, or from the bytes`(milliseconds: Int, isBelieved: Bool) throws {
    let tag = Synthesis.id3v2(3, [("TLEN", Synthesis.latin1(String(milliseconds)))])
    let (_, complete) = pushed(tag + Self.audio)
    #expect(complete.information.duration == 115200.0 / 44100)
    let stream = AudioFileStream(totalByteCount: Int64(tag.count + Self.audio.count))
    var transcript = Transcript()
    let start = Array((tag + Self.audio)[..<3000])
    try stream.parse(start.span.bytes, into: &transcript)
    let byBytes = Double(Self.audio.count) * 8 / 128000
    #expect(stream.information.duration == (isBelieved ? Double(milliseconds) / 1000 : byBytes))
    #expect(stream.information.durationIsEstimated)
  }

  @Test func `are unknown without a length and a header`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try stream.parse(Self.audio.span.bytes, into: &transcript)
    #expect(stream.information.duration == nil)
    try stream.finish(into: &transcript)
    #expect(stream.information.duration == 115200.0 / 44100)
  }
}
