import AudioModel
import Testing

@testable import Containers

private typealias Make = ChunkSynthesis

@Suite struct `CAF` {
  /// Ten packets of 11 to 20 bytes, and 200, so that a size takes two bytes.
  private static let sizes = Array(11...20) + [200]
  private static let audio = Make.samples(355)
  /// AAC of low complexity, 44.1 kHz, stereo, alone and in an ES descriptor.
  private static let config: [UInt8] = [0x12, 0x10]
  private static let kuki = ("kuki", descriptor(config)) as ChunkSynthesis.Named
  private static let table = Make.pakt(sizes, valid: 10000, priming: 1000, remainder: 264)

  /// As Apple writes them: sizes in four bytes, no flags.
  private static func descriptor(_ config: [UInt8]) -> [UInt8] {
    func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      [tag, 0x80, 0x80, 0x80, UInt8(content.count)] + content
    }
    let decoder = [0x40, 0x15, 0, 0x18, 0, 0, 3, 0xe8, 0, 0, 3, 0xe8, 0] + descriptor(5, config)
    return descriptor(3, [0, 0, 0] + descriptor(4, decoder) + descriptor(6, [2]))
  }

  private func error(_ bytes: [UInt8], _ code: ContainerError.Code, file: Bool = true) {
    #expect(pushed(bytes).0.error?.code == code)
    #expect(pushed(bytes, chunk: 1).0.error == pushed(bytes).0.error)
    #expect((try? AudioFile(source: AwkwardSource(bytes))) == nil || !file)
  }

  @Test func `streams with its table first, is 'optm' with it last, and has the same packets`() throws {
    let front = Make.caf([Make.desc("aac "), Self.kuki, ("free", [0, 0, 0]), Self.table, Make.data(Self.audio)])
    let (transcript, stream) = pushed(front)
    #expect(transcript.error == nil)
    #expect(transcript.packets.map(\.byteCount) == Self.sizes)
    #expect(transcript.packets.allSatisfy { $0.frameCount == 1024 })
    #expect(stream.information.isOptimized)
    #expect(stream.information.magicCookie == Self.config)
    let trim = AudioFilePacketTableInfo(validFrames: 10000, primingFrames: 1000, remainderFrames: 264)
    #expect(stream.information.packetTable == trim)
    #expect(stream.information.duration == 10000.0 / 44100)
    `Any way of cutting gives the same events`.expectEqualForAllCuts(front)
    for chunks in [
      [Make.desc("aac "), Self.kuki, Make.data(Self.audio), Self.table],
      [Make.desc("aac "), Self.table, Make.data(Self.audio), Self.kuki],
      [Make.desc("aac "), Make.data(Self.audio), ("free", []), Self.table, Self.kuki],
    ] {
      let behind = Make.caf(chunks)
      error(behind, .notOptimized, file: false)
      let file = try AudioFile(source: AwkwardSource(behind))
      #expect(!file.information.isOptimized)
      #expect(file.information.packetTable == trim)
      #expect(file.information.magicCookie == Self.config)
      #expect(try pulled(file).hashes == transcript.hashes)
      `Any way of cutting gives the same events`.expectEqualForAllReads(behind)
      try expectIndexAndSeeksToAgree(behind)
    }
  }

  @Test func `has a length of -1 only at its end, and for packets of one size`() throws {
    let linear = Make.desc("lpcm", bytes: 4, frames: 1, bits: 16)
    let endless = Make.caf([linear, Make.data(Make.samples(400))], audioByteCount: -1)
    #expect(pushed(endless).0.packets.packetCount == 100)
    #expect(try AudioFile(source: AwkwardSource(endless)).information.duration == 100.0 / 44100)
    error(Make.caf([Make.desc("aac "), Self.kuki, Make.data(Self.audio)], audioByteCount: -1), .notOptimized)
    // With the table in front it does no harm, and the table ends it.
    let tabled = Make.caf([Make.desc("aac "), Self.kuki, Self.table, Make.data(Self.audio)], audioByteCount: -1)
    #expect(pushed(tabled).0.packets.count == 11)
    for byteCount in [-2, .min, 3] as [Int64] {
      error(Make.caf([linear, Make.data(Make.samples(400))], audioByteCount: byteCount), .invalidFile)
    }
    var other = Make.caf([linear, ("free", []), Make.data(Make.samples(400))])
    other.replaceSubrange(56..<64, with: [UInt8](repeating: 0xff, count: 8))
    error(other, .invalidFile)
  }

  @Test func `is refused where it is not as it must be`() {
    let linear = Make.desc("lpcm", bytes: 4, frames: 1, bits: 16)
    error(Make.caf([Make.data([]), linear]), .invalidFile)
    error(Make.caf([("free", [0]), linear, Make.data([])]), .invalidFile)
    error(Make.caf([linear]), .invalidFile)
    error(Make.caf([("desc", [1, 2, 3])]), .invalidFile)
    error(Make.caf([linear], version: 2), .unsupportedFileType)
    error(Make.caf([Make.desc("QDM2"), Make.data([])]), .unsupportedDataFormat)
    error(Make.caf([Make.desc("aac "), Self.kuki, ("pakt", [0, 0]), Make.data([])]), .invalidFile)
    error(Make.caf([Make.desc("aac "), Self.kuki, Make.pakt([], packets: 9, valid: 9), Make.data([1])]), .invalidFile)
    for desc in [
      Make.desc("lpcm", rate: .nan, bytes: 4, frames: 1, bits: 16),
      Make.desc("lpcm", rate: -1, bytes: 4, frames: 1, bits: 16),
      Make.desc("lpcm", rate: .infinity, bytes: 4, frames: 1, bits: 16),
      Make.desc("lpcm", bytes: 4, frames: 1, channels: 0, bits: 16), Make.desc("lpcm", bytes: 4, frames: 2, bits: 16),
      Make.desc("lpcm", bytes: 3, frames: 1, bits: 16), Make.desc("lpcm", bytes: -1, frames: 1, bits: 16),
      Make.desc("ima4", bytes: 68, frames: -1), Make.desc("opus", rate: 44100), Make.desc("opus", rate: 1),
      Make.desc("aac ", frames: -1),
    ] { #expect(pushed(Make.caf([desc, Make.data(Self.audio)])).0.error?.code == .invalidFile) }
  }

  @Test func `keeps its table as it arrives, and trusts the bytes, not the claimed size`() throws {
    func file(_ table: ChunkSynthesis.Named, frames: Int = 1024, bytes: Int = 0) -> MediaInformation {
      let bytes = Make.caf([
        Make.desc("aac ", bytes: bytes, frames: frames), Self.kuki, table, Make.data(Self.audio),
      ])
      return pushed(bytes).1.information
    }
    // More packets than numbers, fewer, more bytes than audio, a number without end, packets of no bytes.
    #expect(file(Make.pakt(Self.sizes, packets: .max, valid: 0)).packetCount == 11)
    #expect(file(Make.pakt(Self.sizes, packets: 3, valid: 0)).packetCount == 3)
    #expect(file(Make.pakt(Self.sizes + [1], valid: 0)).packetCount == 11)
    let (name, content) = Make.pakt([5, 6], packets: 9, valid: 0)
    #expect(file((name, content + [UInt8](repeating: 0x80, count: 50))).packetCount == 2)
    #expect(file(Make.pakt([5, 0, 6], valid: 0)).packetCount == 1)
    // Frames for each packet; bytes and frames for each; frames alone.
    #expect(file(Make.pakt([5, 100, 6, 300], packets: 2, valid: 350, remainder: 50), frames: 0).frameCount == 400)
    let frames = file(Make.pakt([100, 300, 20], valid: 420), frames: 0, bytes: 10)
    #expect(frames.packetCount == 3 && frames.frameCount == 420 && frames.audioDataByteCount == 30)
    // Valid frames: all, none told, too many, as libsndfile left them, priming that cannot be.
    for (valid, priming, expected) in [
      (11264, 0, (11264, 0, 0)), (0, 0, nil), (99999, 1000, (10264, 1000, 0)), (-1, 0, nil), (10, -5, nil),
      (10, 99999, nil), (10, 11264, nil),
    ] as [(Int, Int, (Int64, Int, Int)?)] {
      let trim = file(Make.pakt(Self.sizes, valid: valid, priming: priming)).packetTable
      #expect(
        trim
          == expected.map {
            AudioFilePacketTableInfo(validFrames: $0.0, primingFrames: $0.1, remainderFrames: $0.2)
          })
    }
  }

  @Test func `refuses a table of more than 16 MiB before it is there`() throws {
    let head = Make.caf([Make.desc("aac "), Self.kuki]) + Array("pakt".utf8) + Make.number(Int64(1) << 40, 8, .big)
    let stream = AudioFileStream()
    var transcript = Transcript()
    try stream.parse(head.span.bytes, into: &transcript)
    let megabyte = [UInt8](repeating: 1, count: 1 << 20)
    var count = 0
    #expect(throws: ContainerError.self) {
      while true {
        try stream.parse(megabyte.span.bytes, into: &transcript)
        count += 1
      }
    }
    #expect(count == 16)
  }

  @Test func `trims packets of one size by a table without packets, at any position`() throws {
    let chunks = [
      Make.desc("ima4", bytes: 34, frames: 64, channels: 1), Make.pakt([], valid: 630, remainder: 10),
      Make.data(Make.samples(340)),
    ]
    #expect(pushed(Make.caf(chunks)).1.information.packetTable?.validFrames == 630)
    let behind = Make.caf([chunks[0], chunks[2], chunks[1]])
    #expect(pushed(behind).0.error == nil)
    #expect(pushed(behind).1.information.packetTable?.validFrames == 630)
    let file = try AudioFile(source: AwkwardSource(behind))
    #expect(file.information.packetTable?.validFrames == 630)
    #expect(file.information.isOptimized)
  }

  @Test func `gives packets of one size one by one where decoders take no more`() {
    let bytes = Make.caf([Make.desc("ac-3", bytes: 100, frames: 1536), Make.data(Make.samples(1000))])
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    struct Counts: AudioFileStreamSink {
      var counts: [Int] = []
      mutating func stream(
        _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
      ) { for index in packets.indices { counts.append(packets[index].packetCount) } }
    }
    var sink = Counts()
    #expect(throws: Never.self) { try stream.parse(bytes.span.bytes, into: &sink) }
    #expect(sink.counts == [Int](repeating: 1, count: 10))
    #expect(stream.information.packetCount == 10)
  }

  @Test func `has PCM flags of its own`() {
    typealias Format = AudioStreamBasicDescription
    for (flags, bytes, bits, expected) in [
      (0, 2, 16, Format.isSignedInteger | Format.isBigEndian | Format.isPacked),
      (2, 2, 16, Format.isSignedInteger | Format.isPacked),
      (1, 4, 32, Format.isFloat | Format.isBigEndian | Format.isPacked),
      (3, 8, 64, Format.isFloat | Format.isPacked), (2, 4, 24, Format.isSignedInteger | Format.isAlignedHigh),
      (2, 3, 20, Format.isSignedInteger | Format.isAlignedHigh),
    ] as [(Int, Int, Int, UInt32)] {
      let desc = Make.desc("lpcm", flags: flags, bytes: bytes, frames: 1, channels: 1, bits: bits)
      let format = pushed(Make.caf([desc, Make.data([])])).1.information.dataFormat
      #expect(format?.formatFlags == expected)
      #expect(format?.bytesPerFrame == bytes && format?.bitsPerChannel == bits)
    }
  }

  @Test func `has a mask of its speakers, if a mask describes them`() {
    func layout(_ tag: UInt32, bitmap: UInt32 = 0, labels: [UInt32] = []) -> [UInt8] {
      ([tag, bitmap, UInt32(labels.count)] + labels.flatMap { [$0, 0, 0, 0, 0] }).flatMap { Make.number($0, 4, .big) }
    }
    for (content, channels, mask) in [
      (layout(100 << 16 | 1), 1, 0x4), (layout(101 << 16 | 2), 2, 0x3), (layout(121 << 16 | 6), 6, 0x3f),
      (layout(115 << 16 | 4), 4, 0x107), (layout(126 << 16 | 8), 8, 0xff), (layout(0x10000, bitmap: 0x60f), 6, 0x60f),
      (layout(0, labels: [1, 2, 3, 4, 10, 11]), 6, 0x60f), (layout(0, labels: [42]), 1, 0x4),
      // Another order, no such speaker, a layout that is not known, another number of channels, an end too early.
      (layout(124 << 16 | 6), 6, 0), (layout(0, labels: [2, 1]), 2, 0), (layout(0, labels: [1, 99]), 2, 0),
      (layout(999 << 16 | 2), 2, 0), (layout(121 << 16 | 6), 2, 0), (layout(0, labels: [1, 2]).dropLast(), 2, 0),
      ([0, 0], 2, 0), (layout(0x10000, bitmap: .max), 2, 0),
    ] as [([UInt8], Int, UInt32)] {
      let desc = Make.desc("lpcm", bytes: 2 * channels, frames: 1, channels: channels, bits: 16)
      let information = pushed(Make.caf([desc, ("chan", content), Make.data([])])).1.information
      #expect(information.channelMask == mask, "\(content.prefix(12))")
    }
  }

  // MARK: Cookies

  private func information(
    _ format: String, frames: Int = 1024, rate: Double = 44100, channels: Int = 2, kuki: [UInt8]?, priming: Int = 0
  ) -> MediaInformation {
    let cookie = kuki.map { [("kuki", $0)] as [ChunkSynthesis.Named] } ?? []
    let table = Make.pakt(Self.sizes, valid: 100, priming: priming)
    let desc = Make.desc(format, rate: rate, frames: frames, channels: channels)
    return pushed(Make.caf([desc] + cookie + [table, Make.data(Self.audio)])).1.information
  }

  @Test func `passes cookies on in the form that decoders take, with any boxes around them`() {
    #expect(information("aac ", kuki: Self.config).magicCookie == Self.config)
    #expect(information("aac ", kuki: Self.descriptor(Self.config)).magicCookie == Self.config)
    #expect(information("aac ", kuki: [3, 0x80]).magicCookie == nil)
    let alac = [0, 0, 16, 0] + Make.samples(20)
    let atom = [0, 0, 0, 0x24] + Array("alac".utf8) + [0, 0, 0, 0] + alac
    let wrapped = [0, 0, 0, 12] + Array("frmaalac".utf8) + atom + [0, 0, 0, 8, 0, 0, 0, 0]
    for kuki in [alac, atom, wrapped] { #expect(information("alac", kuki: kuki).magicCookie == alac) }
    #expect(information("alac", kuki: alac + Make.samples(24)).magicCookie?.count == 48)
    #expect(information("alac", kuki: [1, 2]).magicCookie == nil)
    // 44.1 kHz, stereo, 16 bits.
    let block = [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0xc4, 0x42, 0xf0, 0, 0, 0, 0] + Make.samples(16)
    let flac = Array("fLaC".utf8) + [0x80, 0, 0, 34] + block
    let dfLa = [0, 0, 0, 0x32] + Array("dfLa".utf8) + [0, 0, 0, 0] + [0x80, 0, 0, 34] + block
    for kuki in [flac, dfLa, block, [0, 0, 0, 34] + block, flac + [1, 2, 3]] {
      #expect(information("flac", kuki: kuki).magicCookie == flac)
    }
    #expect(information("flac", kuki: [1]).magicCookie == nil)
    #expect(information(".mp3", kuki: nil).magicCookie == nil)
  }

  @Test func `makes a head for Opus, at the rate that it is decoded at`() {
    let found = information("opus", frames: 480, rate: 24000, channels: 1, kuki: Make.samples(28), priming: 156)
    #expect(found.dataFormat?.sampleRate == 48000)
    #expect(found.dataFormat?.framesPerPacket == 960)
    #expect(found.packetTable?.primingFrames == 312)
    #expect(found.packetTable?.validFrames == 200)
    #expect(found.magicCookie == Array("OpusHead".utf8) + [1, 1, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0])
    let head = Array("OpusHead".utf8) + Make.samples(11)
    #expect(information("opus", frames: 960, rate: 48000, channels: 6, kuki: head).magicCookie == head)
    #expect(information("opus", frames: 960, rate: 48000, channels: 6, kuki: nil).magicCookie == nil)
    // The head's pre-skip is dropped at the start, if the table has none.
    let late = Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0]
    for (priming, expected) in [(0, 312), (100, 100)] as [(Int, Int)] {
      let found = information("opus", frames: 960, rate: 48000, kuki: late, priming: priming)
      #expect(found.packetTable?.primingFrames == expected)
    }
  }

  @Test func `lists HE-AAC with and without replication, richest first, in frames of the first`() {
    // Object type 5, 22.05 kHz to 44.1 kHz, low complexity, stereo.
    let config: [UInt8] = [0x2b, 0x92, 0x08, 0x00]
    for (format, rate, frames, scale) in [("aach", 44100.0, 2048, 1), ("aac ", 22050, 1024, 2)]
      as [(String, Double, Int, Int64)]
    {
      let found = information(format, frames: frames, rate: rate, kuki: Self.descriptor(config), priming: 10)
      #expect(found.formatList.map(\.formatID) == [.aacHE, .aac])
      #expect(found.formatList.map(\.sampleRate) == [44100, 22050])
      #expect(found.formatList.map(\.framesPerPacket) == [2048, 1024])
      #expect(found.dataFormat == found.formatList.first)
      #expect(found.packetTable?.primingFrames == Int(10 * scale))
      #expect(found.packetTable?.validFrames == 100 * scale)
      #expect(found.magicCookie == config)
    }
    // Only `desc` knows of it.
    let implicit = information("aach", frames: 2048, kuki: [0x13, 0x90])
    #expect(implicit.formatList.map(\.formatID) == [.aacHE, .aac])
    #expect(implicit.formatList.map(\.framesPerPacket) == [2048, 1024])
  }

  // MARK: The rest

  @Test func `asks the last packet where ffmpeg rounded up, unless it would have to jump`() throws {
    let bytes = Fixtures.isPresent ? Fixtures.bytes("caf-alac.caf") : []
    guard !bytes.isEmpty else { return }
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(file.information.frameCount == 5001)
    #expect(file.information.duration == 5001.0 / 44100)
    #expect(try pulled(file).packets.map(\.frameCount) == [4096, 905])
    let chunks = Make.chunks(ofCAF: bytes)
    let table = try #require(chunks.last)
    let front = Make.caf(chunks.dropLast(2) + [table, chunks[chunks.count - 2]])
    #expect(pushed(front).0.error == nil)
    #expect(pushed(front).0.hashes == (try pulled(file).hashes))
    #expect(pushed(front).1.information.frameCount == 8192)
  }

  @Test func `cannot continue at an unknown place, but at every seek target`() throws {
    let bytes = Make.caf([Make.desc("aac "), Self.kuki, Self.table, Make.data(Self.audio)])
    let stream = AudioFileStream()
    var transcript = Transcript()
    try stream.parse(bytes.span.bytes.extracting(0..<bytes.count - 300), into: &transcript)
    #expect(transcript.packets.count == 4)
    // Exact although the stream's length is not known and the packet not seen.
    let target = try stream.seek(toPacket: 8)
    #expect(!target.isEstimated && target.packet == 8)
    let place = try #require(stream.information.dataOffset) + target.dataOffset
    var again = Transcript()
    try stream.parse(bytes.span.bytes.extracting(Int(place)..<bytes.count - 210), flags: .discontinuity, into: &again)
    #expect(again.packets.map(\.byteCount) == [Self.sizes[8]])
    #expect(throws: ContainerError.self) {
      try stream.parse(bytes.span.bytes.extracting(first: 10), flags: .discontinuity, into: &again)
    }
    #expect(throws: ContainerError.self) { try stream.seek(toPacket: 11) }
  }

  @Test func `has tags before or after the audio`() throws {
    let text =
      "title\0Title\0artist\0Artist\0track number\03/9\0comments\0C\0recorded date\01999\0genre\0Jazz\0copyright\0us\0"
    let info = ("info", [0, 0, 0, 7] + Array(text.utf8))
    let linear = Make.desc("lpcm", bytes: 4, frames: 1, bits: 16)
    for chunks in [[linear, info, Make.data(Self.audio)], [linear, Make.data(Self.audio), ("free", [0]), info]] {
      let bytes = Make.caf(chunks)
      for information in [
        pushed(bytes, chunk: 1).1.information, try AudioFile(source: AwkwardSource(bytes)).information,
      ] {
        #expect(information.tags.title == "Title")
        #expect(information.tags.artist == "Artist")
        #expect(information.tags.trackNumber == 3 && information.tags.trackCount == 9)
        #expect(information.tags.comment == "C")
        #expect(information.tags.date == "1999")
        #expect(information.tags.genre == "Jazz")
        #expect(information.tags.copyright == "us")
      }
    }
    #expect(pushed(Make.caf([linear, ("info", [0, 0]), Make.data([])])).0.error == nil)
    #expect(pushed(Make.caf([linear, ("info", [9, 9, 9, 9, 0x41]), Make.data([])])).0.error == nil)
  }
}
