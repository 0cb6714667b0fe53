import AudioModel
import AudioOutput
import Glibc
import SoundServerSupport
import Testing

@testable import Encoding

/// Streams as other programs read them.
@Suite struct `Sound that is served` {
  private static let rate = 44100
  private static let cd = PCMFormat(sampleRate: rate, channelCount: 2, sampleFormat: .s16)
  private let folder: TemporaryFolder
  private let start = MonotonicTime.zero + .seconds(100)

  init() throws { folder = try TemporaryFolder() }

  /// Two tones, one on each side, with a little noise.
  private func tones(_ frameCount: Int, _ format: PCMFormat = Self.cd) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let samples = (0..<frameCount * format.channelCount).map { index in
      let (frame, channel) = (index / format.channelCount, index % format.channelCount)
      let angle = Float(frame) * 2 * .pi * Float(440 + 220 * channel) / Float(format.sampleRate)
      return sinf(angle) * 0.4 + Float.random(in: -1e-3...1e-3, using: &generator)
    }
    var bytes = [UInt8](repeating: 0, count: samples.count * format.sampleFormat.byteCount)
    samples.withUnsafeBufferPointer { samples in
      bytes.withUnsafeMutableBytes { format.sampleFormat.store(samples, into: $0) }
    }
    return bytes
  }

  private func heard(_ bytes: [UInt8], _ format: PCMFormat = Self.cd, follows: Bool = true) -> HeardFrames {
    HeardFrames(format: format, bytes: bytes, firstFrame: 0, follows: follows)
  }

  /// Encodes bytes in pieces of that many frames, without silence.
  private func pieces(
    _ stream: SoundStream, _ bytes: [UInt8], _ format: PCMFormat = Self.cd, size: Int = 11025,
    title: StreamTitle = StreamTitle(), from time: MonotonicTime? = nil
  ) throws -> [SoundStream.Piece] {
    var now = time ?? start
    return try stride(from: 0, to: bytes.count, by: size * format.bytesPerFrame).map { first in
      now += .milliseconds(250)
      let part = Array(bytes[first..<min(bytes.count, first + size * format.bytesPerFrame)])
      return try stream.encode([heard(part, format)], isUnbroken: true, title: title, until: now)
    }
  }

  /// The samples that ffmpeg decodes.
  private func decoded(_ bytes: [UInt8], as format: String, rate: Int = Self.rate) throws -> [UInt8] {
    try write(bytes, to: folder("stream"))
    let decoder = try ChildProcess(
      [
        "ffmpeg", "-v", "warning", "-i", folder("stream"), "-ar", "\(rate)", "-c:a", "pcm_\(format)", "-f", format, "-",
      ], output: .collected, errors: folder("errors"))
    var samples: [UInt8] = []
    while case let more = decoder.read(), !more.isEmpty { samples += more }
    #expect(decoder.wait() == 0, "\(errors)")
    return samples
  }

  private var errors: String { String(decoding: contents(of: folder("errors")), as: UTF8.self) }

  private func inspected(_ bytes: [UInt8]) throws -> String {
    try write(bytes, to: folder("stream.ogg"))
    return try ChildProcess.output(of: ["sh", "-c", "ogginfo -v \"$1\" 2>&1 || true", "", folder("stream.ogg")])
  }

  // MARK: Samples

  @Test(arguments: [1, 441, 4096, 11025])
  func `FLAC is bit-exact however the sound is divided`(size: Int) throws {
    let sound = tones(size == 1 ? 5000 : 50_000)
    let stream = SoundStream(.flac, bitRate: 0, start: start)
    let bytes = try pieces(stream, sound, size: size).flatMap(\.bytes)
    let samples = try decoded(bytes, as: "s16le")
    #expect(errors.isEmpty, "\(errors)")
    let isSame = sound.starts(with: samples)
    #expect(isSame, "\(samples.count)")
    // The last block is not complete.
    #expect(sound.count - samples.count < 4096 * 4)
  }

  @Test func `FLAC keeps 24 bits, and packets that are larger than a page`() throws {
    let format = PCMFormat(sampleRate: 96000, channelCount: 6, sampleFormat: .s24in32)
    var generator = SystemRandomNumberGenerator()
    // Noise, which does not become smaller.
    let sound = (0..<40_000 * 6).flatMap { _ in
      withUnsafeBytes(of: Int32.random(in: -0x80_0000...0x7f_ffff, using: &generator)) { Array($0) }
    }
    let stream = SoundStream(.flac, bitRate: 0, start: start)
    let bytes = try pieces(stream, sound, format, size: 24000).flatMap(\.bytes)
    let samples = try decoded(bytes, as: "s32le", rate: 96000)
    #expect(errors.isEmpty, "\(errors)")
    let expected = sound.withUnsafeBytes { $0.bindMemory(to: Int32.self).map { $0 << 8 } }
    let found = samples.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    let isSame = expected.starts(with: found)
    #expect(isSame && found.count >= 36_000 * 6, "\(found.count)")
    #expect(try !inspected(bytes).contains("WARNING: Hole"))
  }

  @Test(arguments: [StreamFormat.opus, .mp3])
  func `Opus and MP3 sound like the source, and are as long`(format: StreamFormat) throws {
    let sound = tones(Self.rate * 3)
    let stream = SoundStream(format, bitRate: 192_000, start: start)
    let bytes = try pieces(stream, sound).flatMap(\.bytes)
    #expect(abs(bytes.count - 192_000 / 8 * 3) < 15_000)
    let samples = try decoded(bytes, as: "s16le")
    #expect(abs(samples.count - sound.count) < Self.rate / 10 * 4, "\(samples.count)")
    let (likeness, shift) = Self.likeness(of: samples, to: sound)
    #expect(likeness > 0.98, "\(format): \(likeness) at \(shift)")
  }

  /// The largest correlation of the left channels among shifts of up to 3000 frames.
  private static func likeness(of found: [UInt8], to sound: [UInt8]) -> (Double, shift: Int) {
    func left(_ bytes: [UInt8]) -> [Double] {
      bytes.withUnsafeBytes { bytes in
        bytes.bindMemory(to: Int16.self).enumerated().compactMap { $0.offset % 2 == 0 ? Double($0.element) : nil }
      }
    }
    let (a, b) = (left(found), left(sound))
    var best = (0.0, shift: 0)
    for shift in 0..<3000 {
      var (product, first, second) = (0.0, 0.0, 0.0)
      for index in 20_000..<40_000 {
        product += a[index + shift] * b[index]
        first += a[index + shift] * a[index + shift]
        second += b[index] * b[index]
      }
      let likeness = product / (first * second).squareRoot()
      if likeness > best.0 { best = (likeness, shift) }
    }
    return best
  }

  // MARK: Silence

  @Test func `there is silence where nothing was heard, before the frames that say so, and after them`() throws {
    let sound = tones(8192)
    let stream = SoundStream(.flac, bitRate: 0, start: start)
    let second = TimeSpan.seconds(1)
    let first = try stream.encode(
      [heard(sound, follows: false)], isUnbroken: false, title: StreamTitle(), until: start + second)
    let later = try stream.encode(
      [heard(Array(sound.prefix(4000)))], isUnbroken: false, title: StreamTitle(), until: start + second + second)
    let rest = try pieces(stream, tones(5000), size: 5000, from: start + second + second).flatMap(\.bytes)
    let samples = try decoded(first.bytes + later.bytes + rest, as: "s16le")
    let silence = [UInt8](repeating: 0, count: (Self.rate - 8192) * 4)
    let more = [UInt8](repeating: 0, count: (Self.rate - 1000) * 4)
    let isExpected = samples.starts(with: silence + sound + sound.prefix(4000) + more)
    #expect(isExpected)
    #expect(samples.count / 4 / 4096 == (2 * Self.rate + 5000) / 4096)
  }

  @Test func `a computer that slept makes up for little`() throws {
    let stream = SoundStream(.mp3, bitRate: 128_000, start: start)
    let piece = try stream.encode([], isUnbroken: false, title: StreamTitle(), until: start + .seconds(10_000))
    #expect((70_000...90_000).contains(piece.bytes.count), "\(piece.bytes.count)")
  }

  // MARK: Links and late clients

  /// The pages of an Ogg stream (RFC 3533, 6): the place of the last frame that ends on each, and whether it is the last.
  private static func pages(of bytes: [UInt8]) -> [(place: Int64, isLast: Bool)] {
    var (pages, start) = ([(place: Int64, isLast: Bool)](), 0)
    while start + 27 <= bytes.count {
      let place = bytes[(start + 6)..<(start + 14)].reversed().reduce(0 as Int64) { $0 << 8 | Int64($1) }
      pages.append((place, bytes[start + 5] & 4 != 0))
      let lacing = bytes[(start + 27)..<(start + 27 + Int(bytes[start + 26]))]
      start += 27 + lacing.count + lacing.reduce(0) { $0 + Int($1) }
    }
    return pages
  }

  @Test(arguments: [StreamFormat.opus, .flac])
  func `each title and each format is a link of its own`(format: StreamFormat) throws {
    let stream = SoundStream(format, bitRate: 128_000, start: start)
    let other = PCMFormat(sampleRate: 32000, channelCount: 1, sampleFormat: .s16)
    var all = try pieces(stream, tones(20_000), title: StreamTitle(title: "Eins", artist: "Ä"))
    all += try pieces(stream, tones(20_000), title: StreamTitle(title: "Zwei"))
    all += try pieces(stream, tones(20_000, other), other, title: StreamTitle(title: "Zwei"))
    all += try pieces(stream, [UInt8](repeating: 0, count: 4), title: StreamTitle(title: "Drei"))
    let text = try inspected(all.flatMap(\.bytes))
    for line in ["TITLE=Eins", "ARTIST=Ä", "TITLE=Zwei", "TITLE=Drei"] { #expect(text.contains(line), "\(text)") }
    #expect(!text.contains("WARNING: Hole") && !text.contains("EOS not set on stream 1"), "\(text)")
    #expect(text.components(between: "New logical stream") == (format == .flac ? 4 : 3), "\(text)")
    // The last page of a link has the place of its end, from which players know its length.
    let ends = Self.pages(of: all.flatMap(\.bytes)).filter(\.isLast).map(\.place)
    if format == .flac {
      #expect(ends == [20_000, 20_000, 20_000])
    } else {
      let bytes = all.flatMap(\.bytes)
      let head = try #require(bytes.firstRange(of: Array("OpusHead".utf8))).upperBound
      let skipped = Int64(bytes[head + 2]) | Int64(bytes[head + 3]) << 8
      #expect(ends.count == 2)
      #expect(ends.first.map { abs($0 - skipped - 21_769) <= 2 } == true, "\(ends), \(skipped)")
    }
    let samples = try decoded(all.flatMap(\.bytes), as: "s16le")
    // A link has all of its frames.
    #expect(samples.count > 55_000 * 4, "\(samples.count)")
  }

  @Test(arguments: StreamFormat.allCases)
  func `a late client begins with any piece`(format: StreamFormat) throws {
    let stream = SoundStream(format, bitRate: 128_000, start: start)
    let all = try pieces(stream, tones(Self.rate * 2), title: StreamTitle(title: "T"))
    let first = all.dropFirst(3).drop { $0.bytes.isEmpty }
    let header = try #require(first.first).header
    let samples = try decoded(header + first.flatMap(\.bytes), as: "s16le")
    let expected = Self.rate * 2 - 3 * 11025
    #expect(abs(samples.count / 4 - expected) < 9000, "\(samples.count / 4), \(expected)")
  }

  @Test(arguments: [32, 128, 192, 320])
  func `each piece of MP3 is whole frames`(kilobits: Int) throws {
    let stream = SoundStream(.mp3, bitRate: kilobits * 1000, start: start)
    let all = try pieces(stream, tones(Self.rate), size: 1000)
    #expect(all.contains { $0.bytes.isEmpty } && all.contains { !$0.bytes.isEmpty })
    for bytes in all.map(\.bytes) {
      var end = 0
      while end + 4 <= bytes.count, bytes[end] == 0xff, bytes[end + 1] == 0xfb {
        // The length of a frame of layer III (ISO/IEC 11172-3 2.4.3.1).
        end += 144_000 * kilobits / Self.rate + Int(bytes[end + 2] >> 1 & 1)
      }
      #expect(end == bytes.count)
    }
  }
}

extension String {
  /// The number of occurrences.
  fileprivate func components(between text: String) -> Int {
    var (count, rest) = (0, self[...])
    while let range = rest.firstRange(of: text) { (count, rest) = (count + 1, rest[range.upperBound...]) }
    return count
  }
}
