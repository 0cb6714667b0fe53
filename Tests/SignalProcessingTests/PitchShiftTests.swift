import Glibc
import SignalProcessing
import Testing

/// The effect `pitch`. Rubber Band is installed along with the tests.
@Suite struct `Pitch` {
  @Test(arguments: [-12.0, -2, 0.5, 7, 12])
  func `moves a tone by its semitones, and keeps its level and duration`(semitones: Double) throws {
    let frequency = 440 * pow(2, semitones / 12)
    let input = Effects.sine(440, frames: 4 * 44100, channels: 1)
    let output = Effects.processed([PitchShift(semitones: semitones)], input, Effects.format(1))
    #expect(output.count == input.count)
    let part = output[88200..<132_300]
    let periods = zip(part, part.dropFirst()).count { $0 < 0 && $1 >= 0 }
    // At most 0.7 % was measured.
    #expect(abs(Double(periods) - frequency) < 0.01 * frequency)
    let change = Effects.level(output, channel: 0, of: 1) / Effects.level(input, channel: 0, of: 1)
    #expect(abs(Effects.decibels(change)) < 1)
  }

  @Test(arguments: [-12.0, -2, 0.5, 7, 12], [1, 2, 6])
  func `is late by its latency, and leaves no gap`(semitones: Double, channels: Int) throws {
    let chain = EffectChain([PitchShift(semitones: semitones)], format: Effects.format(channels))
    let latency = chain.latencyFrames
    #expect(256..<8820 ~= latency)
    // Silence, then a tone that goes on: the first sound is where the tone began.
    let start = 20_000
    var samples = [Float](repeating: 0, count: start * channels)
    samples += Effects.sine(300, frames: 60_000, channels: channels)
    samples.withUnsafeMutableBufferPointer { chain.process($0) }
    let first = try #require(stride(from: 0, to: samples.count, by: channels).first { abs(samples[$0]) > 0.1 })
    #expect(abs(first / channels - start - latency) < 1500, "\(first / channels - start) of \(latency)")
    // No 10 ms of the rest are silent, on any channel.
    for frame in stride(from: start + latency + 4000, to: 79_000, by: 441) {
      for channel in 0..<channels {
        #expect((frame..<frame + 441).contains { abs(samples[$0 * channels + channel]) > 0.1 })
      }
    }
  }

  @Test func `noise leaves no gap for ten seconds`() {
    let output = Effects.processed([PitchShift(semitones: -3)], Effects.noise(441_000), Effects.format(1))
    let isSilent = stride(from: 22_050, to: 440_000, by: 64).contains { start in
      output[start..<start + 64].allSatisfy { $0 == 0 }
    }
    #expect(!isSilent)
  }

  @Test func `does nothing at rates at which the library may never return`() {
    // The library returns at these, so that a missing check fails here and hangs nowhere.
    for (rate, isShifted) in [(999, false), (1000, true), (768_000, true), (768_001, false)] {
      let chain = EffectChain([PitchShift(semitones: 7)], format: Effects.format(1, rate))
      #expect((chain.latencyFrames > 0) == isShifted, "\(rate)")
    }
  }

  @Test func `of 0 semitones changes no bit`() {
    let noise = Effects.noise(4000)
    #expect(PitchShift(semitones: 0).isNeutral && PitchShift(semitones: .nan).isNeutral)
    #expect(Effects.processed([PitchShift(semitones: 0)], noise, Effects.format(2)) == noise)
  }
}
