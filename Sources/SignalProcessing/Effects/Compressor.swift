internal import AudioModel
internal import Glibc

/// Makes loud passages softer, so that soft ones can be raised: a night mode. All channels get the same gain.
public struct Compressor: AudioEffect {
  /// The level above which it acts, in decibels, -60...0.
  public var threshold: Double
  /// The ratio: so many decibels above the threshold become one decibel, 1...20.
  public var ratio: Double
  /// Seconds until it has followed two thirds of a rise, 0...1.
  public var attack: Double
  /// Seconds until it has followed two thirds of a fall, 0.01...5.
  public var release: Double
  /// The gain after compression in decibels, 0...30.
  public var makeup: Double

  /// A compressor. The defaults make a night mode.
  public init(
    threshold: Double = -30, ratio: Double = 4, attack: Double = 0.005, release: Double = 0.25, makeup: Double = 12
  ) {
    func limited(_ value: Double, _ range: ClosedRange<Double>, _ standard: Double) -> Double {
      value.isNaN ? standard : max(range.lowerBound, min(range.upperBound, value))
    }
    self.threshold = limited(threshold, -60...0, -30)
    self.ratio = limited(ratio, 1...20, 4)
    self.attack = limited(attack, 0...1, 0.005)
    self.release = limited(release, 0.01...5, 0.25)
    self.makeup = limited(makeup, 0...30, 12)
  }

  /// `compressor threshold=-30 ...`.
  public var words: String {
    "compressor threshold=\(plain(threshold)) ratio=\(plain(ratio)) attack=\(plain(attack)) release=\(plain(release)) makeup=\(plain(makeup))"
  }
  /// True if it changes nothing.
  public var isNeutral: Bool { ratio == 1 && makeup == 0 }

  /// The gain for a constant level, in decibels.
  public func gain(forDecibels level: Double) -> Double {
    makeup - max(0, level - threshold) * (1 - 1 / ratio)
  }

  /// A node that follows the level of the loudest channel.
  public func makeNode() -> any AudioEffectNode { CompressorNode(self) }
}

/// Follows the level of the loudest channel, in decibels.
private final class CompressorNode: AudioEffectNode {
  private let compressor: Compressor
  private var channelCount = 1
  private var (rise, fall) = (0.0, 0.0)
  private var level = CompressorNode.silence

  private static let silence = -150.0

  init(_ compressor: Compressor) { self.compressor = compressor }

  func prepare(format: PCMFormat, maximumFrames: Int) {
    channelCount = format.channelCount
    let rate = Double(format.sampleRate)
    rise = compressor.attack == 0 ? 0 : exp(-1 / (compressor.attack * rate))
    fall = exp(-1 / (compressor.release * rate))
  }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    for start in stride(from: 0, to: samples.count, by: channelCount) {
      var peak: Float = 0
      for index in start..<start + channelCount where samples[index].isFinite { peak = max(peak, abs(samples[index])) }
      let now = peak > 3e-8 ? 20 * log10(Double(peak)) : Self.silence
      let pole = now > level ? rise : fall
      level = pole * level + (1 - pole) * now
      let factor = Float(pow(10, compressor.gain(forDecibels: level) / 20))
      for index in start..<start + channelCount { samples[index] *= factor }
    }
  }

  func reset() { level = Self.silence }
}
