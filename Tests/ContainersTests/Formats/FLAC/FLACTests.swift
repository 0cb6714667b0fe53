import AudioModel
import ByteIO
import Testing

@testable import Containers

/// FLAC as RFC 9639 defines it.
@Suite struct `FLAC` {
  typealias Make = FLACSynthesis

  /// Both drivers give these frames, and these bytes as garbage.
  static func expect(
    _ bytes: [UInt8], gives frames: [[UInt8]], frameCounts: [Int]? = nil, skips: [Int64] = [],
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil, comment, sourceLocation: sourceLocation)
    #expect(transcript.hashes == javaHashes(frames), comment, sourceLocation: sourceLocation)
    if let frameCounts {
      #expect(transcript.packets.map(\.frameCount) == frameCounts, comment, sourceLocation: sourceLocation)
    }
    #expect(transcript.skips.map(\.byteCount) == skips, comment, sourceLocation: sourceLocation)
    #expect(stream.packetIndex.isComplete, comment, sourceLocation: sourceLocation)
    `Any way of cutting gives the same events`.expectEqualForAllCuts(
      bytes, chunks: [1, 2, 3, 7, 61, 64, 100, 1000])
    expectAgreement(bytes)
  }

  // MARK: Whole files

  @Test func `is cut into its frames, of which the last may be shorter`() throws {
    let frames = Make.frames(5) + [Make.frame(5, samples: Make.noise(14, 9))]
    let bytes = Make.file(frames, total: 5 * 32 + 7)
    Self.expect(bytes, gives: frames, frameCounts: [32, 32, 32, 32, 32, 7])
    let (transcript, stream) = pushed(bytes)
    let information = stream.information
    #expect(information.fileType == .flac)
    #expect(
      information.dataFormat
        == AudioStreamBasicDescription(
          sampleRate: 44100, formatID: .flac, formatFlags: 1, framesPerPacket: 32, channelsPerFrame: 1))
    var cookie = Array(bytes[..<42])
    cookie[4] = 0x80
    #expect(information.magicCookie == cookie)
    #expect(information.dataOffset == 42)
    #expect(information.duration == 167.0 / 44100)
    #expect(transcript.properties.contains(.magicCookieData))
    #expect(try stream.value(of: .magicCookieData) == information.magicCookie)
  }

  @Test func `has its own comments before those of an ID3v2 tag in front of it`() throws {
    let tag = Synthesis.id3v2(3, [("TIT2", Synthesis.latin1("Old")), ("TALB", Synthesis.latin1("Album"))])
    let bytes = tag + Make.file(Make.frames(5), blocks: [(4, Make.comments(["TITLE=New"]))])
    for tags in [pushed(bytes).1.information.tags, try AudioFile(source: AwkwardSource(bytes)).information.tags] {
      #expect(tags.title == "New" && tags.album == "Album")
    }
  }

  @Test func `with block sizes that vary counts by frames`() {
    let sizes = [16, 40, 32, 64, 17]
    var start = 0
    let frames = sizes.map { size in
      defer { start += size }
      return Make.frame(start, samples: Make.noise(2 * size, start), isVariable: true)
    }
    Self.expect(Make.file(frames, blockSizes: 16...64), gives: frames, frameCounts: sizes)
  }

  @Test func `has the length in STREAMINFO at once, else an estimate by the bit rate`() throws {
    let known = try AudioFile(source: AwkwardSource(Make.file(Make.frames(3000), total: 96000))).information
    #expect(known.duration == 96000.0 / 44100 && !known.durationIsEstimated && known.packetCount == 3000)
    let file = try AudioFile(source: AwkwardSource(Make.file(Make.frames(3000))))
    #expect(file.information.durationIsEstimated)
    #expect(abs((file.information.duration ?? 0) - 96000.0 / 44100) < 0.02)
    #expect(try file.advanceIndex())
    #expect(file.information.duration == 96000.0 / 44100 && !file.information.durationIsEstimated)
  }

  @Test func `with varying block sizes detects a damaged frame by the number of the next, after noise too`() {
    var frames = [(0, 16), (16, 40), (56, 32)].map { start, size in
      Make.frame(start, samples: Make.noise(2 * size, start), isVariable: true)
    }
    frames[0][20] ^= 4
    let bytes = Make.file([[0xff, 0xf8, 1, 2, 3]] + frames, blockSizes: 16...64)
    Self.expect(bytes, gives: frames, frameCounts: [16, 40, 32], skips: [5])
  }

  // MARK: False frame headers

  @Test func `takes no header by chance for a frame, even one with the right checksum and number`() {
    // The samples of the frame hold the header of the next one, or all of it.
    let others = Make.frames(3, first: 1, blockSize: 256)
    for inner in [Array(others[0][..<8]), Array(others[0][..<300]), Array(others[1][..<12])] {
      let samples = Make.noise(40, 0) + inner + Make.noise(472 - inner.count, 4)
      let frames = [Make.frame(0, samples: samples)] + others
      Self.expect(Make.file(frames, blockSizes: 256...256), gives: frames)
    }
    // Nor one that is whole, with another behind it.
    let small = Make.frames(2, first: 1).joined()
    let frames = [Make.frame(0, samples: Make.noise(40, 0) + small + Make.noise(472 - small.count, 5))] + others
    Self.expect(Make.file(frames, blockSizes: 256...256), gives: frames)
  }

  // MARK: Damage

  static let frames = Make.frames(12)
  static let head = Make.file([], total: 12 * 32)

  @Test func `keeps a frame with a wrong bit in it, for the decoder to judge`() {
    for number in [0, 5, 10] {
      var frames = Self.frames
      frames[number][40] ^= 4
      Self.expect(
        Self.head + frames.joined(), gives: frames, frameCounts: [Int](repeating: 32, count: 12), "frame \(number)")
    }
  }

  @Test func `gives frames that are missing as packets of no bytes, so that time is kept`() {
    let left = Array(Self.frames[..<3] + Self.frames[5...])
    let expected = Array(Self.frames[..<3]) + [[], []] + Self.frames[5...]
    Self.expect(Self.head + left.joined(), gives: expected, frameCounts: [Int](repeating: 32, count: 12))
  }

  @Test func `finds the end of a frame before a damaged header, and continues after that frame`() {
    for place in [2, 6] {
      var frames = Self.frames
      frames[4][place] ^= 0x40
      let expected = Array(Self.frames[..<4]) + [[]] + Self.frames[5...]
      Self.expect(
        Self.head + frames.joined(), gives: expected, frameCounts: [Int](repeating: 32, count: 12),
        skips: [Int64(frames[4].count)], "byte \(place)")
    }
  }

  @Test func `joins a frame without an end with the bytes up to the next header`() {
    var bytes = Self.head + Self.frames[..<4].joined()
    bytes += Self.frames[4].dropLast(20) + Self.frames[5...].joined()
    let cut = Array(Self.frames[4].dropLast(20))
    Self.expect(
      bytes, gives: Self.frames[..<4] + [cut] + Self.frames[5...], frameCounts: [Int](repeating: 32, count: 12))
  }

  @Test func `skips noise before the first frame`() {
    Self.expect(Self.head + [0xff, 0xf8, 1, 2, 3] + Self.frames.joined(), gives: Self.frames, skips: [5])
  }

  @Test func `is searched for frames after a jump to nowhere in particular`() throws {
    let bytes = Self.head + Self.frames.joined()
    let stream = AudioFileStream()
    var transcript = Transcript()
    let start = Self.head.count + Self.frames[..<2].joined().count
    try stream.parse(bytes.span.bytes.extracting(..<start), into: &transcript)
    try stream.parse(
      bytes.span.bytes.extracting(droppingFirst: start + 100), flags: .discontinuity, into: &transcript)
    try stream.finish(into: &transcript)
    #expect(transcript.hashes == javaHashes(Self.frames[..<1] + Self.frames[4...]))
  }

  @Test func `fills no gap of more than half a minute`() {
    let frames = Make.frames(3) + Make.frames(3, first: 100_000)
    Self.expect(Make.file(frames), gives: frames)
    let (transcript, _) = pushed(Make.file(Make.frames(2) + Make.frames(2, first: 30 * 44100 / 32)))
    #expect(transcript.packets.count == 4 + 30 * 44100 / 32 - 2)
  }

  @Test func `a gap is filled each time that it is read`() throws {
    let gap = 30 * 44100 / 32 - 2
    let bytes = Make.file(Make.frames(2) + Make.frames(70, first: 2 + gap))
    let file = try AudioFile(source: AwkwardSource(bytes))
    _ = try file.advanceIndex()
    for packet in [Int64(2 + gap + 69), 5, 2 + Int64(gap), 20_000, 2 + Int64(gap) - 1] {
      let read = try file.packetDescriptions(startPacket: packet, count: 1).packets.first
      #expect(read?.frameCount == 32 && (read?.byteCount == 0) == (2..<(2 + Int64(gap)) ~= packet), "\(packet)")
    }
  }

  @Test func `not more packets are made up than a stream of its size could have`() {
    // A gap of 29 s before each frame.
    let gap = 29 * 44100 / 32
    let frames = (0..<9).flatMap { Make.frames(1, first: $0 * gap) }
    let (transcript, _) = pushed(Make.file(frames))
    #expect(transcript.packets.count == 9 + gap - 1)
  }

  // MARK: Bytes after the audio

  @Test func `ends before tags, and before any bytes after the last frame`() {
    let tags = Synthesis.id3v1(title: "Old", artist: "Someone")
    for (behind, skips) in [
      (tags, []), (Synthesis.ape([("Title", Array("ape".utf8), flags: 0)]), []),
      ([UInt8](repeating: 0, count: 500), [500]),
    ] as [([UInt8], [Int64])] {
      Self.expect(Self.head + Self.frames.joined() + behind, gives: Self.frames, skips: skips)
    }
    #expect(pushed(Self.head + Self.frames.joined() + tags).1.information.tags.artist == "Someone")
    // If the number of frames is unknown, tags are recognised by their marks.
    Self.expect(Make.file(Self.frames) + tags, gives: Self.frames)
  }

  @Test func `continues with another file after it, without its headers`() {
    let other = Make.file(Make.frames(4))
    let bytes = Self.head + Self.frames.joined() + other
    Self.expect(
      bytes, gives: Self.frames + Make.frames(4), frameCounts: [Int](repeating: 32, count: 16), skips: [42])
  }

  @Test func `rejects frames that are too long, or earlier than the played ones`() {
    let long = Make.frame(0, samples: Make.noise(2 * 33, 4))
    for (noise, place) in [(long, 0), (Self.frames[2], 4)] {
      let bytes = Make.file(Self.frames[..<place] + [noise] + Self.frames[place...])
      Self.expect(
        bytes, gives: Self.frames, frameCounts: [Int](repeating: 32, count: 12), skips: [Int64(noise.count)])
    }
  }

  @Test func `cut anywhere plays the frames before the cut`() throws {
    let bytes = Self.head + Self.frames.joined()
    for count in 0..<bytes.count {
      guard let cut = expectAgreement(Array(bytes[..<count]), "cut at \(count)")?.stream else {
        #expect(count < 42)
        continue
      }
      let whole = max(0, count - 42) / Self.frames[0].count
      #expect(cut.hashes == javaHashes(Self.frames[..<whole]), "cut at \(count)")
    }
  }

  // MARK: Metadata

  static let blocks: [(kind: UInt8, content: [UInt8])] = [
    (1, [UInt8](repeating: 0, count: 100)),
    (
      4,
      Make.comments([
        "TITLE=Ein Stück", "artist=One", "ARTIST=Two", "TRACKNUMBER=3/9", "REPLAYGAIN_TRACK_GAIN=-7.25 dB",
        "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x4", "no field",
      ])
    ),
    (6, Make.picture([UInt8](repeating: 0xff, count: 3000), mimeType: "image/jpeg")),
    (126, [UInt8](repeating: 0xff, count: 2000)),
    (6, Make.picture([1, 2, 3])),
  ]

  @Test func `has the facts of its blocks, pictures by their place`() throws {
    let bytes = Make.file(Self.frames, total: 12 * 32, blocks: Self.blocks)
    Self.expect(bytes, gives: Self.frames)
    let information = try AudioFile(source: AwkwardSource(bytes)).information
    let tags = information.tags
    #expect(tags.title == "Ein Stück")
    #expect(tags.artist == "One; Two")
    #expect(tags.trackNumber == 3 && tags.trackCount == 9)
    #expect(tags.gain.track == -7.25)
    #expect(information.channelMask == 4)
    #expect(tags.artwork.map(\.mimeType) == ["image/jpeg", "image/png"])
    #expect(
      tags.artwork.map { Array(bytes[Int($0.byteOffset)..<Int($0.byteOffset) + $0.byteCount]) }
        == [[UInt8](repeating: 0xff, count: 3000), [1, 2, 3]])
  }

  @Test(arguments: [
    ("TITLE=" + String(repeating: "a", count: 60000), 60000), ("TITLE=" + String(repeating: "a", count: 70000), nil),
  ]) func `reads text up to a limit`(comment: String, length: Int?) {
    let bytes = Make.file(Self.frames, blocks: [(4, Make.comments([comment, "ARTIST=me"]))])
    for chunk in [1000, 65536, .max] {
      let tags = pushed(bytes, chunk: chunk).1.information.tags
      #expect(tags.title?.utf8.count == length)
      #expect(tags.artist == "me")
    }
  }

  @Test func `has a seek table if a block contains one, for streams that cannot be indexed`() throws {
    // The second half is three times as dense.
    let places: [(frame: UInt64, offset: UInt64)] = [(0, 0), (96, 300), (192, 600), (.max, 0)]
    let points: [UInt8] = places.flatMap { place -> [UInt8] in
      Make.bigEndian64(place.frame) + Make.bigEndian64(place.offset) + [0, 32]
    }
    let bytes = Make.file(Self.frames, total: 12 * 32, blocks: [(3, points)])
    var parser = FLACParser()
    var offset = 0
    while case .found(let event, let count) = try parser.step(
      bytes.span.bytes.extracting(droppingFirst: offset), at: Int64(offset), isLast: true), event != .ready
    { offset += Int(count) }
    let table = try #require(parser.seekTable)
    let start = Int64(bytes.count - Self.frames.joined().count)
    #expect(parser.information.dataOffset == start)
    #expect(table.byteOffset(atFraction: 0) == start)
    #expect(table.byteOffset(atFraction: 0.25) == start + 300)
    #expect(table.byteOffset(atFraction: 0.5) == start + 600)
    #expect(table.byteOffset(atFraction: 1) == start + 1200)
  }

  @Test func `is the same however it is cut where headers crowd (found by fuzzing)`() {
    // More headers than there can be by chance: what ends the frame is told by bytes behind them.
    let bytes: [UInt8] = [
      0x66, 0x4c, 0x61, 0x43, 0x00, 0x00, 0x00, 0x22, 0x10, 0x00, 0x10, 0x00, 0x00, 0x00, 0x14, 0x00, 0x0f, 0x32,
      0x0a, 0xc4, 0x46, 0xf0, 0x42, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xfe, 0xff, 0xff, 0xff, 0x7e, 0x91,
      0x95, 0x30, 0x17, 0xb0, 0x8d, 0x36, 0xff, 0xf8, 0xc9, 0x38, 0x0b, 0x5d, 0xff, 0xf8, 0xc9, 0x38, 0x0a, 0x5a,
      0xff, 0xf8, 0xc9, 0x38, 0x08, 0x54, 0xff, 0xf8, 0xc9, 0x38, 0x09, 0x53, 0xff, 0xf8, 0xc9, 0x38, 0x0a, 0x5a,
      0x1a, 0xff, 0xf8, 0xc9, 0x38, 0x07, 0x79, 0xff, 0xf8, 0xc9, 0x38, 0x08, 0x54, 0xff, 0xf8, 0xc9, 0x38, 0x09,
      0x53, 0xff, 0xf8, 0xc9, 0x38, 0x0a, 0x5a, 0x12, 0x00, 0xff, 0xff, 0xff, 0xff, 0xcb, 0xff, 0x02, 0xe8,
    ]
    for chunk in 1...bytes.count {
      let isSame = pushed(bytes, chunk: chunk).0 == pushed(bytes).0
      #expect(isSame, "\(chunk)")
    }
  }

  @Test func `survives a seek table with impossible places`() throws {
    // Found by fuzzing: behind the last point it was to continue at 2^55 bytes a frame.
    let points: [UInt8] = Make.bigEndian64(1) + Make.bigEndian64(1 << 55) + [0, 32]
    let bytes = Make.file(Self.frames, total: 12 * 32, blocks: [(3, points)])
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.packets.count == Self.frames.count)
    let target = try stream.seek(toPacket: 6)
    #expect(target.dataOffset >= 0)
  }

  @Test func `has the tracks of a cue sheet as chapters`() {
    func track(_ frame: UInt64, _ number: UInt8, points: UInt8, isData: Bool = false) -> [UInt8] {
      Make.bigEndian64(frame) + [number] + [UInt8](repeating: 0, count: 12) + [isData ? 0x80 : 0]
        + [UInt8](repeating: 0, count: 13) + [points] + [UInt8](repeating: 0, count: 12 * Int(points))
    }
    let sheet =
      [UInt8](repeating: 0, count: 395) + [4] + track(0, 1, points: 1) + track(441, 2, points: 2)
      + track(882, 3, points: 1, isData: true) + track(1000, 170, points: 0)
    let information = pushed(Make.file(Self.frames, blocks: [(5, sheet)])).1.information
    #expect(
      information.tags.chapters == [
        TrackTags.Chapter(start: 0, title: "Track 1"), TrackTags.Chapter(start: 0.01, title: "Track 2"),
      ])
  }

  @Test func `without STREAMINFO at the start, or with a malformed one, is refused`() {
    let mark = Array("fLaC".utf8)
    for (bytes, code) in [
      (mark + Make.block(4, Make.comments([]), isLast: true) + Self.frames[0], .invalidFile),
      (mark + Make.block(0, [UInt8](repeating: 0, count: 34), isLast: true) + Self.frames[0], .invalidFile),
      (mark + Make.block(0, Array(Make.streamInfo()[..<20]), isLast: true) + Self.frames[0], .invalidFile),
      (mark, .invalidFile),
      (Array(mark[..<3]), .unsupportedFileType),
    ] as [([UInt8], ContainerError.Code)] {
      let (transcript, _) = pushed(bytes)
      #expect(transcript.error?.code == code)
      #expect(transcript.packets.isEmpty)
      expectAgreement(bytes)
    }
  }

  // MARK: Distrust

  @Test func `with bits flipped, bytes taken out and put in, is the same to both drivers`() {
    var generator = SeededGenerator(seed: 17)
    let bytes = Make.file(Self.frames, total: 12 * 32, blocks: Self.blocks.dropLast(2)) + Synthesis.id3v1(title: "t")
    for round in 0..<`Damaged and random bytes`.rounds {
      let mutated = `Damaged and random bytes`.mutated(bytes, &generator)
      expectAgreement(mutated, chunk: 1 + round % 999, "round \(round)")
    }
  }

  @Test func `full of headers that end no frame takes no time to speak of, and no memory`() {
    // Frames of up to a megabyte, by what STREAMINFO says; a header every eight bytes.
    let headers = (0..<4000).flatMap { _ in Make.header(1, blockSize: 65535) }
    let stream = AudioFileStream()
    var transcript = Transcript()
    do throws(ContainerError) {
      try stream.parse(Make.file([], blockSizes: 16...65535).span.bytes, into: &transcript)
      for start in stride(from: 0, to: headers.count, by: 8000) {
        try stream.parse(headers.span.bytes.extracting(start..<start + 8000), into: &transcript)
        #expect(stream.pending.count <= AudioFileStream.maximumWindowByteCount)
      }
      try stream.finish(into: &transcript)
    } catch { transcript.error = error }
    #expect(transcript.error == nil)
    #expect(transcript.packets.isEmpty)
    #expect(transcript.skips.reduce(0) { $0 + $1.byteCount } == headers.count)
  }

  // MARK: Checksums

  static func isRight(_ bytes: [UInt8]) -> Bool { FLACFrameCheck.isRight(bytes.span.bytes) }

  @Test func `is checked as bit by bit`() {
    for count in Array(0...300) + [4094, 4095, 4096, 5000, 9001] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 0x9e37_79b9 >> 7) }
      let checked = bytes + Make.crc16(bytes)
      #expect(Self.isRight(checked), "\(count) bytes")
      for place in [0, checked.count / 3, checked.count - 1] {
        var wrong = checked
        wrong[place] ^= 1 << UInt8(count % 8)
        #expect(!Self.isRight(wrong), "\(count) bytes")
        wrong[(place + 1) % checked.count] ^= 1 << UInt8(count % 7)
        #expect(!Self.isRight(wrong), "\(count) bytes")
      }
      let remainder = CyclicRedundancyCheck.flacFrame.remainder(of: bytes.span.bytes)
      #expect([UInt8(remainder >> 24), UInt8(remainder >> 16 & 0xff)] == Make.crc16(bytes), "\(count) bytes")
      let header = CyclicRedundancyCheck.flacHeader.remainder(of: bytes.span.bytes)
      #expect(header >> 24 == UInt32(Make.crc8(bytes)))
      let page = CyclicRedundancyCheck.oggPage.remainder(of: bytes.span.bytes)
      #expect(page == Make.crc(bytes, bits: 32, polynomial: 0x04c1_1db7))
    }
  }
}
