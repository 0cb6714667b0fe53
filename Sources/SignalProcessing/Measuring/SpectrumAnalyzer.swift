internal import Glibc

/// The bars of a spectrum as listeners know them from cava: bands of equal musical width from 50 Hz to 16 kHz. They
/// rise at once and fall faster and faster, on a scale that follows the loudness of the music.
///
/// Pure: the caller says how much time has passed, so that the bars move alike at any frame rate.
public struct SpectrumAnalyzer: Sendable {
  /// A bar that falls.
  private struct Fall {
    /// The height from which it fell.
    var peak: Float = 0
    /// Seconds since then.
    var seconds: Float = 0
  }

  private let sampleRate: Int
  /// The number of the first frequency of each band, and of the one behind the last.
  private let edges: [Int]
  /// Music has less power in high bands: these factors lift them.
  private let lifts: [Float]
  private var transform: RealTransform
  private var powers: [Float] = []
  private var falls: [Fall]
  /// The heights of the bars, 0...1, from low to high frequencies.
  public private(set) var bars: [Float]
  /// The factor between amplitudes and heights. `nil` before the first sound.
  private var sensitivity: Float?

  private static let frequencies = 50.0...16_000.0
  /// A bar falls from the top to the ground in this time.
  private static let fallSeconds: Float = 0.6
  /// The time after which a bar has come two thirds nearer to a new height.
  private static let settlingSeconds: Float = 0.04
  /// The time after which a scale that is too large has come two thirds nearer to one that fits.
  private static let loweringSeconds: Float = 0.25
  /// An amplitude of 16 bits' last digit: below, it is silent.
  private static let silence: Float = 1.0 / 32768

  /// - Parameters:
  ///   - barCount: The number of bars, at least 1.
  ///   - sampleRate: In hertz.
  public init(barCount: Int, sampleRate: Int) {
    let sampleRate = max(8000, min(sampleRate, 768_000))
    let barCount = max(1, barCount)
    self.sampleRate = sampleRate
    // A tenth of a second up to 192 kHz: fine enough for the lowest bands, short enough to follow a beat.
    var count = 1024
    while count * 12 < sampleRate, count < 16_384 { count *= 2 }
    transform = RealTransform(count: count)
    let top = min(Self.frequencies.upperBound, Double(sampleRate) * 0.45)
    let ratio = top / Self.frequencies.lowerBound
    var edges = (0...barCount).map { index in
      let frequency = Self.frequencies.lowerBound * pow(ratio, Double(index) / Double(barCount))
      return Int((frequency * Double(count) / Double(sampleRate)).rounded())
    }
    // Each band has a frequency of its own.
    for index in 1...barCount { edges[index] = max(edges[index], edges[index - 1] + 1) }
    let limit = count / 2
    self.edges = edges.map { min($0, limit) }
    lifts = (0..<barCount).map { index in
      let center = Self.frequencies.lowerBound * pow(ratio, (Double(index) + 0.5) / Double(barCount))
      return Float(pow(center / 1000, 0.6))
    }
    falls = Array(repeating: Fall(), count: barCount)
    bars = Array(repeating: 0, count: barCount)
  }

  /// The number of frames that `add` looks at.
  public var frameCount: Int { transform.count }

  /// True if the analyser has this number of bars and this sample rate.
  public func fits(barCount: Int, sampleRate: Int) -> Bool {
    bars.count == max(1, barCount) && self.sampleRate == max(8000, min(sampleRate, 768_000))
  }

  /// True if all bars lie on the ground.
  public var isAtRest: Bool { bars.allSatisfy { $0 < 0.004 } }

  /// Updates the bars.
  ///
  /// - Parameters:
  ///   - samples: The latest frames of one channel, or of a mix of channels; fewer than `frameCount` are silence
  ///     before.
  ///   - seconds: The time since the last call.
  public mutating func add(_ samples: [Float], after seconds: Double) {
    let seconds = seconds.isFinite ? Float(max(0, min(seconds, 1))) : 0
    measure(samples)
    var heights: [Float] = []
    heights.reserveCapacity(bars.count)
    var loudest: Float = 0
    for index in bars.indices {
      let band = edges[index]..<max(edges[index], edges[index + 1])
      // The power of the whole band: wide bands of music have as much as narrow ones, apart from `lifts`.
      let power = powers[band].reduce(0, +)
      let height = band.isEmpty ? 0 : power.squareRoot() * lifts[index]
      heights.append(height)
      loudest = max(loudest, height)
    }
    // Files may contain samples that are no numbers.
    let isSilent = !(Self.silence..<Float.greatestFiniteMagnitude).contains(loudest) || !heights.allSatisfy(\.isFinite)
    let scale = sensitivity ?? (isSilent ? 0 : 0.8 / loudest)
    if sensitivity == nil, !isSilent { sensitivity = scale }
    let share = 1 - expf(-seconds / Self.settlingSeconds)
    for index in bars.indices {
      let target = isSilent ? 0 : heights[index] * scale
      bars[index] = settle(index, towards: min(1, target), share, seconds)
    }
    if !isSilent { follow(loudest, seconds) }
  }

  private mutating func measure(_ samples: [Float]) {
    let count = transform.count
    if samples.count >= count {
      samples.withUnsafeBufferPointer { samples in
        transform.powers(of: UnsafeBufferPointer(rebasing: samples.suffix(count)), into: &powers)
      }
    } else {
      let padded = Array(repeating: Float(0), count: count - samples.count) + samples
      padded.withUnsafeBufferPointer { transform.powers(of: $0, into: &powers) }
    }
  }

  /// A bar rises towards its target, and falls from its last peak with constant acceleration.
  private mutating func settle(_ index: Int, towards target: Float, _ share: Float, _ seconds: Float) -> Float {
    let risen = bars[index] + (target - bars[index]) * share
    if target >= bars[index] {
      falls[index] = Fall(peak: risen)
      return risen
    }
    falls[index].seconds += seconds
    let time = falls[index].seconds / Self.fallSeconds
    return max(0, target, min(bars[index], falls[index].peak - time * time))
  }

  /// The scale falls to where the highest bar fits, soon if that is far, and otherwise rises by 6 % in a second.
  private mutating func follow(_ loudest: Float, _ seconds: Float) {
    guard let scale = sensitivity else { return }
    let fitting = 0.95 / loudest
    let isTooHigh = scale * loudest > 1
    sensitivity =
      isTooHigh ? scale + (fitting - scale) * (1 - expf(-seconds / Self.loweringSeconds)) : scale * powf(1.06, seconds)
  }
}
