import AudioModel
import Decoding
import Testing

private typealias Stream = AudioStreamBasicDescription

@Suite("Linear PCM")
struct LinearPCMDecoderTests {
  /// Stereo at 44,100 Hz, packed unless told otherwise.
  static func stream(
    bits: Int, byteCount: Int? = nil, _ flags: UInt32, channels: Int = 2
  ) -> AudioStreamBasicDescription {
    let bytesPerFrame = (byteCount ?? bits / 8) * channels
    return Stream(
      sampleRate: 44100, formatID: .linearPCM, formatFlags: flags, bytesPerPacket: bytesPerFrame, framesPerPacket: 1,
      bytesPerFrame: bytesPerFrame, channelsPerFrame: channels, bitsPerChannel: bits)
  }

  static let signed = Stream.isSignedInteger | Stream.isPacked
  static let float = Stream.isFloat | Stream.isPacked

  static let rawFiles: [(String, AudioStreamBasicDescription)] = [
    ("u8", stream(bits: 8, Stream.isPacked)), ("s8", stream(bits: 8, signed)),
    ("s16le", stream(bits: 16, signed)), ("s16be", stream(bits: 16, signed | Stream.isBigEndian)),
    ("s24le", stream(bits: 24, signed)), ("s24be", stream(bits: 24, signed | Stream.isBigEndian)),
    ("s32le", stream(bits: 32, signed)), ("s32be", stream(bits: 32, signed | Stream.isBigEndian)),
    ("f32le", stream(bits: 32, float)), ("f32be", stream(bits: 32, float | Stream.isBigEndian)),
    ("f64le", stream(bits: 64, float)), ("f64be", stream(bits: 64, float | Stream.isBigEndian)),
  ]

  @Test("every width and byte order becomes the samples that ffmpeg makes of it", arguments: rawFiles)
  func equalsFFmpeg(name: String, stream: AudioStreamBasicDescription) throws {
    let file = try fixture("pcm.\(name)")
    let isFloat = stream.formatFlags & Stream.isFloat != 0
    for (sampleFormat, theirs) in [(PCMFormat.SampleFormat.s16, "s16le"), (.s32, "s32le"), (.f32, "f32le")] {
      let expected = try output(
        of: "ffmpeg -v error -f \(name) -ar 44100 -ac 2 -i \(fixtures)/pcm.\(name) "
          // Cases in which ffmpeg would round to 16 bits, or go from 64 bits by way of 32.
          + (isFloat || sampleFormat != .s16 ? "-f \(theirs) -" : "-f s32le - | \(cutTo16Bits)"))
      let decoder = try AudioDecoders.decoder(for: stream, sampleFormat: sampleFormat)
      #expect(decoder.format == PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: sampleFormat))
      let ours = try decoder.samples(of: file, 5001, packetCount: 5001)
      expectSame(ours, expected, "as \(theirs)")
    }
  }

  private var cutTo16Bits: String {
    "python3 -c 'import sys; b = sys.stdin.buffer.read(); o = bytearray(len(b) // 2); "
      + "o[0::2] = b[2::4]; o[1::2] = b[3::4]; sys.stdout.buffer.write(o)'"
  }

  /// Numbers of `bits` bits in so many bytes, as `flags` say, and those numbers.
  private func integers(bits: Int, byteCount: Int, _ flags: UInt32) -> (bytes: [UInt8], numbers: [Int]) {
    var dice = SeededGenerator(seed: UInt64(bits))
    var bytes: [UInt8] = []
    let limit = 1 << (bits - 1)
    let numbers = [-limit, limit - 1, 0, -1] + (0..<300).map { _ in Int.random(in: -limit..<limit, using: &dice) }
    for number in numbers {
      var word = flags & Stream.isSignedInteger != 0 ? number : number + limit
      if flags & (Stream.isPacked | Stream.isAlignedHigh) != 0 { word <<= byteCount * 8 - bits }
      let littleEndian = (0..<byteCount).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
      bytes += flags & Stream.isBigEndian != 0 ? littleEndian.reversed() : littleEndian
    }
    return (bytes, numbers)
  }

  static let widths = [1, 4, 8, 12, 16, 20, 24, 32].flatMap { bits in
    (1...4).filter { $0 * 8 >= bits }.map { (bits, $0) }
  }

  @Test("bits that do not fill their bytes are found at either end; fewer bits are cut off", arguments: widths)
  func alignment(bits: Int, byteCount: Int) throws {
    for flags in [0, Stream.isAlignedHigh, Stream.isPacked] {
      for flags in [flags, flags | Stream.isBigEndian] {
        for flags in [flags, flags | Stream.isSignedInteger] {
          let stream = Self.stream(bits: bits, byteCount: byteCount, flags, channels: 1)
          let (bytes, numbers) = integers(bits: bits, byteCount: byteCount, flags)
          func samples(_ sampleFormat: PCMFormat.SampleFormat?) throws -> [UInt8] {
            try AudioDecoders.decoder(for: stream, sampleFormat: sampleFormat).samples(of: bytes, numbers.count)
          }
          func scaled(_ width: Int) -> [Int] { numbers.map { ($0 << (32 - bits)) >> (32 - width) } }
          try expectSame(samples(.s16).asNumbers(Int16.self).map(Int.init), scaled(16))
          try expectSame(samples(.s24in32).asNumbers(Int32.self).map(Int.init), scaled(24))
          try expectSame(samples(.s32).asNumbers(Int32.self).map(Int.init), scaled(32))
          try expectSame(samples(.f32).asNumbers(Float.self), scaled(32).map { Float($0) / 0x1p31 })
          try expectSame(samples(nil), samples(bits <= 16 ? .s16 : bits <= 24 ? .s24in32 : .s32))
        }
      }
    }
  }

  @Test("floats are rounded to the nearest, halves to even, and clipped; NaN is silence")
  func rounding() throws {
    let halves: [Double] = [0.5, 1.5, -0.5, -1.5, 2.5, 0.4999, -2.5001]
    let beyond: [Double] = [
      1, -1, 1.5, -7, .infinity, -.infinity, .nan, .init(bitPattern: 0x7ff8_0000_1234_5678), .greatestFiniteMagnitude,
      0.9999999999,
    ]
    for (sampleFormat, scale) in [(PCMFormat.SampleFormat.s16, 0x1p15), (.s24in32, 0x1p23), (.s32, 0x1p31)] {
      let samples = halves.map { $0 / scale } + beyond
      let bytes = samples.withUnsafeBytes { Array($0) }
      let decoder = try AudioDecoders.decoder(
        for: Self.stream(bits: 64, Self.float, channels: 1), sampleFormat: sampleFormat)
      let ours = try decoder.samples(of: bytes, samples.count)
      let numbers =
        sampleFormat == .s16 ? ours.asNumbers(Int16.self).map(Int.init) : ours.asNumbers(Int32.self).map(Int.init)
      let expected = samples.map {
        $0.isNaN ? 0 : Int(min(max(($0 * scale).rounded(.toNearestOrEven), -scale), scale - 1))
      }
      expectSame(numbers, expected)
    }
  }

  @Test("floats pass bit by bit, in either byte order", arguments: [float, float | Stream.isBigEndian])
  func floats(flags: UInt32) throws {
    let patterns: [UInt32] = [0x7fa0_1234, 0xffc0_0001, 1, 0x8000_0000, 0x7f80_0000, 0x3f80_0000]
    let stored = patterns.map { flags & Stream.isBigEndian != 0 ? $0.bigEndian : $0.littleEndian }
    let decoder = try AudioDecoders.decoder(for: Self.stream(bits: 32, flags, channels: 1))
    #expect(decoder.format.sampleFormat == .f32)
    let ours = try decoder.samples(of: stored.withUnsafeBytes { Array($0) }, patterns.count)
    expectSame(ours.asNumbers(UInt32.self), patterns)
  }

  @Test("up to 32 channels pass with their speakers, and odd rates are rounded")
  func channels() throws {
    for channels in [1, 3, 6, 8, 32] {
      var stream = Self.stream(bits: 24, Self.signed, channels: channels)
      stream.sampleRate = 22254.5454
      let decoder = try AudioDecoders.decoder(for: stream, channelMask: 0x60f)
      #expect(
        decoder.format
          == PCMFormat(sampleRate: 22255, channelCount: channels, sampleFormat: .s24in32, channelMask: 0x60f))
      let bytes = (0..<(channels * 9)).map { UInt8($0 & 0x7f) }
      let ours = try decoder.samples(of: bytes, 3).asNumbers(Int32.self)
      let expected = (0..<(channels * 3)).map { index in
        bytes[(index * 3)..<(index * 3 + 3)].reversed().reduce(0) { $0 << 8 | Int32($1) }
      }
      expectSame(ours, expected)
    }
  }

  @Test("a run may be of any length, short, or longer than it says; the rest stays as it is")
  func runs() throws {
    let file = try fixture("pcm.s24be")
    let stream = Self.stream(bits: 24, Self.signed | Stream.isBigEndian)
    let decoder = try AudioDecoders.decoder(for: stream, sampleFormat: .s16)
    let whole = try decoder.samples(of: file, 5001)
    for count in [1, 2, 127, 128, 129, 1000] {
      let parts = try stride(from: 0, to: 5001, by: count).flatMap { start in
        let end = min(file.count, (start + count) * 6)
        return try decoder.samples(of: file[start * 6..<end], min(count, 5001 - start))
      }
      expectSame(parts, whole, "in runs of \(count)")
    }
    try expectSame(decoder.samples(of: file.prefix(6 * 10 + 5), 20), Array(whole.prefix(40)))
    try expectSame(decoder.samples(of: file, 10), Array(whole.prefix(40)))
    for (bytes, frames) in [(0, 10), (5, 10), (60, 0), (60, -1)] {
      #expect(throws: DecoderError.self) { try decoder.samples(of: file.prefix(bytes), frames) }
    }
    try expectSame(decoder.samples(of: file.prefix(60), .max / 64, limit: 40), Array(whole.prefix(40)))
  }

  @Test("impossible formats are refused with 'fmt?'")
  func refusals() {
    for stream in [
      Self.stream(bits: 0, byteCount: 2, Self.signed), Self.stream(bits: 17, byteCount: 2, Self.signed),
      Self.stream(bits: 33, byteCount: 5, Self.signed), Self.stream(bits: 64, Self.signed),
      Self.stream(bits: 16, Self.float), Self.stream(bits: 32, byteCount: 8, Self.float),
      Self.stream(bits: -8, byteCount: 1, Self.signed), Self.stream(bits: 8, byteCount: -1, Self.signed),
      Self.stream(bits: 16, Self.signed, channels: 0), Self.stream(bits: 16, Self.signed, channels: 33),
      Stream(sampleRate: 44100, formatID: .linearPCM, bytesPerFrame: 3, channelsPerFrame: 2, bitsPerChannel: 8),
      Self.stream(bits: 32, byteCount: .max, Self.float, channels: 1),
      Stream(sampleRate: 0, formatID: .linearPCM, bytesPerFrame: 1, channelsPerFrame: 1, bitsPerChannel: 8),
      Stream(sampleRate: .nan, formatID: .linearPCM, bytesPerFrame: 1, channelsPerFrame: 1, bitsPerChannel: 8),
      Stream(sampleRate: .infinity, formatID: .linearPCM, bytesPerFrame: 1, channelsPerFrame: 1, bitsPerChannel: 8),
      Stream(sampleRate: 8000, formatID: .linearPCM, bytesPerFrame: .min, channelsPerFrame: -1, bitsPerChannel: 8),
    ] {
      #expect { try AudioDecoders.decoder(for: stream) } throws: { ($0 as? DecoderError)?.code == .formatNotSupported }
    }
  }
}

@Suite("G.711")
struct CompandedDecoderTests {
  static let laws: [(AudioFormatID, String)] = [(.aLaw, "a-law"), (.uLaw, "mu-law")]

  @Test("all 256 codes become what SoX makes of them", arguments: laws)
  func equalsSoX(formatID: AudioFormatID, law: String) throws {
    let codes = (0...255).map { UInt8($0) }
    let theirs = try withFile(codes) {
      try output(of: "sox -D -t raw -r 8000 -c 1 -b 8 -e \(law) \($0) -t raw -e signed -b 16 -L -")
    }
    for (channels, sampleFormat) in [(1, nil), (2, nil), (1, PCMFormat.SampleFormat.s16)] {
      let stream = AudioStreamBasicDescription(
        sampleRate: 8000, formatID: formatID, bytesPerPacket: channels, framesPerPacket: 1, channelsPerFrame: channels)
      let decoder = try AudioDecoders.decoder(for: stream, channelMask: 3, sampleFormat: sampleFormat)
      #expect(
        decoder.format == PCMFormat(sampleRate: 8000, channelCount: channels, sampleFormat: .s16, channelMask: 3))
      try expectSame(decoder.samples(of: codes, 256 / channels, packetCount: 256 / channels), theirs)
      try expectSame(decoder.samples(of: codes[..<101], 256), Array(theirs[..<(101 / channels * channels * 2)]))
      #expect(throws: DecoderError.self) { try decoder.samples(of: [], 10) }
    }
  }

  @Test("wider samples are the same ones", arguments: laws)
  func widened(formatID: AudioFormatID, law: String) throws {
    let stream = AudioStreamBasicDescription(sampleRate: 8000, formatID: formatID, channelsPerFrame: 1)
    let codes = (0...255).map { UInt8($0) }
    func samples(_ format: PCMFormat.SampleFormat) throws -> [UInt8] {
      try AudioDecoders.decoder(for: stream, sampleFormat: format).samples(of: codes, 256)
    }
    let narrow = try samples(.s16).asNumbers(Int16.self).map(Int32.init)
    try expectSame(samples(.s24in32).asNumbers(Int32.self), narrow.map { $0 << 8 })
    try expectSame(samples(.s32).asNumbers(Int32.self), narrow.map { $0 << 16 })
    try expectSame(samples(.f32).asNumbers(Float.self), narrow.map { Float($0) / 0x1p15 })
  }
}
