import AudioModel
import Testing

@testable import Containers

private typealias Make = ChunkSynthesis

@Suite struct `AIFF and AIFF-C` {
  /// 100 frames.
  private static let audio = Make.samples(400)

  private func format(_ bytes: [UInt8]) -> AudioStreamBasicDescription? { pushed(bytes).1.information.dataFormat }

  @Test func `texts may claim more bytes than are left, or be long`() throws {
    let start = [Make.comm(frames: 100), Make.ssnd(Self.audio), ("ANNO", [UInt8](repeating: 0x61, count: 70_000))]
    let title = Make.chunk(("NAME", Array("Title".utf8)), .big, byteCount: 999, padding: [])
    let bytes = Make.wave(
      start.flatMap { Make.chunk($0, .big) } + title, mark: "FORM", type: "AIFF", order: .big)
    let tags = try AudioFile(source: AwkwardSource(bytes)).information.tags
    #expect(tags.title == "Title" && tags.comment?.count == 70_000)
    #expect(pushed(bytes, chunk: 9999).1.information.tags == tags)
  }

  @Test func `is 'optm' if the description follows the audio, and plays as a file`() throws {
    let named = ("NAME", Array("Title".utf8))
    let late = Make.aiff([Make.ssnd(Self.audio), named, Make.comm(frames: 100), ("AUTH", Array("Artist".utf8))])
    for chunk in [1, 7, .max] {
      let (transcript, _) = pushed(late, chunk: chunk)
      #expect(transcript.error?.code == .notOptimized)
      #expect(transcript.error?.byteOffset == 20)
      #expect(transcript.packets.isEmpty)
    }
    for most in [1, 7, .max] {
      let file = try AudioFile(source: AwkwardSource(late, mostBytesAtATime: most))
      #expect(!file.information.isOptimized)
      #expect(file.information.tags.title == "Title")
      #expect(file.information.tags.artist == "Artist")
      let early = try AudioFile(source: AwkwardSource(Make.aiff([Make.comm(frames: 100), Make.ssnd(Self.audio)])))
      #expect(early.information.isOptimized)
      #expect(try pulled(file).hashes == pulled(early).hashes)
      #expect(try pulled(file).packets.packetCount == 100)
    }
    for chunks in [[Make.ssnd(Self.audio)], [Make.ssnd(Self.audio), named], [named]] {
      #expect(throws: ContainerError.self) { try AudioFile(source: AwkwardSource(Make.aiff(chunks))) }
    }
  }

  @Test func `begins at the offset in SSND`() throws {
    let bytes = Make.aiff([Make.comm(frames: 100), Make.ssnd(Self.audio, offset: 6)])
    let (transcript, stream) = pushed(bytes)
    #expect(stream.information.dataOffset == 60)
    #expect(transcript.hashes == [javaHash(Self.audio.span.bytes)])
    var beyond = Make.aiff([Make.comm(frames: 100), Make.ssnd(Self.audio)])
    beyond[48] = 2
    #expect(pushed(beyond).0.error?.code == .invalidFile)
  }

  @Test(
    arguments: [
      // Frames that COMM counts, bytes of audio that SSND claims, bytes of the form; frames to be heard.
      (100, 400, nil, 100), (99, 400, nil, 99), (101, 400, nil, 100), (0, 400, nil, 100), (100, 4000, nil, 100),
      (1000, 4000, nil, 100), (0, -8, 0, 100), (100, -8, nil, 100), (0, 0, 0, 100),
      (0x1fc0_0000, 0x7f00_0000, nil, 100),
      (0, 0, 1000, 0),
    ] as [(Int, Int, UInt32?, Int)]) func `has the smaller of two lengths, or extends to the end`(
      comm: Int, ssnd: Int, form: UInt32?, frames: Int
    ) throws
  {
    let audio = Make.chunk(Make.ssnd(Self.audio), .big, byteCount: UInt32(ssnd + 8))
    let chunks = Make.chunk(Make.comm(frames: comm), .big) + audio
    let bytes = Make.wave(chunks, mark: "FORM", type: "AIFF", byteCount: form, order: .big)
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil)
    #expect(transcript.packets.packetCount == frames)
    #expect(stream.information.duration == Double(frames) / 44100)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try pulled(file).packets == transcript.packets)
    #expect(file.information.duration == stream.information.duration)
  }

  @Test func `has all its codings`() {
    typealias Format = AudioStreamBasicDescription
    let (signed, big, float) = (Format.isSignedInteger, Format.isBigEndian, Format.isFloat)
    for (compression, told, bits, flags) in [
      ("NONE", 16, 16, signed | big), ("twos", 16, 16, signed | big), ("sowt", 16, 16, signed), ("raw ", 8, 8, 0),
      ("in24", 16, 24, signed | big), ("in32", 16, 32, signed | big), ("42ni", 16, 24, signed),
      ("23ni", 16, 32, signed),
      ("fl32", 32, 32, float | big), ("FL32", 16, 32, float | big), ("fl64", 64, 64, float | big),
      ("FL64", 16, 64, float | big), ("NONE", 12, 12, signed | big), ("NONE", 20, 20, signed | big),
      ("NONE", 1, 1, signed | big),
    ] as [(String, Int, Int, UInt32)] {
      let comm = Make.comm(channels: 1, frames: 8, bits: told, compression: compression)
      let bytes = Make.aiff([comm, Make.ssnd(Make.samples(64))], type: "AIFC")
      let expected = AudioStreamBasicDescription.linearPCM(
        sampleRate: 44100, channelCount: 1, bits: bits, bytesPerFrame: (bits + 7) / 8, flags: flags)
      #expect(format(bytes) == expected, "\(compression) \(told)")
      #expect(
        expected.formatFlags & (Format.isPacked | Format.isAlignedHigh)
          == (bits % 8 == 0 ? Format.isPacked : Format.isAlignedHigh))
    }
    for (compression, formatID, bytesPerPacket, framesPerPacket) in [
      ("alaw", .aLaw, 2, 1), ("ALAW", .aLaw, 2, 1), ("ulaw", .uLaw, 2, 1), ("ULAW", .uLaw, 2, 1),
      ("ima4", .appleIMA4, 68, 64),
    ] as [(String, AudioFormatID, Int, Int)] {
      let found = format(
        Make.aiff([Make.comm(frames: 8, compression: compression), Make.ssnd(Make.samples(68))], type: "AIFC"))
      #expect(found?.formatID == formatID)
      #expect(found?.bytesPerPacket == bytesPerPacket)
      #expect(found?.framesPerPacket == framesPerPacket)
    }
    for compression in ["MAC3", "MAC6", "QDM2", "GSM ", "\u{1}\u{2}\u{3}\u{4}"] {
      let error = pushed(
        Make.aiff([Make.comm(frames: 8, compression: compression), Make.ssnd(Self.audio)], type: "AIFC")
      ).0.error
      #expect(error?.code == .unsupportedDataFormat)
      #expect(error?.description.contains(compression == "\u{1}\u{2}\u{3}\u{4}" ? "...." : compression) == true)
    }
  }

  @Test func `counts frames or packets of IMA4`() {
    // 10 packets, as frames, as QuickTime counts, and nonsense.
    for (told, valid) in [(640, nil), (639, 639), (577, 577), (576, nil), (10, nil), (0, nil), (9999, nil)]
      as [(Int, Int64?)]
    {
      let comm = Make.comm(channels: 1, frames: told, compression: "ima4")
      let information = pushed(Make.aiff([comm, Make.ssnd(Make.samples(340))], type: "AIFC")).1.information
      #expect(information.packetCount == 10)
      #expect(information.packetTable?.validFrames == valid)
    }
  }

  @Test(
    arguments: [
      ([0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0], 44100), ([0x40, 0x0b, 0xfa, 0, 0, 0, 0, 0, 0, 0], 8000),
      ([0x40, 0x0d, 0xad, 0xdd, 0x17, 0x45, 0xd1, 0x74, 0x5d, 0x17], 22254.545454545456),
      ([0x40, 0x10, 0xbb, 0x80, 0, 0, 0, 0, 0, 0], 192000), ([0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0], 1),
      ([0x7f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0], nil),
      ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], nil),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], nil), ([0xc0, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0], nil),
      ([0x40, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0], nil),
    ] as [([UInt8], Double?)]) func `has rates of 80 bits`(bytes: [UInt8], rate: Double?)
  {
    let (transcript, stream) = pushed(Make.aiff([Make.comm(frames: 100, rate: bytes), Make.ssnd(Self.audio)]))
    #expect(stream.information.dataFormat?.sampleRate == rate)
    #expect(transcript.error?.code == (rate == nil ? .invalidFile : nil))
  }

  @Test func `has tags in its own chunks, and prefers ID3 to them`() throws {
    let id3 = Synthesis.id3v2(3, [("TIT2", Synthesis.latin1("by ID3")), ("TALB", Synthesis.latin1("Album"))])
    let bytes = Make.aiff([
      ("NAME", Array("Title".utf8)), ("(c) ", Array("us".utf8)), ("MARK", [0, 0]), Make.comm(frames: 100),
      ("ANNO", Array("odd".utf8)), Make.ssnd(Self.audio), ("AUTH", Array("Artist".utf8)), ("ID3 ", id3),
    ])
    for tags in [
      pushed(bytes, chunk: 1).1.information.tags, try AudioFile(source: AwkwardSource(bytes)).information.tags,
    ] {
      #expect(tags.title == "by ID3")
      #expect(tags.artist == "Artist")
      #expect(tags.album == "Album")
      #expect(tags.comment == "odd")
      #expect(tags.copyright == "us")
    }
  }

  @Test func `is not any IFF file, and nothing with numbers that cannot be`() {
    #expect(pushed(Make.aiff([], type: "8SVX")).0.error?.code == .unsupportedFileType)
    #expect(pushed(Make.aiff([], type: "8SVX")).0.error?.description.contains("8SVX") == true)
    for comm in [
      Make.comm(channels: 0, frames: 1), Make.comm(frames: 1, bits: 0), Make.comm(frames: 1, bits: 65),
      Make.comm(channels: -1, frames: 1), ("COMM", [0, 2]),
    ] as [ChunkSynthesis.Named] {
      #expect(pushed(Make.aiff([comm, Make.ssnd(Self.audio)])).0.error?.code == .invalidFile)
    }
  }
}
