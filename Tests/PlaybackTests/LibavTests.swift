import AudioModel
import ByteIO
import Decoding
import Glibc
import Testing
import Threads

@testable import Playback

/// Inputs that libavformat and libavcodec read, as no parser of this library knows them.
@Suite("Read by libavformat")
struct LibavTests {
  /// One of each type, with the source that its samples must be, bit by bit, where it is lossless.
  static let files: [(name: String, source: String?)] = [
    ("wmav2.wma", nil), ("wmav1.wma", nil), ("tta.tta", "source-e2-44100"),
    ("wavpack.wv", "source-e2-44100"), ("wavpack-24.wv", "flac-24-2-96000"), ("mp2.ts", nil), ("aac.ts", nil),
    ("video.ts", nil), ("mp3.flv", nil), ("aac.flv", nil), ("mp3.avi", nil), ("pcm.avi", "source-44100-stereo"),
    ("video.avi", nil), ("vorbis.mov", nil), ("pcm.voc", "source-44100-stereo"), ("gsm.w64", nil),
    ("speex.speex", nil), ("gsm.gsm-wave", nil), ("dts.dts", nil), ("aac.loas", nil), ("mp2.mpg", nil),
    ("musepack.mpc", nil), ("musepack-cut.mpc", nil),
    // Codecs in Matroska that no decoder of ours knows.
    ("wavpack.mka", "source-44100-stereo"), ("truehd.mka", "source-44100-stereo"), ("dts.mka", nil), ("wmav2.mka", nil),
  ]

  static var names: [String] { files.map { "libav-" + $0.name } }
  /// Delta-sigma bits, with the rate that they are brought to, and what they hold.
  static let bits: [(name: String, rate: Int, seconds: Double)] = [
    ("libav-dsd64.dsf", 88_200, 0.3), ("libav-dsd128.dsf", 176_400, 0.15),
  ]

  @Test("plays what ffmpeg makes of it", arguments: names)
  func samples(name: String) throws {
    let reader = try TrackReader(location: Fixture.location(name), sampleFormat: .s16)
    #expect(reader.method == .libav)
    let samples = try reader.rest()
    #expect(!samples.isEmpty)
    #expect(reader.damage == nil)
    let expected = try Fixture.bytes(name + ".pcm")
    #expect(samples.count == expected.count)
    // Of 24 bits ffmpeg rounds away what is cut off here.
    if name != "libav-wavpack-24.wv" { #expect(identical(samples, expected)) }
  }

  /// Both decode with floating point, each in its own order.
  @Test("Musepack begins and ends where mpcdec has it begin and end", arguments: ["musepack", "musepack-cut"])
  func musepack(name: String) throws {
    let reader = try TrackReader(location: Fixture.location("libav-\(name).mpc"), sampleFormat: .s16)
    let reference = try TrackReader(location: Fixture.location("libav-\(name).mpc.wav"), sampleFormat: .s16)
    let (samples, expected) = (try reader.rest(), try reference.rest())
    #expect(samples.count == expected.count)
    func values(_ bytes: [UInt8]) -> [Int16] { bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) } }
    let difference = zip(values(samples), values(expected)).map { abs(Int($0) - Int($1)) }.max()
    #expect(difference.map { $0 <= 2 } == true)
  }

  /// Musepack, stream version 7, by hand: noise in the lowest band, the same in each file. `last`: the music in the last
  /// frame, if it is known; then one frame more follows, unless `isCut`.
  private static func musepack7(frames: Int, last: Int?, isCut: Bool = false, behind: [UInt8] = []) -> [UInt8] {
    // Five bands more without samples: the second has 4 bits for each channel after code 9, the others have no change.
    let bands = "10001000" + String(repeating: "0101110100000", count: 2) + "11111111"
    var (bits, seed) = ("00000000", 1 as UInt32)
    func frame() -> String {
      var frame = bands + "0000" + String(repeating: "1100001110", count: 2)
      for _ in 0..<72 {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        frame += digits(Int(seed >> 25), 7)
      }
      return digits(frame.utf8.count, 20) + frame
    }
    func digits(_ number: Int, _ count: Int) -> String {
      String((0..<count).reversed().map { number >> $0 & 1 == 1 ? "1" : "0" })
    }
    for _ in 0..<frames { bits += frame() }
    bits += digits(last ?? 0, 11) + (isCut ? "" : frame())
    bits += String(repeating: "0", count: 64 - bits.utf8.count % 32)
    let ending: Int = last.map { 1 << 31 | $0 << 20 } ?? 0
    let flags: [Int] = [frames, 5 << 24, 0, 0, ending]
    let all = Array((flags.map { digits($0, 32) }.joined() + bits).utf8)
    var file = Array("MP+\u{7}".utf8)
    for start in stride(from: 0, to: all.count, by: 32) {
      for byte in [24, 16, 8, 0] {
        let eight = all[(start + byte)..<(start + byte + 8)]
        file.append(eight.reduce(0 as UInt8) { sum, digit in sum << 1 | (digit & 1) })
      }
    }
    return file + behind
  }

  @Test("Musepack of version 7 ends where its last frame says", arguments: [1, 500, 671, 672, 1000, 1151, 1152])
  func musepack7(last: Int) throws {
    let longer = try TrackReader(source: MemorySource(Self.musepack7(frames: 30, last: nil)), sampleFormat: .s16).rest()
    #expect(longer.count == (30 * 1152 - 481) * 4)
    let reader = try TrackReader(source: MemorySource(Self.musepack7(frames: 20, last: last)), sampleFormat: .s16)
    #expect(reader.information.duration == Double(19 * 1152 + last) / 44100)
    #expect(!reader.information.durationIsEstimated)
    let samples = try reader.rest()
    #expect(samples.count == (19 * 1152 + last) * 4)
    let isSame = identical(samples, Array(longer.prefix(samples.count)))
    #expect(isSame)
    #expect(try reader.seek(toFrame: 19 * 1152) == 19 * 1152)
    #expect(try reader.rest().count == last * 4)
    #expect(reader.damage == nil)
    // Without the frame behind the last one, the rest of that fades.
    let cut = try TrackReader(source: MemorySource(Self.musepack7(frames: 20, last: last, isCut: true))).rest()
    #expect(cut.count == samples.count)
  }

  @Test("what lies behind the music or before it is neither music nor damage", arguments: ["musepack.mpc", nil])
  func musepackAmongOthers(name: String?) throws {
    let file = try name.map { try Fixture.bytes("libav-" + $0) } ?? Self.musepack7(frames: 20, last: 1000)
    let samples = try TrackReader(source: MemorySource(file)).rest()
    let zeros = [UInt8](repeating: 0, count: 200)
    let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
    let id3v2 = Array("ID3".utf8) + [3, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 128)
    for bytes in [file + zeros, file + id3v1, id3v2 + file, id3v2 + file + zeros + id3v1] {
      let reader = try TrackReader(source: MemorySource(bytes))
      let isSame = identical(try reader.rest(), samples)
      #expect(isSame && reader.damage == nil)
      #expect(!reader.information.durationIsEstimated)
    }
  }

  @Test(
    "the duration is exact where a header or frames of one length tell it, before anything is counted",
    arguments: [
      ("dsd64.dsf", 0.3), ("dsd128.dsf", 0.15), ("gsm.w64", 2.76), ("gsm.gsm-wave", 2.76), ("musepack.mpc", 10.3),
      ("musepack-cut.mpc", 90_000.0 / 44100),
    ] as [(String, Double)])
  func declaredDurations(name: String, seconds: Double) throws {
    let information = try TrackReader.information(of: Fixture.location("libav-" + name))
    #expect(information.duration == seconds && !information.durationIsEstimated)
  }

  @Test func `a header that is text is not taken for a text file`() throws {
    let lines = [
      "NIST_1A", "   1024", "sample_count -i 8000", "sample_n_bytes -i 2", "channel_count -i 1",
      "sample_byte_format -s2 01", "sample_rate -i 8000", "sample_coding -s3 pcm", "end_head", "",
    ]
    let header = Array(lines.joined(separator: "\n").utf8)
    let bytes = header + [UInt8](repeating: 0x20, count: 1024 - header.count) + [UInt8](repeating: 1, count: 16_000)
    let reader = try TrackReader(source: MemorySource(bytes))
    #expect(reader.method == .libav && reader.information.duration == 1)
    #expect(try reader.rest() == [UInt8](repeating: 1, count: 16_000))
  }

  @Test("so is that of GSM alone") func gsm() throws {
    let frame = [0xd2, 0x5a] + [UInt8](repeating: 0x49, count: 31)
    let reader = try TrackReader(source: MemorySource((0..<500).flatMap { _ in frame }))
    #expect(reader.method == .libav)
    #expect(reader.information.duration == 10 && !reader.information.durationIsEstimated)
    #expect(try reader.rest().count == 80_000 * 2)
  }

  /// Files of 8 frames that the program wavpack made: of channels without speakers, and of integers whose low bits are
  /// stored apart from the zeros that all have at their ends.
  private static let wavPacks = [
    """
    d3Zwa8wAAAAQBAAACAAAAAAAAAAIAAAABQmgFHPGAQBoAndhdgAhNFJJRkaQAAAAV0FWRWp1bmscAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
    AAAAAAAGZtdCAoAAAA/v8DAESsAACYCQQABgAQABYAEAAAAAAAAQAAAAAAEACAAACqADibcWRhdGEwAAAAQgNXV0dWSABDAwICAgIBAAQClgRS\
    AwUDDQyKCiYHCQIAAgAATQEDAGUCAAAAACoAigUAADJeIL201xNu+v8vAiDbXM13dnBrUAAAABAEAAAIAAAAAAAAAAgAAAAFAaAUc8YBAEIDV1\
    dHVkgAQwMCAgICAQAEApYEUgMFAw0MigomBwkCAAMAAIoFAAAyXiC9tNcTbvr/LwKB9SQHd3Zwa1IAAAAQBAAACAAAAAAAAAAIAAAABRGoFJuG\
    BQBCA1dXR1ZIAEMDAgICAgEABAI2BiwFBQOUDSoMhggJAgACAACKBgAAlCwmlmrSJ57Ynvv/LwIn81Ni
    """,
    """
    d3Zwa8wAAAAQBAAACAAAAAAAAAAIAAAABQmgFHPGAQBoAndhdgAhNFJJRkagAAAAV0FWRWp1bmscAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
    AAAAAAAGZtdCAoAAAA/v8EAESsAAAgYgUACAAQABYAEAAAAAAAAQAAAAAAEACAAACqADibcWRhdGFAAAAAQgNXV0dWSABDAwICAgIBAAQClgRS\
    AwUDDQyKCiYHCQIAAgAATQEEAGUCAAAAACoAigUAADJeIL201xNu+v8vAvvoYrd3dnBrUAAAABAEAAAIAAAAAAAAAAgAAAAFAaAUc8YBAEIDV1\
    dHVkgAQwMCAgICAQAEApYEUgMFAw0MigomBwkCAAMAAIoFAAAyXiC9tNcTbvr/LwKB9SQHd3Zwa1IAAAAQBAAACAAAAAAAAAAIAAAABQGoFJuG\
    BQBCA1dXR1ZIAEMDAgICAgEABAI2BiwFBQOUDSoMhggJAgACAACKBgAAlCwmlmrSJ57Ynvv/LwInw3oqd3Zwa1AAAAAQBAAACAAAAAAAAAAIAA\
    AABRGgFHPGAQBCA1dXR1ZIAEMDAgICAgEABAKWBFIDBQMNDIoKJgcJAgAEAACKBQAAMl4gvbTXE276/y8CgaYxbw==
    """,
    """
    d3Zwa+4AAAAQBAAACAAAAAAAAAAIAAAAMxncFBOE1XloAndhdgAhKFJJRkaIAAAAV0FWRWp1bmscAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
    AAAAAAAGZtdCAQAAAAAQACAESsAAAgYgUACAAgAGRhdGFAAAAAQgNXV0dWSAADBQIAAgACAQIAAQAEBCoYFhhj6S7pBQZKHBka4hYcGukYWRUJ\
    AgEHAABlAgAAAAAqAIoYAAAz9gRWT/87jYUmI8e++KCspUn4WTSQMk7cMztSnK6fjxYFX6sY1BUJqsmdL90vIL6MAwAAp9VV9DMzLwK3wRLd
    """,
  ].map(base64)

  private static func base64(_ text: String) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let digits = text.utf8.compactMap { letters.firstIndex(of: $0) }
    return stride(from: 0, to: digits.count - 1, by: 4).flatMap { start -> [UInt8] in
      let four = digits[start...].prefix(4)
      let number = four.reduce(0) { $0 << 6 | $1 } << (6 * (4 - four.count))
      return [16, 8, 0].map { UInt8(number >> $0 & 0xff) }.prefix(four.count - 1).map { $0 }
    }
  }

  @Test("plays WavPack whose channels have no speakers", arguments: [3, 4]) func wavPackChannels(count: Int) throws {
    let reader = try TrackReader(source: MemorySource(Self.wavPacks[count - 3]), sampleFormat: .s16)
    #expect(reader.pcmFormat.channelCount == count)
    let values = try reader.rest().withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    var expected: [Int16] = []
    for frame in 1...8 { for channel in 1...count { expected.append(Int16(100 * frame * channel)) } }
    #expect(values == expected)
  }

  @Test("finds the checksum of WavPack's low bits right that is, and wrong that is not") func wavPackLowBits() throws {
    let file = Self.wavPacks[2]
    let values = try TrackReader(source: MemorySource(file), sampleFormat: .s32).rest()
      .withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    var expected: [Int32] = []
    for frame in 1...8 {
      expected.append(Int32(frame * 123_456_791 % 0x100_0000) * 128)
      expected.append(-Int32(frame * 98_765_431 % 0x100_0000) * 128)
    }
    #expect(values == expected)
    var damaged = file
    damaged[file.count - 7] ^= 1
    #expect(throws: TrackError.self) { try TrackReader(source: MemorySource(damaged), sampleFormat: .s32).rest() }
  }

  @Test("reads WavPack to the last frame that its header counts, whatever follows")
  func behindWavPack() throws {
    let file = try Fixture.bytes("libav-wavpack.wv")
    let whole = try TrackReader(source: MemorySource(file)).rest()
    for end in [[UInt8](repeating: 0, count: 100_000), Array("no block".utf8), file] {
      let reader = try TrackReader(source: MemorySource(file + end))
      #expect(identical(try reader.rest(), whole) && reader.damage == nil)
    }
  }

  @Test("plays a cut file to its end, and says what is missing", arguments: ["libav-wavpack.wv", "libav-tta.tta"])
  func cut(name: String) throws {
    let file = try Fixture.bytes(name)
    let whole = try TrackReader(source: MemorySource(file)).rest()
    let reader = try TrackReader(source: MemorySource(Array(file.dropLast(file.count / 3))))
    let heard = try reader.rest()
    #expect(heard.count > whole.count / 2 && heard.count < whole.count && whole.starts(with: heard))
    let missing = (whole.count - heard.count) / reader.pcmFormat.bytesPerFrame
    #expect(reader.damage?.missingFrameCount == Int64(missing))
  }

  @Test("gives lossless files back bit by bit", arguments: files.filter { $0.source != nil })
  func lossless(name: String, source: String?) throws {
    let reader = try TrackReader(location: Fixture.location("libav-" + name), sampleFormat: .s32)
    let original = try TrackReader(location: Fixture.location((source ?? "") + ".wav"), sampleFormat: .s32)
    #expect(reader.pcmFormat.sampleRate == original.pcmFormat.sampleRate)
    #expect(identical(try reader.rest(), try original.rest()))
  }

  @Test("after a seek to any frame the samples are those of the whole", arguments: names + bits.map(\.name))
  func seeks(name: String) throws {
    let reader = try TrackReader(location: Fixture.location(name))
    let whole = try reader.rest()
    let size = reader.pcmFormat.bytesPerFrame
    let frameCount = whole.count / size
    // Scattered, but the same in each run (Knuth's multiplicative hash).
    let frames = (1...12).map { $0 * 2_654_435_761 % max(1, frameCount) } + [0, 1, frameCount - 1, frameCount / 2]
    let window = name.hasSuffix(".dsf") ? 1000 : 20000
    for (number, frame) in frames.enumerated() {
      // By turns one that has read elsewhere before, and one that has not.
      let reader = number % 2 == 0 ? reader : try TrackReader(location: Fixture.location(name))
      #expect(try reader.seek(toFrame: Int64(frame)) == Int64(frame))
      let expected = Array(whole[(frame * size)...].prefix(window * size))
      let found = try reader.bytes(window * size)
      #expect(found.count == expected.count, "frame \(frame)")
      let isSame = identical(found, expected)
      #expect(isSame, "frame \(frame)")
    }
    // Behind the end there is nothing, and the end is where it was.
    #expect(try reader.seek(toFrame: Int64(frameCount) + 100_000) == Int64(frameCount))
    #expect(try reader.rest().isEmpty)
  }

  @Test("lasts as long as it says, to the frame", arguments: names + bits.map(\.name))
  func durations(name: String) throws {
    let reader = try TrackReader(location: Fixture.location(name))
    while !reader.isIndexed { _ = reader.advanceIndex() }
    let (duration, isEstimated) = (reader.information.duration, reader.information.durationIsEstimated)
    let frames = try reader.rest().count / reader.pcmFormat.bytesPerFrame
    #expect(!isEstimated)
    #expect((duration.map { ($0 * Double(reader.pcmFormat.sampleRate)).rounded() }) == Double(frames))
    #expect(reader.frameCount == Int64(frames))
  }

  @Test("neither driver of our parsers reads it", arguments: names, [.stream, .file] as [ReadingPreference])
  func ownReaders(name: String, via: ReadingPreference) {
    #expect(throws: TrackError.self) { try TrackReader(location: Fixture.location(name), via: via) }
  }

  @Test("brings delta-sigma bits to a rate that is played, and nothing but the tone is left", arguments: bits)
  func deltaSigma(name: String, rate: Int, seconds: Double) throws {
    let reader = try TrackReader(location: Fixture.location(name), sampleFormat: .f32)
    #expect(reader.pcmFormat.sampleRate == rate)
    let bytes = try reader.rest()
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    #expect(samples.count == Int((Double(rate) * seconds).rounded()) * 2)
    // The left channel in the middle, a whole number of periods of 1 kHz, projected on the tone.
    let period = Double(rate) / 1000
    let count = Int((period * 50).rounded())
    let left = (0..<count).map { Double(samples[2 * ($0 + rate / 20)]) }
    let (sine, cosine) = left.indices.reduce((0.0, 0.0)) { sums, index in
      let angle = 2 * Double.pi * Double(index) / period
      return (sums.0 + left[index] * sin(angle), sums.1 + left[index] * cos(angle))
    }
    let amplitude = (sine * sine + cosine * cosine).squareRoot() * 2 / Double(count)
    #expect(abs(amplitude - 0.4) < 0.001)
  }

  /// A file and zeros behind it, which counts the bytes that are read of it.
  private final class PaddedSource: ByteSource {
    let byteCount: Int64?
    private let bytes: [UInt8]
    private let counter = Guarded(0)
    var readByteCount: Int { counter.withLock { $0 } }

    init(_ name: String, byteCount: Int64) throws {
      (bytes, self.byteCount) = (try Fixture.bytes(name), byteCount)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
      let count = Int(max(0, min(Int64(buffer.count), (byteCount ?? 0) - offset)))
      guard count > 0 else { return 0 }
      let rest = bytes.dropFirst(Int(clamping: offset)).prefix(count)
      buffer.copyBytes(from: rest)
      UnsafeMutableRawBufferPointer(rebasing: buffer[rest.count..<count])
        .initializeMemory(as: UInt8.self, repeating: 0)
      counter.withLock { $0 += count }
      return count
    }
  }

  @Test("is not read ahead where it is large: duration and seeks are estimated", arguments: ["libav-mp3.avi"])
  func large(name: String) throws {
    let whole = try TrackReader(location: Fixture.location(name)).rest()
    let source = try PaddedSource(name, byteCount: DecodingLimits.countedByteCount + 1)
    let reader = try TrackReader(source: source)
    let opened = source.readByteCount
    while !reader.isIndexed { _ = reader.advanceIndex() }
    #expect(source.readByteCount == opened && reader.information.durationIsEstimated)
    let (rate, size) = (reader.pcmFormat.sampleRate, reader.pcmFormat.bytesPerFrame)
    #expect(try reader.seek(toFrame: Int64(rate * 2)) == Int64(rate * 2))
    #expect(reader.positionIsEstimated)
    // Within a tenth of a second.
    let rest = try reader.bytes(whole.count).count
    let difference = rest + 2 * rate * size - whole.count
    #expect(abs(difference) < rate * size / 10)
    // From the start everything is exact.
    #expect(try reader.seek(toFrame: 0) == 0)
    let again = try reader.bytes(whole.count)
    #expect(!reader.positionIsEstimated && identical(again, whole))
  }

  @Test("covers and chapters arrive") func covers() throws {
    let reader = try TrackReader(location: Fixture.location("libav-cover.mka"))
    #expect(reader.method == .libav)
    let tags = reader.information.tags
    #expect(tags.chapters.map(\.title) == ["One", "Zwölf"] && tags.chapters.map(\.start) == [0, 1.25])
    let picture = try Fixture.bytes("picture.png")
    let artwork = try #require(tags.artwork.first)
    #expect(artwork.mimeType == "image/png" && artwork.byteCount == picture.count)
    let file = try Fixture.bytes("libav-cover.mka")
    #expect(Array(file.dropFirst(Int(artwork.byteOffset)).prefix(artwork.byteCount)) == picture)
    let chapters = try TrackReader(location: Fixture.location("libav-chapters.wma")).information.tags.chapters
    #expect(chapters.map(\.title) == ["One", "Zwölf"])
    #expect(zip(chapters, [0, 1.25]).allSatisfy { abs($0.start - $1) < 0.01 })
  }

  @Test("is recognised in lists, with its tags") func tags() throws {
    for name in ["libav-wmav2.wma", "libav-wavpack.wv"] {
      let information = try TrackReader.information(of: Fixture.location(name))
      #expect(information.tags.title == "Sweep")
      #expect(information.tags.artist == "Ärtist")
      #expect(information.tags.album == "Album")
      #expect(information.tags.genre == "Noise")
      #expect(information.tags.trackNumber == 3)
    }
  }
}
