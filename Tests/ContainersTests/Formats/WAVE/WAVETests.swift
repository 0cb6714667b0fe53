import AudioModel
import ByteIO
import Testing

@testable import Containers

private typealias Make = ChunkSynthesis

@Suite struct `WAVE` {
  /// 1000 frames.
  private static let audio = Make.samples(4000)
  private static let title = Make.list([("INAM", "Title")])

  /// Both drivers, byte by byte too, agree; returns what they found.
  private func parsed(_ bytes: [UInt8]) throws -> (transcript: Transcript, information: MediaInformation) {
    let (transcript, stream) = pushed(bytes)
    #expect(pushed(bytes, chunk: 1).0 == transcript)
    #expect(pushed(bytes, chunk: 1).1.information == stream.information)
    guard transcript.error == nil else { return (transcript, stream.information) }
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try pulled(file).packets == transcript.packets)
    #expect(try pulled(file).hashes == transcript.hashes)
    #expect(file.information == stream.information)
    return (transcript, stream.information)
  }

  @Test func `has all its bits where none are said to be valid`() throws {
    let more = Make.extensible(1, validBits: 0, mask: 3)
    let (_, information) = try parsed(Make.wave([Make.fmt(tag: 0xfffe, more: more), ("data", Self.audio)]))
    #expect(information.dataFormat?.bitsPerChannel == 16)
  }

  // MARK: Sizes

  @Test(
    arguments: [
      // The sizes that the form and the data claim, tags behind them or not; the real number of frames.
      (.max, .max, 1000), (0, .max, 1000), (0, 0, 1000), (36, 0, 1000), (.max, 0, 1000), (.max, 0x7fff_f000, 1000),
      (4036, 4000, 1000), (0, 4000, 1000), (100, 4000, 1000), (4036, 4_000_000, 1000), (4036, 3999, 999), (4036, 2, 0),
    ] as [(UInt32, UInt32, Int)])
  func `reads to the end if sizes were never filled in, and no further than the file`(
    form: UInt32, data: UInt32, frames: Int
  ) throws {
    let chunks = Make.chunk(Make.fmt(), .little) + Make.chunk(("data", Self.audio), .little, byteCount: data)
    let (transcript, information) = try parsed(Make.wave(chunks, byteCount: form))
    #expect(transcript.packets.packetCount == frames)
    #expect(information.duration == Double(frames) / 44100)
    #expect(information.dataOffset == 44)
    #expect(transcript.error == nil)
  }

  @Test func `has no audio if its size is 0 and the form continues`() throws {
    let (transcript, information) = try parsed(Make.wave([Make.fmt(), ("data", []), Self.title]))
    #expect(transcript.packets.isEmpty)
    #expect(information.duration == 0)
    #expect(information.tags.title == "Title")
  }

  @Test(arguments: ["RF64", "BW64"]) func `has its sizes in ds64 where 32 bits do not hold them`(mark: String) throws {
    func file(_ dataByteCount: Int64) -> [UInt8] {
      let sizes = Make.ds64(dataByteCount)
      let chunks = Make.chunk(("ds64", sizes), .little) + Make.chunk(Make.fmt(), .little)
      let data = Make.chunk(("data", Self.audio), .little, byteCount: .max)
      return Make.wave(chunks + data + Make.chunk(Self.title, .little), mark: mark, byteCount: .max)
    }
    let (transcript, information) = try parsed(file(4000))
    #expect(transcript.packets.packetCount == 1000)
    #expect(information.fileType == .rf64)
    #expect(information.tags.title == "Title")
    // Never filled in, or nonsense: all that follows, tags included.
    for byteCount in [0, -1, .max, .min] as [Int64] {
      #expect(try parsed(file(byteCount)).transcript.packets.packetCount == 1000 + (Self.title.content.count + 8) / 4)
    }
  }

  @Test func `is exact beyond 4 GiB, in time, place and size`() throws {
    let byteCount: Int64 = 5 << 30
    let sizes = Make.ds64(byteCount)
    let header = Make.wave(
      Make.chunk(("ds64", sizes), .little) + Make.chunk(Make.fmt(), .little)
        + Make.chunk(("data", []), .little, byteCount: .max), mark: "RF64", byteCount: .max)
    let source = HugeSource(header, byteCount: Int64(header.count) + byteCount)
    try expectExactEnd(of: source, audioStart: header.count, byteCount: byteCount)
    let packet = byteCount / 4 - 10
    let stream = AudioFileStream(totalByteCount: source.byteCount)
    var transcript = Transcript()
    try stream.parse(header.span.bytes, into: &transcript)
    #expect(try stream.seek(toPacket: packet).dataOffset == packet * 4)
  }

  @Test(arguments: [ByteOrder.little, .big]) func `finds chunks after odd ones, with any padding`(
    order: ByteOrder
  ) throws {
    let mark = order == .big ? "RIFX" : "RIFF"
    let list = Make.list([("INAM", "Title"), ("IART", "Artist"), ("IPRD", "An Album")], order: order)
    let format = Make.fmt(channels: 1, block: 1, bits: 8, order: order)
    for padding in [[0], [], [0x41], [0xff], [0, 0], [0, 0, 0]] as [[UInt8]] {
      for name in ["data", "junk"] {
        var chunks = Make.chunk(format, order)
        if name == "junk" {
          chunks += Make.chunk(("junk", [1, 2, 3]), order, padding: padding) + Make.chunk(list, order)
        }
        chunks += Make.chunk(("data", Make.samples(999)), order, padding: padding)
        if name == "data" { chunks += Make.chunk(list, order) }
        let (transcript, information) = try parsed(Make.wave(chunks, mark: mark, order: order))
        #expect(transcript.packets.packetCount == 999, "\(padding)")
        #expect(transcript.skips == [], "\(padding)")
        #expect(information.tags.title == "Title", "\(padding)")
        #expect(information.tags.artist == "Artist", "\(padding)")
        #expect(information.tags.album == "An Album", "\(padding)")
      }
    }
    // Of an even size, and a zero all the same.
    let chunks = Make.chunk(format, order) + Make.chunk(("data", [1, 2]), order) + [0] + Make.chunk(list, order)
    #expect(try parsed(Make.wave(chunks, mark: mark, order: order)).information.tags.title == "Title")
  }

  @Test func `ignores bytes after its last chunk`() throws {
    for tail in [[], [0], [1, 2, 3], Make.samples(5000), Synthesis.id3v1(title: "Old")] as [[UInt8]] {
      let bytes = Make.wave([Make.fmt(), ("data", Self.audio), Self.title]) + tail
      let (transcript, stream) = pushed(bytes)
      #expect(pushed(bytes, chunk: 1).0 == transcript)
      #expect(transcript.error == nil)
      #expect(transcript.packets.packetCount == 1000)
      #expect(try AudioFile(source: AwkwardSource(bytes)).information.packetCount == 1000)
      #expect(stream.information.tags.title == "Title")
    }
  }

  @Test func `may begin with ID3`() throws {
    let id3 = Synthesis.id3v2(3, [("TPE1", Synthesis.latin1("Artist"))])
    let (transcript, information) = try parsed(id3 + Make.wave([Make.fmt(), ("data", Self.audio), Self.title]))
    #expect(transcript.packets.packetCount == 1000)
    #expect(information.dataOffset == Int64(id3.count) + 44)
    #expect(information.tags.artist == "Artist" && information.tags.title == "Title")
  }

  // MARK: Formats

  @Test func `reads WAVEFORMATEXTENSIBLE: the real tag, valid bits, speakers`() throws {
    let format = Make.fmt(
      tag: 0xfffe, channels: 6, block: 18, bits: 24, more: Make.extensible(1, validBits: 20, mask: 0x3f))
    let information = try parsed(Make.wave([format, ("data", Make.samples(180))])).information
    let expected = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .linearPCM,
      formatFlags: AudioStreamBasicDescription.isSignedInteger | AudioStreamBasicDescription.isAlignedHigh,
      bytesPerPacket: 18, framesPerPacket: 1, bytesPerFrame: 18, channelsPerFrame: 6, bitsPerChannel: 20)
    #expect(information.dataFormat == expected)
    #expect(information.channelMask == 0x3f)
    for (mask, channels, expected) in [
      (0x3, 2, 0x3), (0x3f, 2, 0x3), (0x4, 2, 0), (0, 2, 0), (0xc0_0000, 1, 0x40_0000),
    ]
      as [(UInt32, Int, UInt32)]
    {
      let format = Make.fmt(
        tag: 0xfffe, channels: channels, block: 2 * channels, more: Make.extensible(1, validBits: 16, mask: mask))
      #expect(try parsed(Make.wave([format, ("data", [])])).information.channelMask == expected)
    }
  }

  @Test(arguments: [false, true]) func `reads a GUID in big-endian, as it should be and as SoX writes it`(
    isSoX: Bool
  ) throws {
    var more = Make.extensible(3, validBits: 32, mask: 3, order: .big)
    if isSoX { more.replaceSubrange(8..<16, with: [0, 3, 0, 0, 0, 0, 0x10, 0]) }
    let format = Make.fmt(tag: 0xfffe, block: 8, bits: 32, more: more, order: .big)
    let bytes = Make.wave([format, ("data", Make.samples(80))], mark: "RIFX", order: .big)
    #expect(
      try parsed(bytes).information.dataFormat?.formatFlags == AudioStreamBasicDescription.isFloat
        | AudioStreamBasicDescription.isBigEndian | AudioStreamBasicDescription.isPacked)
  }

  @Test(
    arguments: [
      // Tag, channels, rate, bytes of a block, bits.
      (1, 0, 44100, 4, 16), (1, 2, 0, 4, 16), (1, 2, 3_000_001, 4, 16), (1, 2, 44100, 3, 16), (1, 2, 44100, 0, 16),
      (1, 2, 44100, 4, 0), (1, 1, 44100, 9, 65), (3, 2, 44100, 4, 32), (2, 2, 44100, 0, 4), (2, 1, 44100, 7, 4),
      (0x11, 2, 44100, 8, 4), (6, 0, 8000, 1, 8), (1, 0xffff, 44100, 4, 16),
    ] as [(UInt16, Int, Int, Int, Int)]) func `refuses numbers that cannot be`(
      tag: UInt16, channels: Int, rate: Int, block: Int, bits: Int
    ) throws
  {
    let format = Make.fmt(tag: tag, channels: channels, rate: rate, block: block, bits: bits)
    let (transcript, _) = try parsed(Make.wave([format, ("data", Self.audio)]))
    if tag == 2 && block == 7 {
      // Just the state of the block, in which are two frames.
      #expect(transcript.packets.first?.frameCount == 2 * (4000 / 7))
    } else if tag == 0x11 {
      #expect(transcript.packets.first?.frameCount == 500)
    } else {
      #expect(transcript.error?.code == .invalidFile)
      #expect(transcript.error?.byteOffset == 20)
    }
  }

  @Test(
    arguments: [(0x31, "GSM 6.10"), (0x161, "Windows Media"), (0x4600, "0x4600"), (0, "0x0"), (0xff, "AAC")]
      as [(UInt16, String)]) func `names codings that it does not know`(tag: UInt16, name: String) throws
  {
    let (transcript, _) = try parsed(Make.wave([Make.fmt(tag: tag), ("data", Self.audio)]))
    #expect(transcript.error?.code == .unsupportedDataFormat)
    #expect(transcript.error?.description.contains(name) == true)
  }

  @Test func `is not any RIFF file, and nothing without fmt or data`() throws {
    #expect(try parsed(Make.wave([] as [UInt8], type: "AVI ")).transcript.error?.code == .unsupportedFileType)
    #expect(try parsed(Make.wave([("data", Self.audio), Make.fmt()])).transcript.error?.code == .invalidFile)
    #expect(try parsed(Make.wave([Make.fmt()])).transcript.error?.code == .invalidFile)
    #expect(try parsed(Make.wave([Make.fmt(), Self.title])).transcript.error?.code == .invalidFile)
    #expect(try parsed(Make.wave(Make.samples(50))).transcript.error?.code == .invalidFile)
    #expect(try parsed(Make.wave([("fmt ", [1, 0])])).transcript.error?.code == .invalidFile)
  }

  // MARK: Codings with packets

  @Test func `trims frames beyond the count in fact, if that is plausible`() throws {
    let blocks = Make.samples(10 * 256)
    func format(_ told: Int) -> ChunkSynthesis.Named {
      Make.fmt(
        tag: 0x11, channels: 1, block: 256, bits: 4, more: Make.number(2, 2, .little) + Make.number(told, 2, .little))
    }
    for (fact, valid) in [(5050, nil), (5049, 5049), (4546, 4546), (4545, nil), (0, nil), (9999, nil), (.max, nil)]
      as [(UInt32, Int64?)]
    {
      let chunks = [format(505), ("fact", Make.number(fact, 4, .little)), ("data", blocks)]
      let information = try parsed(Make.wave(chunks)).information
      #expect(information.dataFormat?.framesPerPacket == 505)
      #expect(information.packetTable?.validFrames == valid)
      #expect(information.duration == Double(valid ?? 5050) / 44100)
    }
    // A block cannot hold more frames than it has bits for.
    #expect(try parsed(Make.wave([format(9999), ("data", blocks)])).information.dataFormat?.framesPerPacket == 505)
    #expect(try parsed(Make.wave([format(0), ("data", blocks)])).information.dataFormat?.framesPerPacket == 505)
    #expect(try parsed(Make.wave([format(500), ("data", blocks)])).information.dataFormat?.framesPerPacket == 500)
  }

  @Test func `hands coefficients of Microsoft ADPCM on as the cookie`() throws {
    let more = Make.samples(32)
    let format = Make.fmt(tag: 2, channels: 2, block: 1024, bits: 4, more: [32, 0] + more)
    #expect(try parsed(Make.wave([format, ("data", Make.samples(2048))])).information.magicCookie == more)
  }

  @Test func `has MPEG audio in it whose packets, header and tags are those of the stream alone`() throws {
    let packets = Synthesis.packets(20)
    let stream = Synthesis.xing(packetCount: 20, byteCount: 8360, delay: 576, padding: 1000) + packets.joined()
    let format = Make.fmt(tag: 0x55, block: 1, bits: 0, more: Make.samples(14))
    let id3 = Synthesis.id3v2(3, [("TPE1", Synthesis.latin1("Artist"))])
    for (before, behind) in [([], []), ([1, 2, 3], []), (id3, Synthesis.id3v1(title: "Inner"))] as [([UInt8], [UInt8])]
    {
      let content = before + stream + behind
      let bytes = Make.wave([format, ("data", content), Make.list([("IPRD", "Album")])])
      let (transcript, other) = pushed(bytes)
      #expect(pushed(bytes, chunk: 1).0 == transcript)
      let (alone, inner) = pushed(content)
      #expect(transcript.hashes == alone.hashes)
      #expect(transcript.packets.map { $0.byteOffset - 58 } == alone.packets.map(\.byteOffset))
      #expect(other.information.dataFormat == inner.information.dataFormat)
      #expect(other.information.packetTable == inner.information.packetTable)
      #expect(other.information.duration == inner.information.duration)
      #expect(other.information.fileType == .wave)
      #expect(other.information.tags.album == "Album")
      #expect(other.information.tags.artist == (before == id3 ? "Artist" : nil))
      let file = try AudioFile(source: AwkwardSource(bytes))
      #expect(try file.advanceIndex())
      #expect(try pulled(file).packets == transcript.packets)
      #expect(file.information.tags.album == "Album")
    }
    let noise = Make.wave([format, ("data", Make.samples(3000))])
    #expect(pushed(noise).0.error?.code == .unsupportedDataFormat)
    // One container in the other, without end, is not followed.
    #expect(pushed(Make.wave([format, ("data", Make.wave([format]))])).0.error?.code == .unsupportedDataFormat)
  }

  // MARK: Places

  @Test func `stays at frames after lost bytes, relative to the last seek (AudioStreaming 88)`() throws {
    let bytes = Make.wave([Make.fmt(), ("data", Self.audio)])
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    var transcript = Transcript()
    // Harmless between ready and the first packet, with a piece of a frame at hand.
    try stream.parse(bytes.span.bytes.extracting(0..<46), into: &transcript)
    try stream.parse(bytes.span.bytes.extracting(46..<100), flags: .discontinuity, into: &transcript)
    #expect(transcript.packets.packetCount == 14)
    // Lost for good: a piece of a frame, and what brings the next ones back in step.
    try stream.parse(bytes.span.bytes.extracting(100..<103), into: &transcript)
    try stream.parse(bytes.span.bytes.extracting(100..<201), flags: .discontinuity, into: &transcript)
    #expect(!stream.packetNumbersAreExact)
    #expect(transcript.skips == [Transcript.Skip(byteOffset: 103, byteCount: 1)])
    #expect(transcript.packets.last.map { ($0.byteOffset - 44) % 4 } == 0)
    #expect(transcript.packets.last?.packetCount == 25)
    let target = try stream.seek(toPacket: 500)
    #expect(target == AudioFileStream.SeekTarget(dataOffset: 2000, packet: 500, isEstimated: false))
    var again = Transcript()
    try stream.parse(bytes.span.bytes.extracting(2044..<2051), flags: .discontinuity, into: &again)
    #expect(stream.packetNumbersAreExact)
    #expect(again.firstPackets == [500] && again.packets.packetCount == 1)
    #expect(throws: ContainerError.self) { try stream.seek(toPacket: 1000) }
    #expect(throws: ContainerError.self) { try stream.seek(toPacket: -1) }
  }

  @Test func `has every property that is known without reading the audio`() throws {
    let bytes = Make.wave([Make.fmt(), ("data", Self.audio)])
    let stream = AudioFileStream()
    var transcript = Transcript()
    try stream.parse(bytes.span.bytes.extracting(0..<44), into: &transcript)
    #expect(try stream.value(of: .audioDataByteCount) == 4000)
    #expect(try stream.value(of: .audioDataPacketCount) == 1000)
    #expect(try stream.value(of: .maximumPacketSize) == 4)
    #expect(try stream.value(of: .packetSizeUpperBound) == 4)
    #expect(try stream.value(of: .averageBytesPerPacket) == 4)
    #expect(try stream.value(of: .bitRate) == 1_411_200)
    #expect(throws: ContainerError.self) { try stream.value(of: .magicCookieData) }
    #expect(stream.information.duration == 1000.0 / 44100)
    try stream.parse(bytes.span.bytes.extracting(44..<60), into: &transcript)
    #expect(try stream.seek(toPacket: 900).isEstimated == false)
    #expect(try stream.byteOffset(ofPacket: 900) == (3600, false))
    #expect(try stream.packet(atByte: 3602) == (900, 2, true))
  }

  // MARK: Tags

  @Test(arguments: [
    [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0xa9, 0x61, 0x62, 0x63, 5, 0, 0, 0, 1, 2, 3, 4, 5, 0],
    [0x20, 0x20, 0x20, 0x20, 2, 0, 0, 0, 1, 2], [1, 2, 3, 4, 0, 0, 0, 0], Make.chunk(("odd ", [1, 2, 3]), .little),
    Make.chunk(("odd ", [1, 2, 3]), .little, padding: []),
  ]) func `has tags behind zeros, and behind chunks of any name`(between: [UInt8]) throws {
    let id3 = ("id3 ", Synthesis.id3v2(4, [("TIT2", Synthesis.utf8("Title"))]))
    let audio = Make.chunk(Make.fmt(), .little) + Make.chunk(("data", Self.audio), .little)
    let bytes = Make.wave(audio + between + Make.chunk(id3, .little))
    let (transcript, information) = try parsed(bytes)
    #expect(transcript.packets.packetCount == 1000 && transcript.skips.isEmpty)
    #expect(information.tags.title == "Title")
    `Any way of cutting gives the same events`.expectEqualForAllCuts(bytes, chunks: [1, 7, 61])
  }

  @Test func `believes ID3 before INFO, and INFO before bext`() throws {
    let id3 = Synthesis.id3v2(
      3, [("TIT2", Synthesis.latin1("by ID3")), ("APIC", [UInt8](repeating: 1, count: 3_000_000))])
    let list = Make.list([
      ("INAM", "by INFO"), ("IART", "Café"), ("ICRD", "1999"), ("IGNR", "Jazz"), ("ITRK", "3/9"), ("ISFT", "us"),
      ("ICOP", "me"),
    ])
    let text = Array("by bext".utf8) + [UInt8](repeating: 0, count: 313) + Array("2001-02-03".utf8)
    let bext = ("bext", text + [UInt8](repeating: 0, count: 272))
    let bytes = Make.wave([bext, Make.fmt(), list, ("data", Self.audio), ("id3 ", id3)])
    let file = try AudioFile(source: AwkwardSource(bytes))
    let tags = file.information.tags
    #expect(tags == pushed(bytes, chunk: 65536).1.information.tags)
    #expect(tags.title == "by ID3")
    #expect(tags.artist == "Café")
    #expect(tags.date == "1999")
    #expect(tags.genre == "Jazz")
    #expect(tags.comment == "by bext")
    #expect(tags.copyright == "me")
    #expect(tags.trackNumber == 3 && tags.trackCount == 9)
  }

  @Test func `reads text of any encoding, and skips lists of any size`() throws {
    let latin1 = ("LIST", Array("INFOINAM".utf8) + [5, 0, 0, 0] + [0x43, 0x61, 0x66, 0xe9, 0x20, 0])
    #expect(try parsed(Make.wave([Make.fmt(), latin1, ("data", [])])).information.tags.title == "Café")
    let long = ("LIST", Array("INFO".utf8) + [UInt8](repeating: 0x41, count: 2_000_000))
    let bytes = Make.wave([Make.fmt(), long, ("data", Self.audio), Self.title])
    #expect(pushed(bytes, chunk: 9999).1.information.tags.title == "Title")
    #expect(try AudioFile(source: AwkwardSource(bytes)).information.tags.title == "Title")
  }

  @Test(arguments: [10, 999, 99999, .max] as [UInt32])
  func `reads lists that claim more bytes than are left`(surplus: UInt32) throws {
    let byteCount = UInt32(clamping: UInt64(Self.title.content.count) + UInt64(surplus))
    let list = Make.chunk(Self.title, .little, byteCount: byteCount)
    let start = [Make.fmt(), ("data", Self.audio)].flatMap { Make.chunk($0, .little) }
    let (transcript, information) = try parsed(Make.wave(start + list))
    #expect(information.tags.title == "Title" && transcript.error == nil && information.packetCount == 1000)
  }

  @Test(arguments: [70_000, 300_000, 2_000_000])
  func `reads the start of long lists, before the audio and behind it`(byteCount: Int) throws {
    let words = String(repeating: "a", count: byteCount)
    let list = Make.list([("INAM", "Title"), ("ICMT", words), ("IART", "Artist")])
    for chunks in [[Make.fmt(), list, ("data", Self.audio)], [Make.fmt(), ("data", Self.audio), list]] {
      let bytes = Make.wave(chunks)
      let tags = try AudioFile(source: AwkwardSource(bytes)).information.tags
      #expect(tags.title == "Title" && tags.artist == (byteCount < 512 * 1024 ? "Artist" : nil))
      #expect(pushed(bytes, chunk: 9999).1.information.tags == tags)
    }
  }
}

/// Zeros behind a header, of any number.
final class HugeSource: ByteSource {
  private let header: [UInt8]
  let byteCount: Int64?

  init(_ header: [UInt8], byteCount: Int64) { (self.header, self.byteCount) = (header, byteCount) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    let count = Int(max(0, min(Int64(buffer.count), (byteCount ?? 0) - offset)))
    for index in 0..<count {
      let place = offset + Int64(index)
      buffer[index] = place < header.count ? header[Int(place)] : 0
    }
    return count
  }
}

/// Reads the last packets of audio of four bytes a frame, which ends with the chunk and not with the source.
func expectExactEnd(of source: HugeSource, audioStart: Int, byteCount: Int64) throws {
  let file = try AudioFile(source: source)
  #expect(file.information.duration == Double(byteCount / 4) / 44100)
  #expect(file.information.packetCount == byteCount / 4)
  let packet = byteCount / 4 - 10
  let read = try file.packetDescriptions(startPacket: packet, count: 100)
  #expect(read.isAtEnd && read.packets.packetCount == 10)
  #expect(read.packets.first?.byteOffset == Int64(audioStart) + packet * 4)
}
