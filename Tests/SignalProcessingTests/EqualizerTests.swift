import AudioModel
import Glibc
import SignalProcessing
import Testing

@Suite struct `The equaliser` {
  /// Decibels that a sine gains; measured when the filters have swung in.
  private func gain(at frequency: Double, _ equalizer: Equalizer, rate: Int) -> Double {
    let processor = SoundProcessor(
      settings { $0.equalizer = equalizer }, tags: .init(), format: format(rate: rate))
    // Whole periods, so that the correlation is exact.
    let period = Int((Double(rate) / frequency * 8).rounded())
    let exact = Double(rate) * 8 / Double(period)
    let count = period * max(1, rate / 20 / period)
    let input = sine(exact, frames: count + rate / 8, amplitude: 0.1, rate: Double(rate))
    let output = processor.processed(input)
    return 20 * log10(amplitude(of: exact, in: output.suffix(count), rate: Double(rate)) / 0.1)
  }

  @Test(arguments: [8000, 44100, 96000])
  func `has the requested gains at its centres, for any gains`(rate: Int) throws {
    var random = SeededGenerator(seed: UInt64(rate))
    let random12 = (0..<10).map { _ in Double.random(in: -12...12, using: &random) }
    for gains in [random12, [12, -12, 12, -12, 12, -12, 12, -12, 12, -12]] {
      let equalizer = try #require(Equalizer(gains: gains))
      let bands = zip(Equalizer.centers, equalizer.gains).filter { $0.0 < 0.45 * Double(rate) }
      let measured = bands.map { gain(at: $0.0, equalizer, rate: rate) }
      // All are lowered by the same headroom.
      let headroom = bands[0].1 - measured[0]
      #expect(headroom >= max(0, bands.map(\.1).max() ?? 0) - 0.5)
      for (band, gain) in zip(bands, measured) {
        #expect(abs(gain + headroom - band.1) < 0.5, "\(rate), \(equalizer.gains), \(band.0)")
      }
    }
  }

  @Test func `no full-scale tone is cut off by it`() throws {
    for preset in Equalizer.presets {
      let processor = SoundProcessor(settings { $0.equalizer = preset.equalizer }, tags: .init(), format: format())
      for frequency in [50, 700, 3000, 15_000] as [Double] {
        processor.reset()
        let tail = processor.processed(sine(frequency, frames: 13230, amplitude: 1)).suffix(4410)
        let peak = tail.map(abs).max() ?? 9
        #expect(peak <= 1.0001, "\(preset.name), \(frequency)")
        // It is still a pure tone: nothing was cut.
        let power = tail.reduce(0) { $0 + Double($1) * Double($1) } / 4410
        let tone = amplitude(of: frequency, in: tail)
        #expect(abs(power / (tone * tone / 2) - 1) < 0.01, "\(preset.name), \(frequency)")
      }
    }
  }

  @Test func `is written as a preset or as ten numbers`() throws {
    #expect(Equalizer("rock")?.presetName == "rock")
    #expect(Equalizer("flat") == .flat)
    #expect(Equalizer("1,2,3,4,5,-12,12,0, 0.5,0")?.gains == [1, 2, 3, 4, 5, -12, 12, 0, 0.5, 0])
    for text in [
      "", "loud", "1,2,3", "1,2,3,4,5,6,7,8,9,x", "13,0,0,0,0,0,0,0,0,0", "nan,0,0,0,0,0,0,0,0,0",
      "0,0,0,0,0,0,0,0,0,0,",
    ] {
      #expect(Equalizer(text) == nil, "\(text)")
    }
    #expect(Equalizer.presets.allSatisfy { $0.equalizer.gains.allSatisfy { abs($0) <= 12 } })
    #expect(Set(Equalizer.presets.map(\.name)).count == Equalizer.presets.count)
    #expect(Equalizer.presets.dropFirst().allSatisfy { $0.equalizer != .flat })
  }
}
