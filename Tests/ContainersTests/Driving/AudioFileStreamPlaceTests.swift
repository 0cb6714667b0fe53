import AudioModel
@testable import Containers
import Testing

/// Positions of packets that a stream has not seen yet, estimated or refused.
@Suite struct `Places in a stream` {
  /// AMR, and AAC in fragments that no index tells of: only what was read tells where packets begin.
  static let unsearchable: [[UInt8]] = [
    Array("#!AMR\n".utf8) + (0..<400).flatMap { [0x3c] + [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 31) },
    MPEG4Synthesis.ftyp + MPEG4Synthesis.fragmentedMovie
      + (0..<20).flatMap { _ in MPEG4Synthesis.fragment([UInt32](repeating: 300, count: 20)) },
  ]

  static func code(_ body: () throws(ContainerError) -> Void) -> ContainerError.Code? {
    do throws(ContainerError) { try body() } catch { return error.code }
    return nil
  }

  @Test(arguments: unsearchable.indices) func `are not guessed where no packet could be found`(
    number: Int
  ) throws {
    let bytes = Self.unsearchable[number]
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    let whole = pushed(bytes).0
    var transcript = Transcript()
    let half = bytes.count / 2
    try stream.parse(bytes.span.bytes.extracting(first: half), into: &transcript)
    let last = Int64(whole.packets.count - 1)
    #expect(Self.code { () throws(ContainerError) in _ = try stream.seek(toPacket: last) } == .discontinuityCantRecover)
    // It continues as if nobody had asked.
    try stream.parse(bytes.span.bytes.extracting(droppingFirst: half), into: &transcript)
    try stream.finish(into: &transcript)
    #expect(transcript.packets == whole.packets && stream.packetNumbersAreExact)
  }

  @Test(arguments: unsearchable.indices, [false, true])
  func `are lost after a gap that cannot be searched, until a seek to a known packet`(
    number: Int, isGivenPlace: Bool
  ) throws {
    let bytes = Self.unsearchable[number]
    let stream = AudioFileStream()
    let whole = pushed(bytes).0
    var transcript = Transcript()
    try stream.parse(bytes.span.bytes.extracting(first: bytes.count / 2), into: &transcript)
    let count = transcript.packets.count
    for flags in [.discontinuity, [], []] as [AudioFileStream.ParseFlags] {
      let code = Self.code { () throws(ContainerError) in
        try stream.parse(bytes.span.bytes.extracting(last: 1000), flags: flags, into: &transcript)
      }
      #expect(code == .discontinuityCantRecover)
    }
    #expect(
      Self.code { () throws(ContainerError) in try stream.finish(into: &transcript) } == .discontinuityCantRecover)
    #expect(transcript.packets == Array(whole.packets.prefix(count)))
    let place = try #require(stream.packetIndex.anchor(atOrBefore: 30))
    let first = isGivenPlace ? place.packet : 30
    if isGivenPlace { try stream.seek(to: place) } else { _ = try stream.seek(toPacket: 30) }
    try stream.parse(
      bytes.span.bytes.extracting(droppingFirst: Int(place.byteOffset)), flags: .discontinuity, into: &transcript)
    try stream.finish(into: &transcript)
    #expect(transcript.packets[count...] == whole.packets[Int(first)...])
  }

  @Test func `are refused where a header puts more packets than there can be`() throws {
    var information = MediaInformation()
    (information.dataOffset, information.packetCount) = (0, 0xFFFF_FFFF)
    information.averageBytesPerPacket = 1 / 0xFFFF_FFFF
    let map = PacketMap(information: information, index: PacketIndex(), seekTable: nil)
    #expect(Self.code { () throws(ContainerError) in _ = try map.packet(atByte: 1 << 31) } == .invalidPacketOffset)
    #expect(try map.packet(atByte: 0).packet == 0)
  }

  @Test func `are guessed from the mean size where packets differ in their frames`() throws {
    let pages = OggSynthesis.opus(OggSynthesis.opusPackets(300), segmentsPerPage: 20)
    let bytes = OggSynthesis.file(pages)
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    var transcript = Transcript()
    try stream.parse(bytes.span.bytes.extracting(first: bytes.count / 3), into: &transcript)
    #expect(stream.information.dataFormat?.framesPerPacket == 0 && transcript.packets.count > 60)
    let average = Double(transcript.packets.reduce(0) { $0 + $1.byteCount }) / Double(transcript.packets.count)
    #expect(try stream.value(of: .averageBytesPerPacket) == average)
    let place = Int64(250 * average)
    #expect(try stream.byteOffset(ofPacket: 250) == (place, true))
    let target = try stream.seek(toPacket: 250)
    #expect(target.dataOffset == place && target.packet == 250 && target.isEstimated)
    let start = Int(try #require(stream.information.dataOffset) + place)
    try stream.parse(bytes.span.bytes.extracting(droppingFirst: start), into: &transcript)
    try stream.finish(into: &transcript)
    #expect(transcript.packets.last == pushed(bytes).0.packets.last)
  }

  @Test(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
  func `are exact for each packet that a table lists, before it was parsed`() throws {
    let sizes = (0..<200).map { 50 + $0 * 37 % 200 }
    let caf = ChunkSynthesis.caf([
      ChunkSynthesis.desc("aac "), ("kuki", [0x12, 0x10]), ChunkSynthesis.pakt(sizes, valid: 200 * 1024),
      ChunkSynthesis.data(ChunkSynthesis.samples(sizes.reduce(0, +))),
    ])
    for bytes in [Fixtures.bytes("mp4-aac-faststart.m4a"), caf] {
      let packets = pushed(bytes).0.packets
      #expect(packets.count > 100)
      let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
      var transcript = Transcript()
      let start = Int(try #require(packets.first).byteOffset)
      try stream.parse(bytes.span.bytes.extracting(first: start + 16), into: &transcript)
      #expect(transcript.packets.isEmpty)
      for (number, packet) in packets.enumerated() {
        let found = try stream.byteOffset(ofPacket: Int64(number))
        #expect(found == (packet.byteOffset - Int64(start), false), "\(number) \(found) \(packet)")
        let target = try stream.seek(toPacket: Int64(number))
        #expect(target.dataOffset == packet.byteOffset - Int64(start) && !target.isEstimated)
        var again = Transcript()
        let end = Int(packet.byteOffset) + packet.byteCount
        try stream.parse(bytes.span.bytes.extracting(Int(packet.byteOffset)..<end), into: &again)
        #expect(again.packets == [packet] && again.firstPackets == [Int64(number)])
      }
      #expect(throws: ContainerError.self) { try stream.byteOffset(ofPacket: Int64(packets.count)) }
    }
  }

  @Test func `give the corrected time of a seek, that of a packet`() throws {
    // 160 kb/s at 44.1 kHz: 22 of 49 packets padded.
    let packets = (0..<40).map { number in
      let isPadded = (number + 1) * 22 / 49 > number * 22 / 49
      return Synthesis.packet(Synthesis.header(bitRate: 10, padding: isPadded ? 1 : 0), isPadded ? 523 : 522)
    }
    let bytes = Synthesis.id3v2(4, [], padding: 4086) + packets.joined()
    let stream = AudioFileStream(totalByteCount: 4096 + 207_412)
    var transcript = Transcript()
    try stream.parse(bytes.span.bytes, into: &transcript)
    #expect(stream.information.dataOffset == 4096 && stream.information.durationIsEstimated)
    let duration = try #require(stream.information.duration)
    #expect(abs(duration - 10.3706) < 1e-4)
    let approximate = 4096 + 5 / duration * 207_412
    #expect(approximate.rounded() == 104_096)
    let packet = try stream.packet(containingFrame: 5 * 44100).packet
    let target = try stream.seek(toPacket: packet)
    #expect(packet == 191 && abs(target.dataOffset - 99788) <= 1 && target.isEstimated)
    let corrected = 5 - (approximate - 4096 - Double(target.dataOffset)) * 8 / 160_000
    let start = Double(try stream.frame(ofPacket: packet)) / 44100
    #expect(abs(corrected - start) < 1e-4 && abs(start - 4.9894) < 1e-4)
  }

  @Test func `and durations do not end at 4 GiB`() throws {
    let byteCount = 5 << 30 as Int64
    let stream = AudioFileStream(totalByteCount: byteCount)
    var transcript = Transcript()
    try stream.parse(Array(Synthesis.packets(20).joined()).span.bytes, into: &transcript)
    #expect(stream.information.duration == Double(byteCount) * 8 / 128_000)
    let place = Int64(12_000_000 * (128_000 * 1152.0 / 44100 / 8))
    #expect(place > 4 << 30)
    #expect(try stream.seek(toPacket: 12_000_000).dataOffset == place)
  }

  // MARK: Order

  /// When properties and packets come.
  private struct Order: AudioFileStreamSink {
    var properties: [AudioFileStreamPropertyID] = []
    var propertiesBeforePackets: [AudioFileStreamPropertyID]?
    mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {
      properties.append(property)
    }
    mutating func stream(
      _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
    ) { propertiesBeforePackets = propertiesBeforePackets ?? properties }
  }

  @Test(
    .enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"),
    arguments: [
      "e2-44100-v2.mp3", "framed-adts-stereo.aac", "wave-pcm_s16le.wav", "aiff-sox-16.aiff", "mp4-aac-faststart.m4a",
      "mp4-fragments.m4a", "vorbis-tagged.ogg", "opus-tagged.opus", "flac-tagged.flac", "caf-pcm_s16be.caf",
      "amr-long.amr-nb", "next-pcm_s16be.au",
    ])
  func `and other properties are reported in one order by all types, all before the packets`(
    name: String
  ) throws {
    let bytes = Fixtures.bytes(name)
    let hint = AudioFileTypeID.hint(mimeType: nil, url: name)
    let stream = AudioFileStream(typeHint: hint, totalByteCount: Int64(bytes.count))
    var order = Order()
    try stream.parse(bytes.span.bytes, into: &order)
    let told = try #require(order.propertiesBeforePackets)
    let codes = told.map(\.code.description)
    let promised = "ffmt dfmt flst mgic cmap pnfo pcnt bcnt doff psze pkub abpp brat info redy".split(separator: " ")
      .map(String.init)
    #expect(codes == promised.filter(codes.contains))
    #expect(told.first == .fileFormat && told.last == .readyToProducePackets)
    #expect([.dataFormat, .formatList, .dataOffset, .infoDictionary].allSatisfy(told.contains))
    #expect(order.properties.count { $0 == .readyToProducePackets } == 1)
  }
}
