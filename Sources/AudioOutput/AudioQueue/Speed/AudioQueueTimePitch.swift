/// The algorithms for speed and pitch. The first use of `spectral` loads its library.
public enum AudioQueueTimePitchAlgorithm: Sendable, Hashable {
  /// Rubber Band: speed and pitch are independent.
  case spectral
  /// Resampling: the pitch rises with the speed, as with a tape.
  case varispeed
}

struct TimePitch: Hashable {
  var algorithm: AudioQueueTimePitchAlgorithm?
  var isBypassed = false
  var rate = 1.0
  /// In cents.
  var pitch = 0.0

  /// True if samples pass unchanged.
  var isNeutral: Bool { algorithm == nil || isBypassed || rate == 1 && (pitch == 0 || algorithm == .varispeed) }
  /// Input frames per output frame.
  var effectiveRate: Double { isNeutral ? 1 : rate }
}

/// Changes speed and pitch of interleaved samples: returns about `frames / rate` frames for `frames` input frames.
protocol RateConverter: AnyObject {
  /// Frames that can be taken.
  var availableFrameCount: Int { get }
  /// Drops all frames; the next output frame will match the next input frame.
  func reset(rate: Double, pitch: Double)
  /// Adds input frames, at most `rateConverterChunk`. The output of the last ones needs further input.
  func put(_ samples: UnsafeBufferPointer<Float>)
  /// Writes the available output frames that fit. Returns their number.
  func take(into samples: UnsafeMutableBufferPointer<Float>) -> Int
}

/// The largest number of input frames per call: it bounds the time under the queue's lock.
let rateConverterChunk = 1024
