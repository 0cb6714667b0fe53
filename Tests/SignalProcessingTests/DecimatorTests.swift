import Glibc
import SignalProcessing
import Testing

@Suite("Decimation")
struct DecimatorTests {
  /// The output level of a sine at a share of the new rate, in decibels, without the ends.
  private func level(atShare share: Double, factor: Int) -> Double {
    var decimator = Decimator(factor: factor, channelCount: 1)
    let input = (0..<(800 * factor)).map { Float(sin(2 * .pi * share * Double($0) / Double(factor))) }
    var output: [Float] = []
    input.withUnsafeBufferPointer { decimator.process($0, into: &output) }
    decimator.finish(into: &output)
    let middle = output[200..<600]
    let power = middle.reduce(0) { $0 + Double($1) * Double($1) } / Double(middle.count)
    return 10 * log10(2 * power + 1e-30)
  }

  @Test("keeps frequencies below 0.27 of the new rate", arguments: [4, 8, 16], [0.01, 0.1, 0.2, 0.25, 0.27])
  func passBand(factor: Int, share: Double) { #expect(abs(level(atShare: share, factor: factor)) < 0.005) }

  @Test("attenuates frequencies above half of it by 120 dB", arguments: [4, 8, 16], [0.5, 0.6, 0.8, 1.0, 1.3, 1.9])
  func stopBand(factor: Int, share: Double) {
    #expect(level(atShare: share, factor: factor) < -Decimator.attenuation + 0.5)
  }

  @Test("gives the same samples however the input is cut", arguments: [1, 7, 64, 1000])
  func cutting(size: Int) {
    let input = (0..<6000).map { Float(sin(Double($0 * $0) * 1e-5)) }
    var whole: [Float] = []
    var decimator = Decimator(factor: 4, channelCount: 2)
    input.withUnsafeBufferPointer { decimator.process($0, into: &whole) }
    decimator.finish(into: &whole)
    #expect(whole.count == 2 * 750)
    var parts: [Float] = []
    decimator.reset(atInputFrame: 0)
    for start in stride(from: 0, to: input.count, by: 2 * size) {
      Array(input[start...].prefix(2 * size)).withUnsafeBufferPointer { decimator.process($0, into: &parts) }
    }
    decimator.finish(into: &parts)
    #expect(parts == whole)
  }

  @Test("begins anywhere with the same samples") func places() {
    let input = (0..<4000).map { Float(sin(Double($0 * $0) * 1e-5)) }
    var whole: [Float] = []
    var decimator = Decimator(factor: 4, channelCount: 1)
    input.withUnsafeBufferPointer { decimator.process($0, into: &whole) }
    for start in [1, 400, 1001, 2222] {
      decimator.reset(atInputFrame: Int64(start))
      let first = Int(decimator.nextOutputFrame)
      #expect(first * 4 - decimator.reach >= start && first * 4 - decimator.reach < start + 4)
      var part: [Float] = []
      Array(input[start...]).withUnsafeBufferPointer { decimator.process($0, into: &part) }
      #expect(part == Array(whole[first...]))
    }
  }
}
