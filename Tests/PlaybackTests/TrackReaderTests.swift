import AudioModel
import ByteIO
import Containers
import Decoding
import Glibc
import SoundServerSupport
import Testing

@testable import Playback

/// The whole way from a file's bytes to samples, in this process.
@Suite("Track reader")
struct TrackReaderTests {
  // MARK: Frame counts

  static let counted: [(name: String, frames: Int)] = [
    ("e2-44100-cbr160", 454_230), ("e2-44100-cbr320", 454_230), ("e2-44100-v2", 454_230), ("e2-44100-abr150", 454_230),
    ("e2-22050-cbr64", 227_115), ("e2-48000-cbr128", 144_000), ("short-1", 1), ("short-100", 100),
    ("short-1000", 1000), ("short-4410", 4410), ("gapless-1", 98765), ("gapless-2", 101_238),
  ]

  @Test("files of LAME are decoded to the frame by every reader", arguments: counted, ReadingPreference.own)
  func frameCounts(file: (name: String, frames: Int), via: ReadingPreference) throws {
    let reader = try TrackReader(location: Fixture.location(file.name + ".mp3"), via: via)
    #expect(try reader.rest().count == file.frames * reader.pcmFormat.bytesPerFrame)
    #expect(reader.information.packetTable?.validFrames == Int64(file.frames))
    #expect(!reader.information.durationIsEstimated)
    #expect(reader.damage == nil)
  }

  @Test("both drivers give the same samples, damaged files included", arguments: Fixture.all)
  func driversAgree(name: String) throws {
    let stream = try? TrackReader(location: Fixture.location(name), via: .stream)
    let file = try? TrackReader(location: Fixture.location(name), via: .file)
    #expect((stream == nil) == (file == nil))
    guard let stream, let file else { return }
    #expect(identical(try stream.rest(), try file.rest()))
    #expect(stream.damage == file.damage)
  }

  // MARK: Seeking

  @Test("after a seek to any frame the samples are those of the whole, bit for bit", arguments: Fixture.all)
  func seeks(name: String) throws {
    guard let reader = try? TrackReader(location: Fixture.location(name), sampleFormat: .f32) else { return }
    let whole = try reader.rest()
    let size = reader.pcmFormat.bytesPerFrame
    let frameCount = whole.count / size
    var random = SystemRandomNumberGenerator()
    var frames = (0..<6).map { _ in Int.random(in: 0..<max(1, frameCount), using: &random) }
    frames += [0, 1, frameCount - 1, frameCount / 2, frameCount / 2 + 1]
    for frame in frames where frame >= 0 {
      // Fresh, so that what lies before was never read; and again, as a listener does.
      for reader in [reader, try TrackReader(location: Fixture.location(name), sampleFormat: .f32)] {
        #expect(try reader.seek(toFrame: Int64(frame)) == Int64(frame))
        let expected = whole[(frame * size)...].prefix(4000 * size)
        #expect(identical(try reader.bytes(4000 * size), Array(expected)), "frame \(frame)")
      }
    }
  }

  @Test(
    "a seek before the start goes to the start, one beyond the end to the end",
    arguments: ["e2-44100-cbr160.mp3", "vbr-without-header.mp3", "xing-claims-too-much.mp3"])
  func clampedSeeks(name: String) throws {
    let reader = try TrackReader(location: Fixture.location(name))
    let frameCount = Int64(try reader.rest().count / reader.pcmFormat.bytesPerFrame)
    for fresh in [false, true] {
      let reader = fresh ? try TrackReader(location: Fixture.location(name)) : reader
      #expect(try reader.seek(toFrame: .max) == frameCount)
      #expect(try reader.rest() == [])
      #expect(try reader.seek(toFrame: frameCount + 1) == frameCount)
      #expect(try reader.seek(toFrame: .min) == 0)
      #expect(try Int64(reader.rest().count / reader.pcmFormat.bytesPerFrame) == frameCount)
    }
  }

  // MARK: Information

  @Test("a duration without header is a guess until all packets were looked at, then exact (UI 5)")
  func refinement() throws {
    let reader = try TrackReader(location: Fixture.location("vbr-60s-without-header.mp3"))
    #expect(reader.information.durationIsEstimated)
    #expect(!reader.isIndexed)
    var changes = 0
    while !reader.isIndexed { changes += reader.advanceIndex() ? 1 : 0 }
    #expect(changes == 1)
    #expect(!reader.information.durationIsEstimated)
    let bytes = try reader.rest()
    #expect(reader.information.duration == Double(bytes.count / reader.pcmFormat.bytesPerFrame) / 44100)
  }

  @Test("looking ahead while playing changes no sample")
  func indexWhileReading() throws {
    let location = Fixture.location("garbage-between.mp3")
    let whole = try TrackReader(location: location).rest()
    let reader = try TrackReader(location: location)
    var bytes: [UInt8] = []
    while case let more = try reader.bytes(5000 * reader.pcmFormat.bytesPerFrame), !more.isEmpty {
      bytes += more
      _ = reader.advanceIndex()
    }
    #expect(identical(bytes, whole))
  }

  @Test("a file whose header counts too few packets is heard to its end")
  func joinedFiles() throws {
    let parts = try ["short-4410.mp3", "e2-44100-cbr320.mp3"].map(Fixture.bytes)
    let reader = try TrackReader(source: MemorySource(parts[0] + parts[1]))
    // The second file's header packet is no packet of the first's; its trim is not known to anyone.
    #expect(try reader.rest().count / 4 > 4410 + 454_230)
  }

  @Test("tags at the end are known once the file is looked through")
  func trailingTags() throws {
    let reader = try TrackReader(location: Fixture.location("id3v1.mp3"), via: .stream)
    while !reader.isIndexed { _ = reader.advanceIndex() }
    #expect(reader.information.tags.title != nil)
    #expect(try TrackReader.information(of: Fixture.location("id3v1.mp3")).tags.title != nil)
  }

  @Test("a large tag is passed over, not read", arguments: ReadingPreference.own)
  func largeTag(via: ReadingPreference) throws {
    // ID3v2.4 with a picture of 8 MB; sizes have 7 bits in a byte.
    func size(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7f) } }
    let picture = Array("\0image/png\0\u{3}\0".utf8) + [UInt8](repeating: 0, count: 8_000_000)
    let frame = Array("APIC".utf8) + size(picture.count) + [0, 0] + picture
    let tag = Array("ID3\u{4}\0\0".utf8) + size(frame.count) + frame
    let source = MemorySource(tag + (try Fixture.bytes("short-1000.mp3")))
    #expect(try TrackReader(source: source, via: via).rest().count == 4000)
    #expect(source.readByteCount < 500_000)
  }

  // MARK: Failures

  @Test(
    "a stream that fails on the way is read on as a file, and not a sample is lost", arguments: [0, 70000, 200_000])
  func fallback(failingOffset: Int64) throws {
    let bytes = try Fixture.bytes("e2-44100-v2.mp3")
    let whole = try TrackReader(source: MemorySource(bytes)).rest()
    let reader = try TrackReader(source: MemorySource(bytes, failsOnceAt: failingOffset))
    #expect(identical(try reader.rest(), whole))
    #expect(reader.method == .file)
  }

  @Test("a disk that fails gives what lies before, then an error with its place, each time it is asked")
  func lastingFailure() throws {
    let bytes = try Fixture.bytes("e2-44100-cbr320.mp3")
    let whole = try TrackReader(source: MemorySource(bytes)).rest()
    let reader = try TrackReader(source: MemorySource(bytes, failsFrom: 200_000))
    var before: [UInt8] = []
    let failure = #expect(throws: TrackError.self) {
      for _ in 0..<1000 { before += try reader.bytes(44100) }
    }
    #expect(identical(before, Array(whole.prefix(before.count))))
    #expect(before.count > 150_000 / 40000 * 44100 * 4)
    #expect(failure?.description == "cannot read: Input/output error ('wht?', byte offset 200000)")
    #expect(throws: TrackError.self) { _ = try reader.bytes(44100) }
    #expect(throws: TrackError.self) { _ = try reader.seek(toFrame: 440_000) }
  }

  @Test("a packet that cannot be decoded is silence of its length, and is counted")
  func undecodable() throws {
    let location = Fixture.location("e2-44100-cbr160.mp3")
    let packets = try PacketReader(location: location)
    let reader = TrackReader(packets, decoder: FailingDecoder { $0 == 0 || 100..<105 ~= $0 })
    let samples = try reader.rest()
    #expect(samples.count == 454_230 * 4)
    for index in 0..<396 {
      let frames = max(0, index * 1152 - 1105)..<min(454_230, (index + 1) * 1152 - 1105)
      let expected: UInt8 = index == 0 || 100..<105 ~= index ? 0 : 7
      #expect(samples[(frames.lowerBound * 4)..<(frames.upperBound * 4)].allSatisfy { $0 == expected }, "\(index)")
    }
    #expect(reader.damage?.damagedPacketCount == 6)
    #expect(reader.damage?.firstByteOffset == 522)
    #expect(reader.damage?.description == "6 packets are damaged (first at byte offset 522)")
  }

  @Test("it is a failure if nothing can be decoded, and the end if nothing more can be (FluidAudio#845)")
  func persistentlyUndecodable() throws {
    let location = Fixture.location("e2-44100-cbr160.mp3")
    let none = TrackReader(try PacketReader(location: location), decoder: FailingDecoder { _ in true })
    for _ in 0..<2 {
      let failure = #expect(throws: TrackError.self) { try none.rest() }
      #expect(failure?.description == "not today ('bada', byte offset 522)")
    }
    let some = TrackReader(try PacketReader(location: location), decoder: FailingDecoder { $0 >= 100 })
    let frameCount = try some.rest().count / 4
    #expect(100 * 1152 - 1105..<150 * 1152 ~= frameCount)
    #expect(try some.rest() == [])
    #expect(try some.seek(toFrame: 1000) == 1000)
    #expect(try some.bytes(40).allSatisfy { $0 == 7 })
  }

  @Test(
    "files without audio are refused with a reason", arguments: ["empty.mp3", "garbage-only.mp3", "zeros-only.mp3"])
  func noAudio(name: String) {
    for via in ReadingPreference.own {
      #expect(throws: TrackError.self) { try TrackReader(location: Fixture.location(name), via: via) }
    }
  }

  @Test("bytes that are not audio are counted once, with the position of the first")
  func damageReport() throws {
    let reader = try TrackReader(location: Fixture.location("garbage-between.mp3"))
    _ = try reader.rest()
    let damage = try #require(reader.damage)
    #expect(damage.skippedByteCount > 0)
    #expect(damage.description.contains("first at byte offset \(damage.firstByteOffset ?? -1)"))
    _ = try reader.seek(toFrame: 0)
    _ = try reader.rest()
    #expect(reader.damage == damage)
  }

  @Test(
    "skipped bytes mute the packet after them if it refers back, and no other packet", arguments: [100, 101, 102])
  func gap(index: Int) throws {
    let bytes = try Fixture.bytes("e2-44100-cbr320.mp3")
    let packets = try PacketReader(source: MemorySource(bytes))
    var place = 0
    while let packet = try packets.next(), packet.index <= index { place = Int(packet.description.byteOffset) }
    let garbage = [UInt8](repeating: 7, count: 500)
    let whole = try TrackReader(source: MemorySource(bytes)).rest()
    let reader = try TrackReader(source: MemorySource(bytes[..<place] + garbage + bytes[place...]))
    let samples = try reader.rest()
    #expect(samples.count == whole.count)
    let start = (index * 1152 - 1105) * 4
    #expect(identical(Array(samples[..<start]), Array(whole[..<start])))
    let refersBack = bytes[place + 4] != 0 || bytes[place + 5] & 0x80 != 0
    #expect(samples[(start + 1088 * 4)..<(start + 1152 * 4)].allSatisfy { $0 == 0 } == refersBack)
    let settled = start + 12 * 1152 * 4
    #expect(identical(Array(samples[settled...]), Array(whole[settled...])))
    #expect(reader.damage?.skippedByteCount == 500)
    #expect(reader.damage?.firstByteOffset == Int64(place))
  }

  @Test("a seek in indexed fragments does not search")
  func toldPlaces() throws {
    let whole = try TrackReader(location: Fixture.location("mp4-fragments-indexed.mp4")).rest()
    for via in ReadingPreference.own {
      let reader = try TrackReader(location: Fixture.location("mp4-fragments-indexed.mp4"), via: via)
      #expect(!reader.needsIndex(toSeekTo: 100_000))
      #expect(try reader.seek(toFrame: 100_000) == 100_000)
      #expect(identical(try reader.rest(), Array(whole[(4 * 100_000)...])))
      #expect(via == .file || !reader.isIndexed)
    }
  }

  @Test(
    "a file that ends between two packets says how much of what its headers promise is missing, and where",
    arguments: [
      "wave-pcm_s24le.wav", "wave-adpcm_ms.wav", "wave64-pcm_s24le.w64", "aiff-sox-16.aiff", "next-pcm_alaw.au",
      "caf-pcm_s8.caf",
      "mp4-aac-faststart.m4a", "flac-16-2-44100.flac", "e2-44100-v2.mp3",
    ], ReadingPreference.own)
  func cutBetweenPackets(name: String, via: ReadingPreference) throws {
    let bytes = try Fixture.bytes(name)
    let reader = try PacketReader(source: MemorySource(bytes), via: via)
    var packets: [(place: Int64, frameCount: Int)] = []
    while let run = try reader.next()?.description {
      let (byteCount, frameCount) = (run.byteCount / run.packetCount, run.frameCount / run.packetCount)
      packets += (0..<run.packetCount).map { (run.byteOffset + Int64($0 * byteCount), frameCount) }
    }
    let lost = packets.suffix(packets.count / 3)
    let cut = try #require(lost.first).place
    let missing = Int64(lost.reduce(0) { $0 + $1.frameCount })
    #expect(reader.damage.isEmpty)
    let rest = try PacketReader(source: MemorySource(Array(bytes[..<Int(cut)])), via: via)
    while try rest.next() != nil {}
    #expect(rest.damage.missingFrameCount == missing)
    #expect(rest.damage.firstByteOffset == cut)
    #expect(rest.damage.description == "\(missing) frames are missing at the end (first at byte offset \(cut))")
  }

  @Test(
    "an input that promises more bytes than it has plays what is there, and ends",
    arguments: ["vbr-without-header.mp3", "aac-he-stereo.aac", "mp4-fragments.m4a", "vorbis-oggenc-q5.ogg"])
  func promises(name: String) throws {
    let bytes = try Fixture.bytes(name)
    let hint = AudioFileTypeID.types(forExtension: BytePath(name).fileExtension).first
    let there = Array(bytes[..<(bytes.count * 2 / 3)])
    for via in ReadingPreference.own {
      let whole = try TrackReader(source: MemorySource(bytes), typeHint: hint, via: via).rest()
      let part = try limited {
        let reader = try TrackReader(source: PromisingSource(there, promised: bytes.count), typeHint: hint, via: via)
        while !reader.isIndexed { _ = reader.advanceIndex() }
        return try reader.rest()
      }
      // The last packet of what is there may be whole only if its end can be seen.
      #expect(part.count > whole.count / 2)
      #expect(identical(part, Array(whole.prefix(part.count))))
    }
  }

  @Test(
    "Wave64 holds the samples of WAVE",
    arguments: [
      "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw", "adpcm_ms",
      "adpcm_ima_wav",
    ])
  func wave64(coding: String) throws {
    let wave = try TrackReader(location: Fixture.location("wave-\(coding).wav"))
    let wave64 = try TrackReader(location: Fixture.location("wave64-\(coding).w64"))
    #expect(wave64.method != .libav)
    #expect(wave64.pcmFormat == wave.pcmFormat)
    let (samples, expected) = (try wave64.rest(), try wave.rest())
    // ffmpeg counts the padding to 8 bytes as audio.
    #expect(identical(Array(samples.prefix(expected.count)), expected))
    #expect(samples.count - expected.count < 16)
  }

  @Test("an input cut anywhere plays up to the cut", arguments: 0..<40)
  func truncation(step: Int) throws {
    let bytes = try Fixture.bytes("lame-22050-mono-v5.mp3")
    let whole = try TrackReader(source: MemorySource(bytes)).rest()
    let end = bytes.count * step / 40 + step % 7
    guard let reader = try? TrackReader(source: MemorySource(Array(bytes.prefix(end)))) else { return }
    let part = try reader.rest()
    #expect(identical(part, Array(whole.prefix(part.count))))
  }
}

// MARK: Help

enum Fixture {
  static let folder = getenv("SEGUE_FIXTURES").map { String(cString: $0) } ?? ".build/fixtures"

  /// One of each kind: the odd ones, and each rate.
  static let all = [
    "e2-44100-abr150.mp3", "vbr-without-header.mp3", "vbr-60s-without-header.mp3", "lame-48000-mono-v5.mp3",
    "lame-32000-stereo-cbr320.mp3", "lame-22050-mono-v2.mp3", "lame-16000-stereo-abr150.mp3",
    "lame-8000-mono-cbr24.mp3", "lame-8000-stereo-v5.mp3", "cbr-too-thin-for-info.mp3", "ffmpeg-vbr.mp3", "ffmpeg.mp2",
    "garbage-between.mp3", "garbage-in-front.mp3", "garbage-behind.mp3", "false-syncs.mp3", "one-packet-missing.mp3",
    "starts-in-a-frame.mp3", "cut-in-a-frame.mp3", "xing-claims-too-much.mp3", "id3v24-twice.mp3",
    "id3v24-large.mp3", "id3v2-size-lies.mp3", "id3v24-ape-id3v1.mp3", "short-1.mp3", "one-packet.mp3",
    "header-alone.mp3", "empty.mp3", "garbage-only.mp3", "free-400.mp3", "free-123-mono.mp3", "free-200.mp3",
  ]

  /// Of a fixture, or of any file if `name` is a whole path.
  static func path(_ name: String) -> BytePath { BytePath(name.hasPrefix("/") ? name : "\(folder)/\(name)") }

  static func location(_ name: String) -> MediaLocation { .file(path(name)) }

  static func bytes(_ name: String) throws -> [UInt8] {
    let source = try FileByteSource(path: path(name))
    var bytes = [UInt8](repeating: 0, count: Int(source.byteCount ?? 0))
    _ = try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: 0) }
    return bytes
  }
}

extension ReadingPreference {
  /// Those that read by parsers of ours.
  static let own: [ReadingPreference] = [.auto, .stream, .file]
}

/// As `==`, which takes long in a debug build.
func identical(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  one.count == other.count && memcmp(one, other, one.count) == 0
}

extension TrackReader {
  /// Up to `count` bytes of samples.
  func bytes(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try bytes.withUnsafeMutableBytes { buffer in try self.read(into: buffer) }
    return Array(bytes.prefix(read))
  }

  /// All samples from here on.
  func rest() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while case let more = try self.bytes(1 << 18), !more.isEmpty { bytes += more }
    return bytes
  }
}

/// Gives sevens, and fails where it is told to, as the real one never does for packets that the parser lets through.
private final class FailingDecoder: AudioDecoder {
  let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)
  private let fails: (Int64) -> Bool

  init(fails: @escaping (Int64) -> Bool) { self.fails = fails }

  func reset() {}

  func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    // Packets of 160 kbit/s at 44.1 kHz are 522.45 bytes long.
    let index = Int64((Double(description.byteOffset - 522) / 522.449).rounded())
    if fails(index) { throw DecoderError(.badPacket, "not today") }
    for offset in 0..<(description.frameCount * 4) { output[offset] = 7 }
    return description.frameCount
  }
}

/// Bytes in memory that are said to be more.
private final class PromisingSource: ByteSource {
  private let there: MemorySource
  let byteCount: Int64?

  init(_ bytes: [UInt8], promised: Int) { (there, byteCount) = (MemorySource(bytes), Int64(promised)) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    try there.read(into: buffer, at: offset)
  }
}

/// Bytes in memory whose reads may fail.
///
/// Safety: used by one test, which is one thread.
final class MemorySource: ByteSource, @unchecked Sendable {
  private let bytes: [UInt8]
  private var failsOnceAt: Int64?
  private let failsFrom: Int64
  private(set) var readByteCount = 0

  init(_ bytes: some Sequence<UInt8>, failsOnceAt: Int64? = nil, failsFrom: Int64 = .max) {
    (self.bytes, self.failsOnceAt, self.failsFrom) = (Array(bytes), failsOnceAt, failsFrom)
  }

  var byteCount: Int64? { Int64(bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    readByteCount += max(0, min(buffer.count, bytes.count - Int(offset)))
    let range = offset..<min(max(offset, Int64(bytes.count)), offset + Int64(buffer.count))
    if let place = failsOnceAt, range.contains(place) {
      failsOnceAt = nil
      throw ByteIOError(operation: "read", errno: EIO, byteOffset: offset)
    }
    let count = min(range.upperBound, failsFrom) - offset
    if count <= 0, offset < Int64(bytes.count) {
      throw ByteIOError(operation: "read", errno: EIO, byteOffset: offset)
    }
    if count > 0 { buffer.copyBytes(from: bytes[Int(offset)..<Int(offset + count)]) }
    return Int(max(0, count))
  }
}
