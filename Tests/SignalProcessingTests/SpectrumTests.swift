import Glibc
import Testing

@testable import SignalProcessing

/// The bars of the spectrum: which of them move, how high, and how fast.
struct SpectrumTests {
  /// A sine of this frequency that ends after some seconds.
  private func sine(_ frequency: Double, amplitude: Double = 1, rate: Int, count: Int, end: Double = 1) -> [Float] {
    (0..<count).map { index in
      let time = end + Double(index - count) / Double(rate)
      return Float(amplitude * sin(2 * .pi * frequency * time))
    }
  }

  /// Feeds a sine for some seconds at a frame rate.
  private func feed(
    _ analyzer: inout SpectrumAnalyzer, _ frequency: Double, amplitude: Double = 1, rate: Int, seconds: Double,
    framesPerSecond: Double = 30
  ) {
    for frame in 0..<Int(seconds * framesPerSecond) {
      let end = 1 + Double(frame) / framesPerSecond
      let samples = sine(frequency, amplitude: amplitude, rate: rate, count: analyzer.frameCount, end: end)
      analyzer.add(samples, after: 1 / framesPerSecond)
    }
  }

  @Test(arguments: [8, 16, 32, 64, 256]) func `the transform is the sum that defines it`(count: Int) {
    var transform = RealTransform(count: count)
    let samples = (0..<count).map { Float(sin(Double($0 * $0)) + 0.3) }
    var powers: [Float] = []
    samples.withUnsafeBufferPointer { transform.powers(of: $0, into: &powers) }
    #expect(powers.count == count / 2)
    for bin in 0..<count / 2 {
      var (real, imaginary) = (0.0, 0.0)
      for index in 0..<count {
        let window = (1 - cos(2 * .pi * Double(index) / Double(count))) * 2 / Double(count)
        let angle = -2 * .pi * Double(bin * index) / Double(count)
        real += window * Double(samples[index]) * cos(angle)
        imaginary += window * Double(samples[index]) * sin(angle)
      }
      #expect(abs(Double(powers[bin].squareRoot()) - (real * real + imaginary * imaginary).squareRoot()) < 1e-5)
    }
  }

  @Test func `a sine of amplitude 1 has a power of 1`() {
    var transform = RealTransform(count: 4096)
    var powers: [Float] = []
    sine(4_410, rate: 44_100 / 4_410 * 4_096, count: 4096)
      .withUnsafeBufferPointer { transform.powers(of: $0, into: &powers) }
    #expect(abs((powers.max() ?? 0) - 1) < 1e-3)
  }

  @Test(arguments: [8000, 22_050, 44_100, 48_000, 96_000, 192_000, 768_000])
  func `a tone moves the bar of its frequency, at any sample rate`(rate: Int) throws {
    var last = -1
    for frequency in [60.0, 110, 440, 1000, 3000, 12_000] where frequency < Double(rate) * 0.4 {
      var analyzer = SpectrumAnalyzer(barCount: 26, sampleRate: rate)
      feed(&analyzer, frequency, rate: rate, seconds: 0.5)
      let highest = try #require(analyzer.bars.indices.max { analyzer.bars[$0] < analyzer.bars[$1] })
      #expect(highest > last, "\(frequency) Hz: \(analyzer.bars)")
      #expect(analyzer.bars[highest] > 0.5)
      let far = analyzer.bars.indices.filter { abs($0 - highest) > 3 }
      #expect(far.allSatisfy { analyzer.bars[$0] < 0.25 }, "\(frequency) Hz: \(analyzer.bars)")
      last = highest
    }
  }

  @Test func `the scale follows the loudness`() {
    for amplitude in [1, 0.1, 0.01] {
      var analyzer = SpectrumAnalyzer(barCount: 26, sampleRate: 44_100)
      feed(&analyzer, 1000, amplitude: amplitude, rate: 44_100, seconds: 1)
      #expect(0.5...1 ~= analyzer.bars.max() ?? 0)
      // Louder music at first fills the screen, then the scale has found it.
      feed(&analyzer, 1000, amplitude: amplitude * 4, rate: 44_100, seconds: 4)
      #expect(0.8...1 ~= analyzer.bars.max() ?? 0)
      feed(&analyzer, 1000, amplitude: amplitude * 2, rate: 44_100, seconds: 1)
      #expect(0.3...0.8 ~= analyzer.bars.max() ?? 0)
    }
  }

  @Test func `in silence all bars fall to the ground, and the scale stays`() {
    var analyzer = SpectrumAnalyzer(barCount: 26, sampleRate: 44_100)
    #expect(analyzer.isAtRest)
    feed(&analyzer, 1000, rate: 44_100, seconds: 1)
    let height = analyzer.bars.max() ?? 0
    #expect(!analyzer.isAtRest)
    analyzer.add([], after: 0.033)
    #expect(!analyzer.isAtRest, "they fall, they do not vanish")
    for _ in 0..<300 { analyzer.add([], after: 0.033) }
    #expect(analyzer.isAtRest)
    feed(&analyzer, 1000, rate: 44_100, seconds: 0.3)
    #expect(abs((analyzer.bars.max() ?? 0) - height) < 0.1)
  }

  @Test func `the bars fall alike at any frame rate`() {
    var heights: [Float] = []
    for framesPerSecond in [20.0, 30, 60, 120] {
      var analyzer = SpectrumAnalyzer(barCount: 26, sampleRate: 44_100)
      feed(&analyzer, 1000, rate: 44_100, seconds: 1, framesPerSecond: framesPerSecond)
      for _ in 0..<Int(framesPerSecond * 0.3) { analyzer.add([], after: 1 / framesPerSecond) }
      heights.append(analyzer.bars.max() ?? 0)
    }
    #expect((heights.max() ?? 0) - (heights.min() ?? 0) < 0.1, "\(heights)")
    #expect(0.2...0.9 ~= heights[1])
  }

  @Test func `odd sizes and numbers are survived`() {
    for (barCount, rate) in [(0, 0), (1, 1), (-3, -5), (500, 8000), (1000, 44_100), (26, .max)] {
      var analyzer = SpectrumAnalyzer(barCount: barCount, sampleRate: rate)
      #expect(analyzer.fits(barCount: barCount, sampleRate: rate))
      for sample in [Float.nan, .infinity, -.greatestFiniteMagnitude, 0, 1] {
        analyzer.add(Array(repeating: sample, count: 10_000), after: .nan)
        analyzer.add([sample], after: 0.1)
      }
      #expect(analyzer.bars.count == max(1, barCount) && analyzer.bars.allSatisfy { 0...1 ~= $0 }, "\(analyzer.bars)")
    }
  }
}
