import AudioModel
import Glibc
import SignalProcessing
import Testing

/// Measures changes of rate, channels and sample format.
@Suite struct `A PCM converter` {
  static func format(
    _ rate: Int, _ channels: Int, _ sampleFormat: PCMFormat.SampleFormat = .f32, mask: UInt32 = 0
  ) -> PCMFormat {
    PCMFormat(sampleRate: rate, channelCount: channels, sampleFormat: sampleFormat, channelMask: mask)
  }

  static func bytes(_ samples: [Float]) -> [UInt8] { samples.withUnsafeBytes { Array($0) } }
  static func floats(_ bytes: [UInt8]) -> [Float] {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: Float.self) }
    }
  }

  /// All of the input in pieces of so many frames.
  static func converted(
    _ input: [UInt8], from: PCMFormat, to: PCMFormat, _ quality: PCMConverter.Quality = .best, piece: Int = 1000
  ) throws -> [UInt8] {
    let converter = try PCMConverter(from: from, to: to, quality: quality)
    var result: [UInt8] = []
    let size = piece * from.bytesPerFrame
    for start in stride(from: 0, to: input.count, by: size) {
      let end = min(start + size, input.count)
      try input[start..<end].withUnsafeBytes {
        try converter.convert($0, isLast: end == input.count, into: &result)
      }
    }
    return result
  }

  static func sine(_ frequency: Double, _ rate: Int, seconds: Double = 1) -> [Float] {
    (0..<Int(seconds * Double(rate))).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
  }

  static func decibels(_ power: Double) -> Double { 10 * log10(max(power, 1e-30)) }

  @Test(
    arguments: [(44100, 48000), (48000, 44100), (44100, 96000), (96000, 44100), (8000, 44100), (192_000, 48000)],
    PCMConverter.Quality.allCases)
  func `another rate is the same sine`(rates: (Int, Int), quality: PCMConverter.Quality) throws {
    let input = Self.sine(997, rates.0)
    let output = Self.floats(
      try Self.converted(Self.bytes(input), from: Self.format(rates.0, 1), to: Self.format(rates.1, 1), quality))
    let expected = Self.sine(997, rates.1)
    #expect(abs(output.count - expected.count) <= 2)
    // Away from the ends, where the sine begins and stops.
    let middle = expected.count / 4..<expected.count * 3 / 4
    let error = middle.reduce(0.0) { $0 + pow(Double(output[$1]) - Double(expected[$1]), 2) } / Double(middle.count)
    let level = Self.decibels(error / 0.125)
    #expect(level < (quality == .best ? -115 : -95), "\(level) dB")
  }

  @Test func `nothing above half the new rate is heard`() throws {
    let input = Self.sine(15_000, 44100)
    let output = Self.floats(
      try Self.converted(Self.bytes(input), from: Self.format(44100, 1), to: Self.format(22050, 1)))
    let middle = output[output.count / 4..<output.count * 3 / 4]
    #expect(Self.decibels(middle.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(middle.count)) < -100)
  }

  @Test func `the division of the input does not matter, and after the end it starts again`() throws {
    let input = Self.bytes(Self.sine(440, 44100, seconds: 0.2).flatMap { [$0, -$0] })
    let (from, to) = (Self.format(44100, 2), Self.format(48000, 1, .s16))
    let whole = try Self.converted(input, from: from, to: to, .medium, piece: 1 << 20)
    for piece in [1, 333] {
      let isSame = try Self.converted(input, from: from, to: to, .medium, piece: piece) == whole
      #expect(isSame)
    }
    let converter = try PCMConverter(from: from, to: to)
    for _ in 0..<2 {
      var result: [UInt8] = []
      try input.withUnsafeBytes { try converter.convert($0, isLast: true, into: &result) }
      let isSame = result == whole
      #expect(isSame)
    }
  }

  @Test func `equal formats pass bit-exactly, and wider ones keep every bit`() throws {
    let samples = (0..<1000).flatMap { _ in [UInt8.random(in: 0...255), .random(in: 0...255)] }
    let (narrow, wide) = (Self.format(44100, 2, .s16), Self.format(44100, 2, .s32))
    #expect(try PCMConverter(from: narrow, to: narrow).isNeutral)
    #expect(try Self.converted(samples, from: narrow, to: narrow) == samples)
    let widened = try Self.converted(samples, from: narrow, to: wide)
    #expect(widened.count == 2 * samples.count)
    #expect(try Self.converted(widened, from: wide, to: narrow) == samples)
  }

  @Test func `fewer bits get dither, silence stays silent`() throws {
    let (from, to) = (Self.format(44100, 1), Self.format(44100, 1, .s16))
    let quiet = [Float](repeating: 0.3 / 32768, count: 20_000)
    let output = try Self.converted(Self.bytes(quiet), from: from, to: to)
    let values = output.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    let mean = values.reduce(0.0) { $0 + Double($1) } / Double(values.count)
    #expect(Set(values).count > 1 && abs(mean - 0.3) < 0.03)
    let silence = try Self.converted(Self.bytes([Float](repeating: 0, count: 100)), from: from, to: to)
    #expect(silence.allSatisfy { $0 == 0 })
  }

  @Test func `channels go where their speakers are`() throws {
    func row(_ input: [Float], _ inputs: Int, _ outputs: Int, mask: UInt32 = 0) throws -> [Float] {
      let from = Self.format(44100, inputs, mask: mask)
      return Self.floats(try Self.converted(Self.bytes(input), from: from, to: Self.format(44100, outputs)))
    }
    #expect(try row([0.5], 1, 2) == [0.5, 0.5])
    #expect(try row([0.5, 0.25], 2, 1) == [0.375])
    // Left, right, centre, LFE, back left, back right.
    let half = Float(0.5).squareRoot()
    let scale = 1 / (1 + 2 * half)
    let folded = try row([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0], 6, 2)
    let expected: [Float] = [1, 0, half, half, 0, 0, half, 0].map { $0 * scale }
    #expect(zip(folded, expected).allSatisfy { abs($0 - $1) < 1e-6 } && folded.count == 8)
    // Full scale everywhere does not clip.
    #expect(try row([Float](repeating: 1, count: 6), 6, 2).allSatisfy { $0 <= 1 })
    // Side speakers stand behind.
    #expect(try row([0, 0, 0, 0, 1, 0], 6, 6, mask: 0x60f) == [0, 0, 0, 0, 1, 0])
    // Two channels in front of six stay in front.
    #expect(try row([1, 0.5], 2, 6) == [1, 0.5, 0, 0, 0, 0])
  }

  @Test func `refuses impossible formats`() {
    for (from, to) in [
      (Self.format(0, 1), Self.format(44100, 1)), (Self.format(44100, 1), Self.format(44100, 0)),
      (Self.format(1000, 1), Self.format(768_000, 1)),
    ] { #expect(throws: PCMConverterError.formatNotSupported) { try PCMConverter(from: from, to: to) } }
  }
}
