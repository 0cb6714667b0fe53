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
    #expect(reader.placeIsEstimated)
    // Within a tenth of a second.
    let rest = try reader.bytes(whole.count).count
    let difference = rest + 2 * rate * size - whole.count
    #expect(abs(difference) < rate * size / 10)
    // From the start everything is exact.
    #expect(try reader.seek(toFrame: 0) == 0)
    let again = try reader.bytes(whole.count)
    #expect(!reader.placeIsEstimated && identical(again, whole))
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
