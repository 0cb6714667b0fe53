internal import AudioModel
internal import Glibc

/// Makes the difference between left and right larger or smaller. Only for two channels.
public struct StereoWidth: AudioEffect {
  /// 0: both channels are the same; 1: unchanged; 2: the difference is twice as large.
  public var width: Double

  /// A width, clamped to 0...2; 1 for NaN.
  public init(_ width: Double) { self.width = max(0, min(2, width.isNaN ? 1 : width)) }

  /// `width 1.5`.
  public var words: String { "width amount=\(plain(width))" }
  /// True at 1.
  public var isNeutral: Bool { width == 1 }
  /// A node that does it.
  public func makeNode() -> any AudioEffectNode { WidthNode(Float(width)) }
}

private final class WidthNode: AudioEffectNode {
  private let width: Float
  private var isStereo = false

  init(_ width: Float) { self.width = width }

  func prepare(format: PCMFormat, maximumFrames: Int) { isStereo = format.channelCount == 2 }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    guard isStereo else { return }
    for index in stride(from: 0, to: samples.count - 1, by: 2) {
      let (middle, side) = (
        (samples[index] + samples[index + 1]) / 2, (samples[index] - samples[index + 1]) / 2 * width
      )
      (samples[index], samples[index + 1]) = (middle + side, middle - side)
    }
  }

  func reset() {}
}

/// Plays the mean of all channels on each channel, for one ear or one speaker.
public struct Mono: AudioEffect {
  /// Mono.
  public init() {}
  /// `mono`.
  public var words: String { "mono" }
  /// False.
  public var isNeutral: Bool { false }
  /// A node that does it.
  public func makeNode() -> any AudioEffectNode { MonoNode() }
}

private final class MonoNode: AudioEffectNode {
  private var channelCount = 1

  func prepare(format: PCMFormat, maximumFrames: Int) { channelCount = format.channelCount }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    guard channelCount > 1 else { return }
    for start in stride(from: 0, to: samples.count, by: channelCount) {
      var sum: Float = 0
      for index in start..<start + channelCount { sum += samples[index] }
      let mean = sum / Float(channelCount)
      for index in start..<start + channelCount { samples[index] = mean }
    }
  }

  func reset() {}
}

/// Plays a little of each side on the other side, softer and without treble, as with speakers. For headphones. The sum
/// of both channels stays the same at every frequency. Only for two channels.
public struct Crossfeed: AudioEffect {
  /// The frequency up to which the other side is audible, in hertz, 300...2000.
  public var cutoff: Double
  /// The attenuation of the other side at low frequencies, in decibels, 1...15; less means more crossfeed.
  public var level: Double

  /// A crossfeed; 700 Hz and 4.5 dB are usual.
  public init(cutoff: Double = 700, level: Double = 4.5) {
    self.cutoff = max(300, min(2000, cutoff.isNaN ? 700 : cutoff))
    self.level = max(1, min(15, level.isNaN ? 4.5 : level))
  }

  /// `crossfeed cutoff=700 level=4.5`.
  public var words: String { "crossfeed cutoff=\(plain(cutoff)) level=\(plain(level))" }
  /// False.
  public var isNeutral: Bool { false }
  /// A node that does it.
  public func makeNode() -> any AudioEffectNode { CrossfeedNode(self) }
}

/// Left gets `share` of the low-passed difference of right and left, right the opposite.
private final class CrossfeedNode: AudioEffectNode {
  private let crossfeed: Crossfeed
  private let share: Double
  private var pole = 0.0
  private var isStereo = false
  private var state = 0.0

  init(_ crossfeed: Crossfeed) {
    self.crossfeed = crossfeed
    // At 0 Hz: own side 1 - share, other side share; their ratio is the level.
    let ratio = pow(10, -crossfeed.level / 20)
    share = ratio / (1 + ratio)
  }

  func prepare(format: PCMFormat, maximumFrames: Int) {
    isStereo = format.channelCount == 2
    pole = exp(-2 * .pi * crossfeed.cutoff / Double(format.sampleRate))
  }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    guard isStereo else { return }
    for index in stride(from: 0, to: samples.count - 1, by: 2) {
      let difference = Double(samples[index + 1]) - Double(samples[index])
      state = pole * state + (1 - pole) * (difference.isFinite ? difference : 0)
      let crossed = Float(share * state)
      samples[index] += crossed
      samples[index + 1] -= crossed
    }
    if abs(state) < 1e-30 { state = 0 }
  }

  func reset() { state = 0 }
}
