internal import Glibc

/// Keeps samples within full scale. A louder sample reduces the level of all channels at once; the level recovers by
/// two thirds in 0.1 s. Below full scale it changes no bit.
struct Limiter {
  private let release: Double
  private var gain = 1.0

  init(sampleRate: Double) { release = 1 - exp(-1 / (0.1 * sampleRate)) }

  mutating func reset() { gain = 1 }

  /// Limits interleaved samples in place.
  mutating func process(_ samples: UnsafeMutableBufferPointer<Float>, channelCount: Int) {
    var start = 0
    while start < samples.count {
      var peak = Float(0)
      for index in start..<start + channelCount { peak = max(peak, abs(samples[index])) }
      if Double(peak) * gain > 1 {
        gain = 1 / Double(peak)
      } else if gain < 1 {
        gain += (1 - gain) * release
        if gain > 0.99999 || Double(peak) * gain > 1 { gain = min(1, 1 / Double(peak)) }
      }
      if gain < 1 { for index in start..<start + channelCount { samples[index] *= Float(gain) } }
      start += channelCount
    }
  }
}
