import AudioModel
@testable import Containers
import Testing

@Suite struct `The stream parser` {
  static let packets = Synthesis.packets(200)
  static let audio = Array(packets.joined())
  static let withInfo =
    Synthesis.xing(packetCount: 200, byteCount: UInt32(417 + audio.count), delay: 576, padding: 1000) + audio

  /// Feeds a part of `bytes`.
  static func feed(
    _ stream: AudioFileStream, _ bytes: [UInt8], _ range: Range<Int>, flags: AudioFileStream.ParseFlags = [],
    _ transcript: inout Transcript
  ) throws(ContainerError) {
    try stream.parse(bytes.span.bytes.extracting(range), flags: flags, into: &transcript)
  }

  // MARK: Properties

  @Test func `announces properties in the promised order, ready once and before the first packets`() throws {
    struct Order: AudioFileStreamSink {
      var words: [String] = []
      mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {
        words.append(property.code.description)
      }
      mutating func stream(
        _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
      ) { if words.last != "packets" { words.append("packets") } }
    }
    var order = Order()
    let stream = AudioFileStream(totalByteCount: Int64(Self.withInfo.count))
    try stream.parse(Self.withInfo.span.bytes, into: &order)
    #expect(
      order.words == [
        "ffmt", "dfmt", "flst", "pnfo", "pcnt", "bcnt", "doff", "pkub", "abpp", "brat", "info", "redy", "packets",
      ])
    try stream.finish(into: &order)
    #expect(order.words.filter { $0 == "redy" }.count == 1)
    #expect(order.words.suffix(7) == ["pnfo", "pcnt", "bcnt", "psze", "abpp", "brat", "info"])
  }

  @Test func `has a value of the right type for every property`() throws {
    let (_, stream) = pushed(Self.withInfo)
    #expect(try stream.value(of: .fileFormat) == .mp3)
    let format = try stream.value(of: .dataFormat)
    #expect(
      format
        == AudioStreamBasicDescription(
          sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2))
    #expect(try stream.value(of: .formatList) == [format])
    #expect(try stream.value(of: .packetTableInfo).validFrames == 200 * 1152 - 576 - 1000)
    #expect(try stream.value(of: .audioDataPacketCount) == 200)
    #expect(try stream.value(of: .audioDataByteCount) == Int64(Self.audio.count))
    #expect(try stream.value(of: .dataOffset) == 417)
    #expect(try stream.value(of: .maximumPacketSize) == 418)
    #expect(try stream.value(of: .packetSizeUpperBound) == 1441)
    #expect(try stream.value(of: .averageBytesPerPacket) == 417.5)
    #expect(try stream.value(of: .bitRate) == 128000)
    #expect(try stream.value(of: .infoDictionary) == TrackTags())
    #expect(try stream.frame(ofPacket: 3) == 3456)
    #expect(try stream.packet(containingFrame: 3457) == (3, 1))
    #expect(try stream.byteOffset(ofPacket: 64) == (64 * 417 + 32, false))
    #expect(try stream.packet(atByte: 64 * 417 + 32) == (64, 0, false))
  }

  @Test func `throws 'more' before the end of the headers, then the error of an unknown or missing value`() throws {
    let stream = AudioFileStream()
    func code<Value>(_ property: AudioFileStreamProperty<Value>) -> ContainerError.Code? {
      do throws(ContainerError) { _ = try stream.value(of: property) } catch { return error.code }
      return nil
    }
    var transcript = Transcript()
    try Self.feed(stream, Self.audio, 0..<300, &transcript)
    #expect(code(.bitRate) == .dataUnavailable)
    #expect(code(.dataFormat) == .dataUnavailable)
    #expect(code(.infoDictionary) == .dataUnavailable)
    #expect(throws: ContainerError.self) { try stream.seek(toPacket: 0) }
    try Self.feed(stream, Self.audio, 300..<3000, &transcript)
    #expect(code(.bitRate) == nil)
    #expect(code(.audioDataByteCount) == .valueUnknown)
    #expect(code(.audioDataPacketCount) == .valueUnknown)
    #expect(code(.maximumPacketSize) == .valueUnknown)
    #expect(code(.magicCookieData) == .unsupportedProperty)
    #expect(code(.channelLayout) == .unsupportedProperty)
    #expect(code(.packetTableInfo) == .unsupportedProperty)
    try Self.feed(stream, Self.audio, 3000..<Self.audio.count, &transcript)
    try stream.finish(into: &transcript)
    #expect(code(.audioDataByteCount) == nil)
    #expect(code(.audioDataPacketCount) == nil)
    #expect(code(.maximumPacketSize) == nil)
  }

  @Test func `estimates places only when eight packets are known, and refuses impossible ones`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    func code(_ body: () throws(ContainerError) -> Void) -> ContainerError.Code? {
      do throws(ContainerError) { try body() } catch { return error.code }
      return nil
    }
    try Self.feed(stream, Self.audio, 0..<7 * 418, &transcript)
    #expect(transcript.packets.count < 8)
    #expect(code { () throws(ContainerError) in _ = try stream.byteOffset(ofPacket: 100) } == .dataUnavailable)
    try Self.feed(stream, Self.audio, 7 * 418..<10000, &transcript)
    let (place, isEstimated) = try stream.byteOffset(ofPacket: 100)
    #expect(isEstimated && place == Int64(100.0 * 128000 * 1152 / 44100 / 8))
    #expect(try stream.packet(atByte: place).packet == 99)
    #expect(code { () throws(ContainerError) in _ = try stream.byteOffset(ofPacket: -1) } == .invalidPacketOffset)
    #expect(code { () throws(ContainerError) in _ = try stream.packet(atByte: -1) } == .invalidPacketOffset)
    #expect(code { () throws(ContainerError) in _ = try stream.frame(ofPacket: -1) } == .invalidPacketOffset)
  }

  @Test func `announces tags again only if some are found after the audio`() {
    func properties(_ chunks: [ChunkSynthesis.Named]) -> [AudioFileStreamPropertyID] {
      pushed(ChunkSynthesis.wave([ChunkSynthesis.fmt(), ("data", ChunkSynthesis.samples(400))] + chunks)).0.properties
    }
    let list = ChunkSynthesis.list([("INAM", "Title")])
    #expect(properties([list]).suffix(2) == [.readyToProducePackets, .infoDictionary])
    #expect(properties([]).last == .readyToProducePackets)
    let tagged = pushed(Array(Synthesis.packets(3).joined()) + Synthesis.id3v1(title: "t")).0.properties
    #expect(tagged.count { $0 == .infoDictionary } == 2)
  }

  @Test func `knows the 19 properties by their characters`() {
    let codes = Set(AudioFileStreamPropertyID.allCases.map(\.code.description))
    let expected = "redy ffmt dfmt flst mgic bcnt pcnt psze doff cmap pkfr frpk pkby bypk pnfo pkub abpp brat info"
    #expect(codes == Set(expected.split(separator: " ").map(String.init)))
    #expect(AudioFileStreamPropertyID.allCases.count == 19)
  }

  // MARK: Feeding

  @Test func `gives packets with their bytes, also of constant bit rate`() {
    let (transcript, _) = pushed(Self.audio, chunk: 1000)
    #expect(transcript.packets.map(\.byteCount) == Self.packets.map(\.count))
    #expect(transcript.packets.allSatisfy { $0.frameCount == 1152 })
    #expect(transcript.packets.first?.byteOffset == 0)
    #expect(transcript.hashes == javaHashes(Self.packets))
    #expect(transcript.firstPackets == Array(0..<200))
  }

  @Test func `keeps the header's packet to itself`() {
    for header in [Self.withInfo, Synthesis.xing("Xing", packetCount: nil, byteCount: nil) + Self.audio] {
      let (transcript, stream) = pushed(header)
      #expect(transcript.packets.count == 200)
      #expect(transcript.packets.first?.byteOffset == 417)
      #expect(stream.information.dataOffset == 417)
    }
  }

  @Test func `holds back the last packet until the stream is finished`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try Self.feed(stream, Self.audio, 0..<Self.audio.count, &transcript)
    #expect(transcript.packets.count == 199)
    try stream.finish(into: &transcript)
    #expect(transcript.packets.count == 200)
    try stream.finish(into: &transcript)
    #expect(transcript.packets.count == 200)
  }

  @Test func `throws the same error forever once one was thrown`() {
    let stream = AudioFileStream()
    var transcript = Transcript()
    let noise = [UInt8](repeating: 7, count: 70000)
    var errors: [ContainerError] = []
    for bytes in [noise, Self.audio, []] {
      do throws(ContainerError) { try stream.parse(bytes.span.bytes, into: &transcript) } catch { errors.append(error) }
    }
    do throws(ContainerError) { try stream.finish(into: &transcript) } catch { errors.append(error) }
    #expect(errors.count == 4 && Set(errors).count == 1)
    #expect(errors.first?.code == .unsupportedFileType)
    #expect(transcript == Transcript())
    // Also one that only the end brought.
    let cut = AudioFileStream()
    errors = []
    do throws(ContainerError) {
      try cut.parse(Synthesis.id3v2(3, [("APIC", Self.audio)]).span.bytes.extracting(first: 100), into: &transcript)
      try cut.finish(into: &transcript)
    } catch { errors.append(error) }
    do throws(ContainerError) { try cut.parse(Self.audio.span.bytes, into: &transcript) } catch { errors.append(error) }
    #expect(errors.map(\.code) == [.invalidFile, .invalidFile])
  }

  @Test func `refuses to be fed from its own report, and continues`() throws {
    struct Impatient: AudioFileStreamSink {
      var codes: [ContainerError.Code] = []
      var packetCount = 0
      mutating func stream(
        _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
      ) {
        packetCount += packets.count
        var other = Transcript()
        do throws(ContainerError) { try stream.parse(bytes, into: &other) } catch { codes.append(error.code) }
        do throws(ContainerError) { try stream.finish(into: &other) } catch { codes.append(error.code) }
        do throws(ContainerError) { _ = try stream.seek(toPacket: 0) } catch { codes.append(error.code) }
      }
    }
    var sink = Impatient()
    let stream = AudioFileStream()
    try stream.parse(Self.audio.span.bytes, into: &sink)
    try stream.finish(into: &sink)
    #expect(sink.packetCount == 200)
    #expect(sink.codes == Array(repeating: .illegalOperation, count: 6))
  }

  @Test func `does not mind empty input`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try Self.feed(stream, Self.audio, 0..<0, &transcript)
    try Self.feed(stream, Self.audio, 0..<5000, &transcript)
    let before = transcript
    try Self.feed(stream, Self.audio, 5000..<5000, &transcript)
    #expect(transcript == before)
  }

  // MARK: Discontinuity

  @Test func `loses nothing to Gallagher's flag before the first packets`() throws {
    let expected = pushed(Self.audio, chunk: 100).0
    let stream = AudioFileStream(totalByteCount: Int64(Self.audio.count))
    var transcript = Transcript()
    for start in stride(from: 0, to: Self.audio.count, by: 100) {
      let flags: AudioFileStream.ParseFlags = transcript.packets.isEmpty ? .discontinuity : []
      try Self.feed(stream, Self.audio, start..<min(start + 100, Self.audio.count), flags: flags, &transcript)
    }
    try stream.finish(into: &transcript)
    #expect(transcript == expected)
    #expect(stream.packetNumbersAreExact)
  }

  @Test func `drops the current packet and searches the next one when bytes were lost`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try Self.feed(stream, Self.audio, 0..<10000, &transcript)
    let count = transcript.packets.count
    try Self.feed(stream, Self.audio, 20000..<Self.audio.count, flags: .discontinuity, &transcript)
    try stream.finish(into: &transcript)
    #expect(!stream.packetNumbersAreExact)
    #expect(transcript.hashes[..<count] == javaHashes(Self.packets[..<count])[...])
    // 20000 lies in packet 47: 48 is the next whole one.
    #expect(transcript.hashes[count...] == javaHashes(Self.packets[48...])[...])
    #expect(stream.packetIndex.packetCount == Int64(count))
    #expect(!stream.packetIndex.isComplete)
  }

  // MARK: Seeking

  @Test func `seeks exactly to packets it has parsed: a place relative to the data offset`() throws {
    let (transcript, stream) = pushed(Self.withInfo)
    for packet in [0, 1, 63, 64, 65, 130, 199] as [Int64] {
      let target = try stream.seek(toPacket: packet)
      #expect(!target.isEstimated)
      // Not every place is remembered; what lies between is parsed and not delivered.
      #expect(target.packet == packet)
      let place = try #require(stream.information.dataOffset) + target.dataOffset
      #expect(place == transcript.packets[Int(packet / 64 * 64)].byteOffset)
      var again = Transcript()
      try Self.feed(stream, Self.withInfo, Int(place)..<Self.withInfo.count, flags: .discontinuity, &again)
      try stream.finish(into: &again)
      #expect(again.packets == Array(transcript.packets[Int(target.packet)...]))
      #expect(again.hashes == Array(transcript.hashes[Int(target.packet)...]))
      #expect(again.firstPackets.first == target.packet)
      #expect(stream.packetNumbersAreExact)
    }
  }

  @Test func `places the bytes after a seek at its target, with or without the flag`() throws {
    let (transcript, stream) = pushed(Self.audio)
    let target = try stream.seek(toPacket: 100)
    var again = Transcript()
    try Self.feed(stream, Self.audio, Int(target.dataOffset)..<Self.audio.count, &again)
    #expect(again.packets.first == transcript.packets[100])
  }

  @Test func `continues its index where a seek back interrupted it`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try Self.feed(stream, Self.audio, 0..<50000, &transcript)
    let target = try stream.seek(toPacket: 70)
    try Self.feed(stream, Self.audio, Int(target.dataOffset)..<Self.audio.count, &transcript)
    try stream.finish(into: &transcript)
    #expect(stream.packetIndex == pushed(Self.audio).1.packetIndex)
  }

  @Test func `estimates other places, for constant rates within a packet`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try Self.feed(stream, Self.audio, 0..<5000, &transcript)
    let target = try stream.seek(toPacket: 150)
    #expect(target.isEstimated && target.packet == 150)
    let bytesPerPacket = 128000.0 * 1152 / 44100 / 8
    #expect(target.dataOffset == Int64(150 * bytesPerPacket))
    var again = Transcript()
    try Self.feed(stream, Self.audio, Int(target.dataOffset)..<Self.audio.count, flags: .discontinuity, &again)
    #expect(!stream.packetNumbersAreExact)
    #expect(again.firstPackets.first == 150)
    // This stream pads half of its packets, LAME would 47 of 49: 150 packets on that is 72 bytes.
    #expect(again.hashes.first == javaHashes([Self.packets[151]])[0])
    #expect(again.packets.first?.byteOffset == Int64(Self.packets[..<151].joined().count))
    // An estimate is no reason to doubt what was indexed before.
    _ = try stream.seek(toPacket: 3)
    try Self.feed(stream, Self.audio, 0..<1000, flags: .discontinuity, &again)
    #expect(stream.packetNumbersAreExact)
  }

  @Test func `uses the header's table where there is one`() throws {
    // Half of the bytes in the first tenth of the time.
    let table: [UInt8] = (0..<100).map { percent in
      let entry: Double = percent < 10 ? Double(percent) * 12.8 : 128 + Double(percent - 10) * 1.4
      return UInt8(entry)
    }
    let bytes =
      Synthesis.xing("Xing", packetCount: 200, byteCount: UInt32(417 + Self.audio.count), table: table) + Self.audio
    let stream = AudioFileStream()
    var transcript = Transcript()
    try Self.feed(stream, bytes, 0..<2000, &transcript)
    let all = Double(417 + Self.audio.count)
    for (packet, entry) in [(20, 128.0), (21, 128.7), (180, 240.0)] as [(Int64, Double)] {
      let target = try stream.seek(toPacket: packet)
      #expect(target.isEstimated)
      #expect(abs(Double(target.dataOffset + 417) - entry / 256 * all) < 350)
    }
    #expect(try stream.seek(toPacket: 0).dataOffset == 0)
  }

  @Test func `refuses packets that do not exist`() throws {
    let (_, stream) = pushed(Self.audio)
    for packet in [-1, 200, .max, .min] as [Int64] {
      let error = #expect(throws: ContainerError.self) { try stream.seek(toPacket: packet) }
      #expect(error?.code == .invalidPacketOffset)
    }
  }

  @Test func `refuses impossible requests`() throws {
    let stream = AudioFileStream()
    var transcript = Transcript()
    try Self.feed(stream, Self.audio, 0..<20000, &transcript)
    for number in [.max, .max - 1, .max / 1152 + 1, 1 << 48] as [Int64] {
      #expect(throws: ContainerError.self) { try stream.frame(ofPacket: number) }
      #expect(throws: ContainerError.self) { try stream.byteOffset(ofPacket: number) }
      #expect(throws: ContainerError.self) { try stream.packet(atByte: number) }
      #expect(throws: ContainerError.self) { try stream.seek(toPacket: number) }
    }
    let last = 1 << 48 - 1 as Int64
    #expect(try stream.frame(ofPacket: last) == last * 1152)
    #expect(try stream.packet(containingFrame: last * 1152) == (last, 0))
    #expect(try stream.byteOffset(ofPacket: last).byteOffset > last)
    #expect(try stream.seek(toPacket: last).isEstimated)
    try Self.feed(stream, Self.audio, 0..<5000, flags: .discontinuity, &transcript)
    #expect(transcript.firstPackets.last ?? 0 > last)
    let file = try AudioFile(source: AwkwardSource(Self.audio))
    for number in [.max, .max - 1, .max / 1152 + 1] as [Int64] {
      #expect(throws: ContainerError.self) { try file.frame(ofPacket: number) }
      #expect(throws: ContainerError.self) { try file.packet(containingFrame: number) }
      #expect(throws: ContainerError.self) { try file.byteOffset(ofPacket: number) }
    }
  }

  @Test func `seeks exactly with an index that a file made`() throws {
    let file = try AudioFile(source: AwkwardSource(Self.audio))
    #expect(try file.advanceIndex())
    let stream = AudioFileStream()
    var transcript = Transcript()
    try Self.feed(stream, Self.audio, 0..<5000, &transcript)
    stream.adopt(file.packetIndex)
    #expect(!stream.information.durationIsEstimated)
    let target = try stream.seek(toPacket: 199)
    #expect(!target.isEstimated && target.packet == 199)
    #expect(target.dataOffset == Int64(Self.packets[..<192].joined().count))
  }

  @Test func `reports nothing after the end, unless a seek leads back`() throws {
    let (_, stream) = pushed(Self.audio)
    var transcript = Transcript()
    let error = #expect(throws: ContainerError.self) { try Self.feed(stream, Self.audio, 0..<10, &transcript) }
    #expect(error?.code == .illegalOperation)
    _ = try stream.seek(toPacket: 0)
    try Self.feed(stream, Self.audio, 0..<1000, &transcript)
    #expect(transcript.packets.count == 2)
  }
}
