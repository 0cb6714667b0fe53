/// The algorithms for speed and pitch. The library that spectral changes need is loaded when
/// the first of them is asked for.
public enum AudioQueueTimePitchAlgorithm: Sendable, Hashable {
  /// By Rubber Band: speed and pitch each on its own.
  case spectral
  /// By resampling: pitch goes up with speed, as with a tape.
  case varispeed
}

/// The settings of a time pitch algorithm.
struct TimePitch: Hashable {
  var algorithm: AudioQueueTimePitchAlgorithm?
  var isBypassed = false
  var rate = 1.0
  /// In cents.
  var pitch = 0.0

  /// True if samples go through as they are.
  var isNeutral: Bool { algorithm == nil || isBypassed || rate == 1 && (pitch == 0 || algorithm == .varispeed) }
  /// Frames of media for each one that is heard.
  var effectiveRate: Double { isNeutral ? 1 : rate }
}

/// Changes speed and pitch of interleaved samples: takes them in and gives others out, about `frames / rate`.
protocol RateConverter: AnyObject {
  /// Frames that can be taken.
  var availableFrameCount: Int { get }
  /// Forgets all frames; the first frame given out will be at the place of the first taken in.
  func reset(rate: Double, pitch: Double)
  /// Takes frames in, at most `rateConverterChunk`. The last ones are given out once there is enough behind them.
  func put(_ samples: UnsafeBufferPointer<Float>)
  /// Gives frames out, as many as are there and fit; returns how many.
  func take(into samples: UnsafeMutableBufferPointer<Float>) -> Int
}

/// Frames that a converter takes at once: what one hold of the queue's lock lasts for.
let rateConverterChunk = 1024
