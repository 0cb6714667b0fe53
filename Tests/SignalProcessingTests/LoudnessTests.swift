import AudioModel
import Glibc
import Testing

@testable import SignalProcessing

/// The meter on the signals of EBU Tech 3341 and 3343, whose loudness is known.
struct LoudnessTests {
  /// Measures signals, one for each channel, given to the meter in pieces of that many frames.
  private func measured(
    _ channels: [[Float]], rate: Int = 48000, mask: UInt32 = 0, pieces: [Int] = [4096]
  ) -> MeasuredLoudness {
    let meter = LoudnessMeter(
      format: PCMFormat(
        sampleRate: rate, channelCount: channels.count, sampleFormat: .f32, channelMask: mask))
    let samples = channels[0].indices.flatMap { frame in channels.map { $0[frame] } }
    var (start, piece) = (0, 0)
    while start < samples.count {
      let end = min(samples.count, start + pieces[piece % pieces.count] * channels.count)
      samples[start..<end].withUnsafeBytes { meter.add($0) }
      (start, piece) = (end, piece + 1)
    }
    return meter.result
  }

  private func tone(_ level: Double, seconds: Double, rate: Int = 48000) -> [Float] {
    sine(1000, frames: Int(seconds * Double(rate)), amplitude: pow(10, level / 20), rate: Double(rate))
  }

  @Test(arguments: [8000, 11_025, 44_100, 48_000, 96_000, 192_000])
  func `a stereo tone of -23 dBFS has -23 LUFS at every rate`(rate: Int) throws {
    let tone = tone(-23, seconds: 5, rate: rate)
    let loudness = try #require(measured([tone, tone], rate: rate).blocks.loudness)
    #expect(abs(loudness + 23) < 0.1, "\(loudness)")
    let mono = try #require(measured([tone], rate: rate).blocks.loudness)
    #expect(abs(mono + 26) < 0.1, "one channel is half as strong: \(mono)")
  }

  @Test(arguments: [
    [(-36.0, 10.0), (-23, 60), (-36, 10)], [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)],
    [(-26, 20), (-20, 20.1), (-26, 20)],
  ])
  func `soft parts do not count`(parts: [(Double, Double)]) throws {
    let signal = parts.flatMap { tone($0.0, seconds: $0.1) }
    let loudness = try #require(measured([signal, signal]).blocks.loudness)
    #expect(abs(loudness + 23) < 0.1, "\(loudness)")
  }

  @Test func `channels behind count more, and bass alone does not count`() throws {
    let levels = [-28.0, -28, -24, 0, -30, -30]
    let signals = levels.map { tone($0, seconds: 5) }
    for mask in [UInt32(0), 0x3f, 0x60f] {
      let loudness = try #require(measured(signals, mask: mask).blocks.loudness)
      #expect(abs(loudness + 23) < 0.1, "\(loudness)")
    }
  }

  @Test func `silence, and less than a block, have no loudness`() {
    let silence = [Float](repeating: 0, count: 48000)
    #expect(measured([silence, silence]).gain == nil)
    #expect(measured([silence]).peak == 0)
    let short = measured([tone(-20, seconds: 0.39)])
    #expect(short.gain == nil && abs(short.peak - 0.1) < 0.002)
    #expect(measured([tone(-20, seconds: 0.4)]).gain != nil)
    #expect(measured([[Float]([.nan, .infinity])]).peak == 0)
  }

  @Test(arguments: [1, 9, 60, 1000, 3400, 3500, 6000, 768_000])
  func `a rate without music gives no wrong numbers`(rate: Int) {
    let signal = (0..<(2 * rate)).map { Float($0 % 7 < 3 ? 0.5 : -0.5) }
    let result = measured([signal, signal], rate: rate)
    #expect(abs(result.blocks.loudness ?? -10) < 20 && result.peak < 1.5, "\(result.peak)")
  }

  @Test func `the peak lies between the samples`() {
    // A quarter of the rate: the samples are 3 dB below the peak.
    let signal = (0..<9600).map { Float(0.5 * sin(.pi / 2 * Double($0) + .pi / 4)) }
    #expect((signal.max() ?? 0) < 0.36)
    // EBU Tech 3341: +0.2 to -0.4 dB.
    for rate in [44_100, 96_000] {
      let peak = 20 * log10(measured([signal, signal.map { _ in 0 }], rate: rate).peak / 0.5)
      #expect(-0.4...0.2 ~= peak, "\(peak) dB")
    }
  }

  @Test func `the division of the samples changes nothing`() {
    let signal = sine(317, frames: 100_000, amplitude: 0.3)
    let whole = measured([signal, signal], rate: 44_100)
    for pieces in [[1], [4410, 7, 1], [100_000]] {
      let other = measured([signal, signal], rate: 44_100, pieces: pieces)
      #expect(other.blocks == whole.blocks && abs(other.peak - whole.peak) < 1e-6, "\(pieces)")
    }
  }

  @Test func `the loudness of an album is that of its tracks in a row`() throws {
    let (soft, loud) = (tone(-40, seconds: 20), tone(-20, seconds: 10))
    var album = measured([soft, soft])
    album.add(measured([loud, loud]))
    let whole = try #require(measured([soft + loud, soft + loud]).gain)
    #expect(abs(try #require(album.gain) - whole) < 0.1)
    #expect(abs(album.peak - 0.1) < 0.001)
  }

  @Test func `blocks are read back as they were stored`() throws {
    var blocks = LoudnessBlocks()
    #expect(LoudnessBlocks(stored: blocks.stored) == blocks)
    for level in [-69.99, -40, -39.97, -3, 29.99] {
      for _ in 0..<(level == -40 ? 300 : 2) { blocks.add(meanSquare: pow(10, (level + 0.691) / 10)) }
    }
    // Louder than any music: the last step.
    blocks.add(meanSquare: 1e9)
    blocks.add(meanSquare: 0)
    let stored = blocks.stored
    #expect(LoudnessBlocks(stored: stored) == blocks && stored.count < 20)
    #expect(LoudnessBlocks(stored: stored.dropLast()) == nil, "a step without a count")
    // A step beyond the last one, a count beyond 32 bits, a number without an end.
    for damaged in [[0xff, 0x7f, 1], [0, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]] {
      #expect(LoudnessBlocks(stored: damaged.map { UInt8($0) }) == nil, "\(damaged)")
    }
  }
}
