import AudioModel
import Glibc
import SignalProcessing
import Testing

@Suite struct `The sound processor` {
  private let loud = settings {
    $0.preamp = 9
    $0.equalizer = Equalizer("rock") ?? .flat
    $0.balance = 0.3
  }

  private func noise(_ count: Int, seed: UInt64 = 1) -> [Int16] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Int16(truncatingIfNeeded: random.next()) }
  }

  @Test func `changes no bit when it has nothing to do`() {
    let floats = noise(4000).map { Float(bitPattern: UInt32(bitPattern: Int32($0) << 16)) }.map(\.bitPattern)
    var tags = TrackTags.Gain()
    (tags.track, tags.trackPeak) = (-8, 1)
    for sampleFormat in [PCMFormat.SampleFormat.s16, .s24in32, .s32, .f32] {
      let processor = SoundProcessor(SoundSettings(), tags: tags, format: format(sampleFormat, channels: 2))
      #expect(processor.isNeutral && processor.prerollFrameCount == 0)
      expectSame(processor.processed(floats, channels: 2), floats)
    }
    // Settings that cancel each other out have no effect.
    let cancelled = settings {
      $0.gainMode = .track
      $0.preamp = 8
    }
    #expect(SoundProcessor(cancelled, tags: tags, format: format()).isNeutral)
  }

  @Test(arguments: [PCMFormat.SampleFormat.s16, .s24in32, .s32, .f32])
  func `gives the same result for samples in any pieces`(sampleFormat: PCMFormat.SampleFormat) {
    let format = format(sampleFormat, channels: 2)
    let input = (0..<6000).flatMap { frame -> [Float] in
      // Loud, then silent, then loud: with the limiter at work.
      let value = frame / 1500 % 2 == 0 ? Float(sin(Double(frame) * 0.03)) : 0
      return [value, -value / 2]
    }
    var bytes = [UInt8](repeating: 0, count: input.count * sampleFormat.byteCount)
    bytes.withUnsafeMutableBytes { raw in input.withUnsafeBufferPointer { sampleFormat.store($0, into: raw) } }
    let whole = SoundProcessor(loud, tags: .init(), format: format).processed(bytes, channels: format.bytesPerFrame)
    for pieces in [[1], [255], [256], [257], [1, 2, 999, 3000], [4096]] {
      let processor = SoundProcessor(loud, tags: .init(), format: format)
      expectSame(processor.processed(bytes, channels: format.bytesPerFrame, pieces: pieces), whole)
      processor.reset()
      expectSame(processor.processed(bytes, channels: format.bytesPerFrame, pieces: pieces), whole)
    }
  }

  @Test func `after its preroll the samples are those of one run`() {
    let processor = SoundProcessor(
      settings { $0.equalizer = Equalizer("loudness") ?? .flat }, tags: .init(), format: format())
    let input = (0..<60_000).map { frame in
      let (low, high) = (sin(Double(frame) * 0.004), sin(Double(frame) * 0.9))
      return Float(low * 0.3 + high * 0.2)
    }
    let whole = processor.processed(input)
    let start = 40_000 - processor.prerollFrameCount
    processor.reset()
    let late = processor.processed(Array(input[start...])).dropFirst(processor.prerollFrameCount)
    let worst = zip(whole[40_000...], late).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 2e-6)
  }

  @Test func `silence stays silence, and becomes it again after sound`() {
    for sampleFormat in [PCMFormat.SampleFormat.s16, .f32] {
      let processor = SoundProcessor(loud, tags: .init(), format: format(sampleFormat))
      let silence = [UInt8](repeating: 0, count: 40_000 * sampleFormat.byteCount)
      expectSame(processor.processed(silence, channels: sampleFormat.byteCount), silence)
      var burst = silence
      for index in 0..<4000 { burst[index] = UInt8(truncatingIfNeeded: index &* 37) % 60 }
      let tail = processor.processed(burst, channels: sampleFormat.byteCount).suffix(10_000)
      expectSame(Array(tail), [UInt8](repeating: 0, count: 10_000))
    }
  }

  @Test func `nothing gets beyond full scale, and nothing quieter is touched by the limiter`() {
    let processor = SoundProcessor(settings { $0.preamp = 12 }, tags: .init(), format: format())
    let quiet = sine(300, frames: 10_000, amplitude: 0.2)
    let factor = Float(pow(10, 12 / 20.0))
    let output = processor.processed(
      quiet + sine(300, frames: 20_000, amplitude: 0.9) + [Float](repeating: 0, count: 80_000) + quiet)
    let peak = output.map(abs).max() ?? 9
    #expect(peak <= 1.000001)
    let worst = zip(output, quiet).map { abs($0 - $1 * factor) }.max() ?? 1
    #expect(worst < 1e-6)
    let after = zip(output.suffix(10_000), quiet).map { abs($0 - $1 * factor) }.max() ?? 1
    #expect(after < 1e-6)
    // Loud for long, it is a tone again, at full scale.
    let settled = output[20_000..<30_000]
    let (highest, tone) = (settled.max() ?? 0, amplitude(of: 300, in: settled))
    #expect(highest > 0.99)
    #expect(tone > 0.93)
  }

  @Test func `16 bits are dithered: a tone below a step is still there, and frames have their own noise`() {
    let processor = SoundProcessor(settings { $0.preamp = -20 }, tags: .init(), format: format(.s16))
    let input = (0..<44100).map { Int16((6 * sin(2 * .pi * 1000 * Double($0) / 44100)).rounded()) }
    let output = processor.processed(input)
    let heard = amplitude(of: 1000, in: output.map(Float.init)[...])
    #expect(abs(heard - 0.6) < 0.05)
    // Without dither, rounding leaves only harmonics of signals above half a step.
    #expect(Set(output).isSubset(of: [-2, -1, 0, 1, 2]) && Set(output).count > 3)
    let late = output.count - 1000
    var tail = Array(input.suffix(1000))
    tail.withUnsafeMutableBytes { processor.process($0, firstFrame: Int64(late)) }
    expectSame(tail, Array(output.suffix(1000)))
  }

  @Test func `NaN does not stay in the filters`() {
    let processor = SoundProcessor(loud, tags: .init(), format: format())
    let output = processor.processed(
      [0.5, .nan, .infinity, -.infinity, 1e30, -1e30] + [Float](repeating: 0.1, count: 90_000))
    let isWithinScale = output.allSatisfy { $0.isFinite && abs($0) <= 1.000001 }
    #expect(isWithinScale)
    #expect(abs(output[89_000]) > 0.01)
  }

  @Test func `balance turns down the other side, and gain has its factor`() {
    let processor = SoundProcessor(
      settings {
        $0.balance = -0.5
        $0.preamp = -6.0206
      }, tags: .init(), format: format(.f32, channels: 2))
    let output = processor.processed([0.5, 0.5, -1, -1] as [Float], channels: 2)
    for (value, expected) in zip(output, [0.25, 0.125, -0.5, -0.25]) { #expect(abs(value - Float(expected)) < 1e-5) }
  }
}
