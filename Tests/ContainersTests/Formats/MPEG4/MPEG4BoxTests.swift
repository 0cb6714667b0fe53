import AudioModel
import Testing

@testable import Containers

/// The meaning of single boxes, in files made by hand.
@Suite struct `MPEG-4 box by box` {
  typealias Make = MPEG4Synthesis
  typealias Flags = AudioStreamBasicDescription

  static func read(_ bytes: [UInt8]) throws -> AudioFile { try AudioFile(source: AwkwardSource(bytes)) }

  static func format(_ entry: [UInt8]) throws -> MediaInformation {
    try read(Make.file { $0.entry = entry }).information
  }

  // MARK: Order

  @Test(arguments: [
    Make.fileWithMovieBehind(), Make.ftyp + Make.u32(0) + Array("mdat".utf8) + [UInt8](repeating: 7, count: 99),
    Make.ftyp + Make.box("mdat", [UInt8](repeating: 7, count: 99)),
  ])
  func `media data before the movie are 'optm' to a stream as soon as their header is there`(bytes: [UInt8]) {
    let stream = AudioFileStream()
    var transcript = Transcript()
    let head = Array(bytes[..<(Make.ftyp.count + 16)])
    #expect(throws: ContainerError.self) { try stream.parse(head.span.bytes, into: &transcript) }
    #expect(pushed(bytes).0.error?.code == .notOptimized)
    #expect(transcript.properties.isEmpty && transcript.packets.isEmpty)
  }

  @Test func `and a file continues after them, with any width of their size`() throws {
    let file = try Self.read(Make.fileWithMovieBehind())
    #expect(!file.information.isOptimized)
    #expect(try pulled(file).hashes == javaHashes(Make.packets([100, 50, 200, 7])))
    #expect(throws: ContainerError(.invalidFile, at: 131, "the file ends inside its headers")) {
      try Self.read(Make.ftyp + Make.u32(0) + Array("mdat".utf8) + [UInt8](repeating: 7, count: 99))
    }
  }

  @Test func `a movie without a size ends with the file`() throws {
    var bytes = Make.fileWithMovieBehind()
    let movie = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("moov".utf8)) })
    bytes.replaceSubrange(movie - 4..<movie, with: Make.u32(0))
    #expect(try pulled(Self.read(bytes)).packets.map(\.byteCount) == [100, 50, 200, 7])
  }

  @Test func `empty media data before the movie mean nothing`() {
    let bytes = Make.box("wide") + Make.box("mdat") + Make.file { $0.chunkOffsets = [16] }
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil && stream.isReadyToProducePackets)
    #expect(transcript.packets.map(\.byteCount) == [100, 50, 200, 7])
  }

  @Test func `packets in another order than in time cannot be streamed, but read`() throws {
    let bytes = Make.file { track in
      track.chunkRuns = [(1, 1)]
      track.chunkOffsets = [257, 0, 50, 250]
      track.sizes = [100, 50, 200, 7]
    }
    #expect(pushed(bytes).0.error?.code == .notOptimized)
    let file = try Self.read(bytes)
    let (packets, _) = try pulled(file)
    let start = try #require(packets.first).byteOffset - 257
    #expect(packets.map { $0.byteOffset - start } == [257, 0, 50, 250])
    #expect(!file.information.isOptimized)
    for packet in 0..<4 {
      #expect(try file.packetDescriptions(startPacket: Int64(packet), count: 1).packets == [packets[packet]])
    }
  }

  @Test(arguments: ["moov", "mdat", "wide", "free", "skip", "pnot", "ftyp"])
  func `files that begin with any box of QuickTime are recognised with any hint`(type: String) {
    let bytes =
      type == "moov" ? Array(Make.file()[Make.ftyp.count...]) : Make.box(type) + Make.file { $0.chunkOffsets = [8] }
    for hint in [nil, AudioFileTypeID.mp3, .wave] {
      #expect(pushed(bytes, typeHint: hint).1.information.dataFormat?.formatID == .aac)
    }
  }

  // MARK: The audible part

  struct Trim: Sendable, CustomStringConvertible {
    var description: String
    var edits: [(UInt32, Int32)] = []
    var gapless: String?
    var lastDuration: UInt32 = 1024
    var timescale: UInt32 = 44100
    var duration: UInt32 = 1024
    var expected: (priming: Int, valid: Int64, remainder: Int)
  }

  @Test(arguments: [
    Trim(description: "nothing told", expected: (0, 10240, 0)),
    Trim(description: "a shorter last packet", lastDuration: 598, expected: (0, 9814, 426)),
    // 8790 frames are 199.3 ms.
    Trim(description: "priming, a rounded end", edits: [(199, 1024)], lastDuration: 598, expected: (1024, 8790, 426)),
    Trim(description: "an end that is not the last packet's", edits: [(100, 1024)], expected: (1024, 4410, 4806)),
    Trim(description: "an end behind the last packet's", edits: [(5000, 1024)], expected: (1024, 9216, 0)),
    Trim(description: "an edit without length", edits: [(0, 2112)], expected: (2112, 8128, 0)),
    Trim(description: "silence first", edits: [(43, -1), (209, 1024)], expected: (1024, 9216, 0)),
    Trim(description: "several edits", edits: [(20, 512), (43, -1), (100, 2048)], expected: (512, 5946, 3782)),
    Trim(description: "a start behind the end", edits: [(10, 99999)], expected: (10240, 0, 0)),
    Trim(
      description: "iTunes before an edit, where its numbers sum up", edits: [(199, 1024)],
      gapless: " 00000000 00000840 000001C0 0000000000001E00 00000000", expected: (2112, 7680, 448)),
    Trim(
      description: "an edit before iTunes, where they do not", edits: [(209, 1024)],
      gapless: " 00000000 00000840 000001C0 0000000000001000 00000000", expected: (1024, 9216, 0)),
    Trim(
      description: "iTunes without an edit, as far as it can be",
      gapless: " 00000000 00000840 000001C0 0000000000001000 00000000", expected: (2112, 4096, 4032)),
    Trim(description: "iTunes that counts more than there is", gapless: " 0 840 0 FFFFF", expected: (2112, 8128, 0)),
    Trim(description: "iTunes with more priming than there is", gapless: " 0 2801 0 FFFFF", expected: (0, 10240, 0)),
    Trim(description: "iTunes with half the frames", gapless: " 0 400 0 1000", expected: (2048, 8192, 0)),
    Trim(
      description: "iTunes with twice the frames", gapless: " 0 1084 F 3F6D", expected: (2114, 8118, 8)),
    Trim(
      description: "a time scale of its own", edits: [(199, 100)], timescale: 4410, duration: 102,
      expected: (1000, 8776, 464)),
    Trim(description: "nonsense of durations", duration: 3, expected: (0, 10240, 0)),
  ])
  func `edit lists, durations and iTunes tags trim the track`(trim: Trim) throws {
    let sizes = [UInt32](repeating: 20, count: 10)
    let last = trim.duration == 1024 ? trim.lastDuration : trim.duration
    let tags = trim.gapless.map { Make.itemList(Make.freeForm("iTunSMPB", $0)) } ?? []
    let bytes = Make.file(sizes: sizes, moreInMovie: tags) {
      $0.edits = trim.edits
      $0.timescale = trim.timescale
      $0.durations = [(9, trim.duration), (1, last)]
    }
    let table = try #require(try Self.read(bytes).information.packetTable)
    #expect(table.primingFrames == trim.expected.priming)
    #expect(table.validFrames == trim.expected.valid)
    #expect(table.remainderFrames == trim.expected.remainder)
  }

  // MARK: Codings

  struct Coding: Sendable, CustomStringConvertible {
    var description: String
    var entry: [UInt8]
    var format: AudioStreamBasicDescription
    var mask: UInt32 = 0
  }

  static func linear(
    _ bits: Int, _ flags: UInt32, channels: Int = 2, rate: Double = 44100, bytes: Int? = nil
  ) -> AudioStreamBasicDescription {
    let bytesPerFrame = bytes ?? (bits + 7) / 8 * channels
    return AudioStreamBasicDescription(
      sampleRate: rate, formatID: .linearPCM, formatFlags: flags, bytesPerPacket: bytesPerFrame, framesPerPacket: 1,
      bytesPerFrame: bytesPerFrame, channelsPerFrame: channels, bitsPerChannel: bits)
  }

  /// QuickTime's version 1 with `wave` around the boxes.
  static func wave(_ type: String, _ boxes: [UInt8]) -> [UInt8] {
    Make.entry(
      type, version: 1, fields: [UInt8](repeating: 0, count: 16),
      Make.box("wave", Make.box("frma", Array(type.utf8)), boxes, Make.u32(8) + Make.u32(0)))
  }

  /// QuickTime's version 2.
  static func version2(_ rate: Double, channels: UInt32, bits: UInt32, flags: UInt32, bytes: UInt32) -> [UInt8] {
    Make.entry(
      "lpcm", channels: 3, bits: 16, rate: 1, version: 2,
      fields: Make.u32(72) + Make.u64(rate.bitPattern) + Make.u32(channels) + Make.u32(0x7f00_0000) + Make.u32(bits)
        + Make.u32(flags) + Make.u32(bytes) + Make.u32(1))
  }

  static let codings: [Coding] = {
    let signed = Flags.isSignedInteger | Flags.isPacked
    let big = Flags.isBigEndian
    let float = Flags.isFloat | Flags.isPacked
    let little = Make.box("enda", [0, 1])
    func compressed(
      _ id: AudioFormatID, _ rate: Double, frames: Int, channels: Int, flags: UInt32 = 0
    ) -> AudioStreamBasicDescription {
      AudioStreamBasicDescription(
        sampleRate: rate, formatID: id, formatFlags: flags, framesPerPacket: frames, channelsPerFrame: channels)
    }
    let alac: [UInt8] =
      Make.u32(4096) + [0, 24, 40, 10, 14, 2, 0, 255] + Make.u32(9000) + Make.u32(700_000) + Make.u32(96000)
    return [
      Coding(description: "sowt", entry: Make.entry("sowt"), format: linear(16, signed)),
      Coding(
        description: "twos", entry: Make.entry("twos", channels: 1), format: linear(16, signed | big, channels: 1)),
      Coding(description: "twos of 8 bits", entry: Make.entry("twos", bits: 8), format: linear(8, signed)),
      Coding(description: "raw", entry: Make.entry("raw ", bits: 8), format: linear(8, Flags.isPacked)),
      Coding(description: "in24", entry: Make.entry("in24"), format: linear(24, signed | big)),
      Coding(description: "in24, little-endian", entry: wave("in24", little), format: linear(24, signed)),
      Coding(description: "in32", entry: Make.entry("in32"), format: linear(32, signed | big)),
      Coding(description: "fl32, little-endian", entry: wave("fl32", little), format: linear(32, float)),
      Coding(description: "fl64", entry: Make.entry("fl64"), format: linear(64, float | big)),
      Coding(
        description: "lpcm of version 2", entry: version2(192_000, channels: 6, bits: 24, flags: 4 | 8, bytes: 18),
        format: linear(24, signed, channels: 6, rate: 192_000)),
      Coding(
        description: "lpcm with room in its samples",
        entry: version2(48000, channels: 2, bits: 20, flags: 4 | 16, bytes: 8),
        format: linear(20, Flags.isSignedInteger | Flags.isAlignedHigh, rate: 48000, bytes: 8)),
      Coding(
        description: "ipcm", entry: Make.entry("ipcm", Make.full("pcmC", [1, 24])), format: linear(24, signed)),
      Coding(
        description: "fpcm", entry: Make.entry("fpcm", Make.full("pcmC", [0, 32])), format: linear(32, float | big)),
      Coding(
        description: "sowt with a layout",
        entry: Make.entry("sowt", channels: 6, Make.full("chan", Make.u32(121 << 16 | 6), Make.u32(0), Make.u32(0))),
        format: linear(16, signed, channels: 6), mask: 0x3f),
      Coding(
        description: "ulaw", entry: Make.entry("ulaw", channels: 1, rate: 8000),
        format: AudioStreamBasicDescription(
          sampleRate: 8000, formatID: .uLaw, bytesPerPacket: 1, framesPerPacket: 1, bytesPerFrame: 1,
          channelsPerFrame: 1, bitsPerChannel: 8)),
      Coding(
        description: "ima4", entry: Make.entry("ima4"),
        format: AudioStreamBasicDescription(
          sampleRate: 44100, formatID: .appleIMA4, bytesPerPacket: 68, framesPerPacket: 64, channelsPerFrame: 2)),
      Coding(
        description: "AAC in wave", entry: wave("mp4a", Make.esds()),
        format: compressed(.aac, 44100, frames: 1024, channels: 2, flags: 2)),
      Coding(
        description: "AAC of 960 frames", entry: Make.entry("mp4a", Make.esds([0x12, 0x14])),
        format: compressed(.aac, 44100, frames: 960, channels: 2, flags: 2)),
      Coding(
        description: "AAC at a rate that the entry cannot say",
        entry: Make.entry("mp4a", rate: 0, Make.esds([0x10, 0x10])),
        format: compressed(.aac, 96000, frames: 1024, channels: 2, flags: 2)),
      Coding(
        description: "MP3", entry: Make.entry("mp4a", rate: 24000, Make.esds([], objectType: 0x6b)),
        format: compressed(.mpegLayer3, 24000, frames: 576, channels: 2)),
      Coding(
        description: "ALAC", entry: Make.entry("alac", Make.full("alac", alac)),
        format: compressed(.appleLossless, 96000, frames: 4096, channels: 2, flags: 3)),
      Coding(
        description: "AC-3", entry: Make.entry("ac-3", Make.box("dac3", [0x50, 0x3d, 0x40])),
        format: compressed(.ac3, 44100, frames: 1536, channels: 6), mask: 0x60f),
      Coding(
        description: "E-AC-3", entry: Make.entry("ec-3", Make.box("dec3", [0x06, 0, 0x20, 0x0f, 0])),
        format: compressed(.enhancedAC3, 48000, frames: 1536, channels: 6), mask: 0x60f),
      Coding(
        description: "AMR, two frames a sample",
        entry: Make.entry("sawb", rate: 16000, Make.box("damr", Array("none".utf8), [0, 0, 0, 0, 2])),
        format: compressed(.amrWB, 16000, frames: 640, channels: 1)),
      Coding(
        description: "Opus",
        entry: Make.entry("Opus", Make.box("dOps", [0, 2, 1, 0x38, 0, 0, 0xbb, 0x80, 0xff, 0xfe, 0])),
        format: compressed(.opus, 48000, frames: 1024 * 48000 / 44100, channels: 2)),
    ]
  }()

  @Test(arguments: codings) func `a sound description gives the layout of packets`(coding: Coding)
    throws
  {
    let information = try Self.format(coding.entry)
    var format = try #require(information.dataFormat)
    if coding.format.formatID == .opus { format.framesPerPacket = coding.format.framesPerPacket }
    #expect(format == coding.format)
    #expect(information.channelMask == coding.mask)
  }

  struct Replication: Sendable, CustomStringConvertible {
    var description: String
    var configuration: [UInt8]
    var expected: [(AudioFormatID, Double, Int, Int)]
  }

  @Test(arguments: [
    Replication(description: "none", configuration: [0x13, 0x90], expected: [(.aac, 22050, 1024, 2)]),
    // 00101 0111 0010 0100 00010 000: SBR, 22.05 kHz, two channels, to 44.1 kHz, LC.
    Replication(
      description: "SBR told first", configuration: [0x2b, 0x92, 0x08, 0x00],
      expected: [(.aacHE, 44100, 2048, 2), (.aac, 22050, 1024, 2)]),
    // LC, then 0x2b7 00101 1 0100.
    Replication(
      description: "SBR told behind", configuration: [0x13, 0x90, 0x56, 0xe5, 0xa0],
      expected: [(.aacHE, 44100, 2048, 2), (.aac, 22050, 1024, 2)]),
    Replication(
      description: "parametric stereo told first", configuration: [0xeb, 0x8a, 0x08, 0x00],
      expected: [(.aacHEv2, 44100, 2048, 2), (.aacHE, 44100, 2048, 1), (.aac, 22050, 1024, 1)]),
    // ... 0x548 1.
    Replication(
      description: "parametric stereo told behind", configuration: [0x13, 0x88, 0x56, 0xe5, 0xa5, 0x48, 0x80],
      expected: [(.aacHEv2, 44100, 2048, 2), (.aacHE, 44100, 2048, 1), (.aac, 22050, 1024, 1)]),
    Replication(
      description: "SBR at the same rate", configuration: [0x2a, 0x12, 0x08, 0x00],
      expected: [(.aacHE, 44100, 1024, 2), (.aac, 44100, 1024, 2)]),
    Replication(
      description: "no SBR told behind", configuration: [0x12, 0x10, 0x56, 0xe5, 0x00],
      expected: [(.aac, 44100, 1024, 2)]),
    // Program config element: in front a centre and a pair, a pair behind, LFE.
    Replication(
      description: "channels by their elements",
      configuration: [0x11, 0x80, 0x04, 0xc8, 0x05, 0x00, 0x01, 0x08, 0x80, 0x00],
      expected: [(.aac, 48000, 1024, 6)]),
  ])
  func `AAC gives every layout it can be decoded to, richest first`(replication: Replication) throws {
    let entry = Make.entry("mp4a", rate: 22050, Make.esds(replication.configuration))
    let information = try Self.format(entry)
    let found = information.formatList.map { ($0.formatID, $0.sampleRate, $0.framesPerPacket, $0.channelsPerFrame) }
    #expect(found.elementsEqual(replication.expected, by: ==))
    #expect(information.dataFormat == information.formatList.first)
    #expect(information.magicCookie == replication.configuration)
  }

  @Test func `FLAC and Opus come with the cookies that their decoders take`() throws {
    let info: [UInt8] =
      Make.u16(4096) + Make.u16(4096) + [0, 0, 0, 0, 0, 0] + Make.u32(48000 << 12 | 1 << 9 | 23 << 4)
      + [UInt8](repeating: 5, count: 20)
    let flac = try Self.format(Make.entry("fLaC", Make.full("dfLa", [0, 0, 0, 34], info, [0x81, 0, 0, 1, 0])))
    #expect(flac.magicCookie == Array("fLaC".utf8) + [0x80, 0, 0, 34] + info)
    #expect(flac.dataFormat?.framesPerPacket == 4096 && flac.dataFormat?.sampleRate == 48000)
    let opus = try Self.format(
      Make.entry("Opus", Make.box("dOps", [0, 6, 1, 0x38, 0, 0, 0xbb, 0x80, 0xff, 0xfe, 1, 4, 2, 0, 4, 1, 2, 3, 5])))
    #expect(
      opus.magicCookie
        == Array("OpusHead".utf8) + [1, 6, 0x38, 1, 0x80, 0xbb, 0, 0, 0xfe, 0xff, 1, 4, 2, 0, 4, 1, 2, 3, 5])
    #expect(opus.packetTable?.primingFrames == 312)
  }

  @Test(arguments: ["enca", "drms", "mp4a", "sowt"])
  func `encrypted audio is refused with the reason, whatever its name, and not left to other readers`(type: String) {
    let protection = Make.box("sinf", Make.box("frma", Array("mp4a".utf8)))
    let bytes = Make.file { $0.entry = Make.entry(type, Make.esds() + protection) }
    let error = pushed(bytes).0.error
    #expect(error?.code == .permissions)
    #expect(error?.expectation == "the audio is encrypted ('\(type)')")
    #expect(throws: ContainerError.self) { try Self.read(bytes) }
  }

  @Test(arguments: [("QDM2", "QDM2"), ("dtsc", "dtsc"), ("mp4a", "esds")])
  func `an unsupported codec is 'fmt?' with a reason`(type: String, reason: String) {
    let bytes = Make.file { $0.entry = Make.entry(type) }
    let error = pushed(bytes).0.error
    #expect(error?.code == .unsupportedDataFormat)
    #expect(error?.expectation.contains(reason) ?? false)
    #expect(throws: ContainerError.self) { try Self.read(bytes) }
  }

  @Test func `so are a movie without sound, a compressed one, and one of USAC`() {
    let usac = Make.entry("mp4a", Make.esds([0xf9, 0x49, 0x00]))
    for bytes in [
      Make.file { $0.handler = "vide" }, Make.ftyp + Make.moov([]),
      Make.ftyp + Make.box("moov", Make.box("cmov", [1, 2, 3])), Make.file { $0.entry = usac },
    ] {
      #expect(pushed(bytes).0.error?.code == .unsupportedDataFormat)
    }
    #expect(pushed(Make.ftyp + Make.fragment([5])).0.error?.code == .invalidFile)
  }

  // MARK: Tracks and tables

  @Test func `the first enabled track is played that can be`() throws {
    func played(_ tracks: [Make.Track]) throws -> Double? {
      try Self.read(Make.ftyp + Make.moov(tracks)).information.dataFormat?.sampleRate
    }
    func track(_ rate: UInt32, isEnabled: Bool = true, type: String = "sowt", handler: String = "soun") -> Make.Track {
      Make.Track(handler: handler, isEnabled: isEnabled, entry: Make.entry(type, rate: rate))
    }
    #expect(try played([track(1000, handler: "vide"), track(2000), track(3000)]) == 2000)
    #expect(try played([track(1000, isEnabled: false), track(2000)]) == 2000)
    #expect(try played([track(1000, isEnabled: false), track(2000, isEnabled: false)]) == 1000)
    #expect(try played([track(1000, type: "enca"), track(2000, isEnabled: false)]) == 2000)
  }

  @Test(arguments: [
    Make.full("stz2", Make.u32(16), Make.u32(3), Make.u16(3) + Make.u16(15) + Make.u16(4)),
    Make.full("stz2", Make.u32(8), Make.u32(3), [3, 15, 4]), Make.full("stz2", Make.u32(4), Make.u32(3), [0x3f, 0x40]),
    Make.full("stsz", Make.u32(0), Make.u32(3), Make.u32(3) + Make.u32(15) + Make.u32(4)),
  ]) func `sizes may have fewer bits`(box: [UInt8]) throws {
    let file = try Self.read(Make.file(sizes: [3, 15, 4]) { $0.sizeBox = box })
    #expect(try pulled(file).hashes == javaHashes(Make.packets([3, 15, 4])))
  }

  @Test func `one size for all packets, and chunks with other things between`() throws {
    let bytes = Make.file(sizes: [UInt32](repeating: 10, count: 9)) {
      $0.sizeBox = Make.full("stsz", Make.u32(10), Make.u32(7))
      $0.chunkRuns = [(1, 2), (3, 3)]
      $0.chunkOffsets = [0, 30, 60]
      $0.durations = [(7, 1024)]
    }
    let file = try Self.read(bytes)
    let (packets, _) = try pulled(file)
    let start = try #require(packets.first).byteOffset
    #expect(packets.map { $0.byteOffset - start } == [0, 10, 30, 40, 60, 70, 80])
    #expect(packets.allSatisfy { $0.packetCount == 1 && $0.byteCount == 10 })
    #expect(pushed(bytes).0.packets == packets)
    #expect(file.packetIndex == pushed(bytes).1.packetIndex)
    #expect(file.information.audioDataByteCount == 70 && file.information.maximumPacketSize == 10)
  }

  @Test func `QuickTime counts frames of ADPCM and PCM as samples, of 1 byte as old files have it`() throws {
    for size in [1, 4] as [UInt32] {
      let pcm = try Self.read(
        Make.file(sizes: [400]) {
          $0.entry = Make.entry("sowt")
          $0.sizeBox = Make.full("stsz", Make.u32(size), Make.u32(100))
          $0.durations = [(100, 1)]
        })
      #expect(pcm.packetIndex.packetCount == 100 && pcm.packetIndex.byteCount == 400)
    }
    let adpcm = try Self.read(
      Make.file(sizes: [340]) {
        $0.entry = Make.entry("ima4")
        $0.sizeBox = Make.full("stsz", Make.u32(1), Make.u32(320))
        $0.durations = [(320, 1)]
      })
    #expect(adpcm.packetIndex.packetCount == 5 && adpcm.packetIndex.byteCount == 340)
    #expect(adpcm.information.duration == 320.0 / 44100)
  }

  @Test func `a roll group gives the number of packets to decode ahead`() throws {
    let roll = Make.full("sgpd", version: 1, Array("roll".utf8), Make.u32(2), Make.u32(1), Make.u16(-3))
    #expect(try Self.read(Make.file { $0.tableBoxes = roll }).prerollPacketCount == 3)
    #expect(try Self.read(Make.file()).prerollPacketCount == 1)
  }

  @Test(arguments: [
    ("M4A ", AudioFileTypeID.m4a), ("M4B ", .m4b), ("mp42", .mp4), ("isom", .mp4), ("qt  ", .mp4), ("3gp5", .threeGP),
    ("3g2a", .threeGP2),
  ]) func `brands name the file's type`(brand: String, type: AudioFileTypeID) throws {
    var bytes = Make.file()
    bytes.replaceSubrange(8..<12, with: Array(brand.utf8))
    #expect(try Self.read(bytes).information.fileType == type)
  }

  // MARK: Fragments

  static let fragmented =
    Make.ftyp + Make.fragmentedMovie + Make.fragment([30, 40, 50]) + Make.box("free", [1, 2])
    + Make.fragment([60, 70]) + Make.fragment([80])

  @Test func `fragments are played as they come, and found again`() throws {
    let (transcript, stream) = pushed(Self.fragmented)
    #expect(transcript.error == nil && transcript.skips.isEmpty)
    #expect(transcript.packets.map(\.byteCount) == [30, 40, 50, 60, 70, 80])
    #expect(stream.information.packetCount == 6 && stream.information.duration == 6144.0 / 44100)
    let file = try Self.read(Self.fragmented)
    #expect(try pulled(file).packets == transcript.packets)
    for packet in [5, 0, 3, 1, 4, 2] {
      #expect(
        try file.packetDescriptions(startPacket: Int64(packet), count: 1).packets == [transcript.packets[packet]])
    }
  }

  @Test(arguments: [0, UInt32.max])
  func `one size for all packets of the movie, none of which is there, is not that of fragments`(count: UInt32) throws {
    let track = Make.Track(sizeBox: Make.full("stsz", Make.u32(10), Make.u32(count)))
    let bytes = Make.ftyp + Make.moov([track], Make.defaultsOfFragments) + Make.fragment([30, 40, 50])
    #expect(expectAgreement(bytes)?.packets.map(\.byteCount) == [30, 40, 50])
  }

  @Test func `the position of a track fragment may be given in several ways (14496-12, 8.8.7)`() throws {
    let sizes: [UInt32] = [5, 6, 7]
    let run = Make.u32(3) + sizes.flatMap(Make.u32)
    let other = Make.box(
      "traf", Make.full("tfhd", flags: 0x10, Make.u32(9), Make.u32(4)),
      Make.full("trun", flags: 1, Make.u32(2), Make.u32(0)))
    func bytes(_ header: (Int) -> [UInt8], _ runFlags: UInt32, before: [UInt8] = []) -> [UInt8] {
      func moof(_ place: Int) -> [UInt8] {
        let distance = runFlags & 1 == 1 ? Make.u32(UInt32(place & 0xffff)) : []
        return Make.box(
          "moof", before,
          Make.box(
            "traf", header(place), Make.full("trun", flags: runFlags, run.prefix(4) + distance, Array(run[4...]))))
      }
      let start = Make.ftyp.count + Make.fragmentedMovie.count
      return Make.ftyp + Make.fragmentedMovie + moof(moof(0).count + 8 | start << 16)
        + Make.box("mdat", Array(Make.packets(sizes).joined()))
    }
    let ways: [[UInt8]] = [
      bytes({ _ in Make.full("tfhd", flags: 0x20000, Make.u32(1)) }, 0x201),
      bytes({ _ in Make.full("tfhd", Make.u32(1)) }, 0x201),
      bytes({ Make.full("tfhd", flags: 1, Make.u32(1), Make.u64(UInt64($0 & 0xffff + $0 >> 16))) }, 0x200),
    ]
    for way in ways { #expect(try pulled(Self.read(way)).hashes == javaHashes(Make.packets(sizes))) }
    // Without any base: behind the data of the track before, which has 8 bytes from the start of `moof`.
    let behind = bytes({ _ in Make.full("tfhd", Make.u32(1)) }, 0x200, before: other)
    let place = try #require(try Self.read(behind).packetDescriptions(startPacket: 0, count: 1).packets.first)
      .byteOffset
    #expect(place == Int64(Make.ftyp.count + Make.fragmentedMovie.count + 8))
  }

  @Test func `a truncated fragmented file plays up to the cut`() throws {
    for count in Self.fragmented.indices {
      let transcript = pushed(Array(Self.fragmented[..<count])).0
      let whole = pushed(Self.fragmented).0.packets.filter { $0.byteOffset + Int64($0.byteCount) <= count }
      #expect(transcript.packets == whole, "cut at \(count)")
    }
  }

  // MARK: Seeking

  @Test
  func `tables are all that a discontinuity without a seek would need, and so is the seek`()
    throws
  {
    let bytes = Make.file()
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    var transcript = Transcript()
    let start = bytes.count - 357
    try stream.parse(bytes.span.bytes.extracting(first: start), into: &transcript)
    #expect(stream.isReadyToProducePackets)
    // Before the first packet it does no harm.
    try stream.parse(bytes.span.bytes.extracting(start..<start + 120), flags: .discontinuity, into: &transcript)
    #expect(transcript.packets.count == 1)
    let target = try stream.seek(toPacket: 3)
    #expect(!target.isEstimated)
    let place = start + Int(target.dataOffset)
    try stream.parse(bytes.span.bytes.extracting(place...), flags: .discontinuity, into: &transcript)
    #expect(transcript.packets.last?.byteCount == 7)
    #expect(throws: ContainerError.self) { try stream.seek(toPacket: 4) }
    _ = try stream.seek(toPacket: 0)
    try stream.parse(bytes.span.bytes.extracting(start..<start + 120), into: &transcript)
    let error = #expect(throws: ContainerError.self) {
      try stream.parse(bytes.span.bytes.extracting(start + 150..<start + 200), flags: .discontinuity, into: &transcript)
    }
    #expect(error?.code == .discontinuityCantRecover)
  }
}
