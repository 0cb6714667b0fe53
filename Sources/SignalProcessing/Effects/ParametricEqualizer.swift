internal import AudioModel
internal import Glibc

/// An equaliser of any number of filters, each with frequency, gain and width, for example to correct headphones by
/// measurements.
public struct ParametricEqualizer: AudioEffect {
  /// The part of the spectrum that a filter changes, by its word in profiles.
  public enum Shape: String, Sendable, Hashable {
    /// A bell around the frequency.
    case peak = "PK"
    /// Everything below the frequency.
    case lowShelf = "LSC"
    /// Everything above the frequency.
    case highShelf = "HSC"
  }

  /// One filter.
  public struct Filter: Sendable, Hashable {
    /// The shape of its frequency response.
    public var shape: Shape
    /// The centre of a bell, the middle of the slope of a shelf; hertz, 1...100,000.
    public var frequency: Double
    /// The gain in decibels, -40...40.
    public var decibels: Double
    /// The quality factor, 0.05...50; higher is narrower.
    public var quality: Double

    /// A filter; `nil` if a number is out of its range.
    public init?(_ shape: Shape, frequency: Double, decibels: Double, quality: Double) {
      guard 1...100_000 ~= frequency, -40...40 ~= decibels, 0.05...50 ~= quality else { return nil }
      (self.shape, self.frequency, self.decibels, self.quality) = (shape, frequency, decibels, quality)
    }
  }

  /// The gain before the filters in decibels, which prevents clipping by boosts; -40...40.
  public var preamp: Double
  /// The filters, at most 64; they are applied one after the other.
  public var filters: [Filter]
  /// The file it came from; empty for none.
  public var name: String

  /// An equaliser of the first 64 filters.
  public init(preamp: Double = 0, filters: [Filter], name: String = "") {
    self.preamp = max(-40, min(40, preamp.isFinite ? preamp : 0))
    (self.filters, self.name) = (Array(filters.prefix(64)), name)
  }

  /// An invalid line of a profile.
  public struct ProfileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its number, from 1.
    public var line: Int
    /// The problem in words, without the line.
    public var reason: String
    /// `line 3: ...`.
    public var description: String { "line \(line): \(reason)" }
  }

  /// Reads a profile of AutoEq or Equalizer APO (`ParametricEQ.txt`):
  ///
  ///     Preamp: -6.2 dB
  ///     Filter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.70
  ///     Filter 2: OFF PK Fc 2300 Hz Gain -2.1 dB Q 1.20
  ///
  /// Ignores filters that are off and lines that begin with #.
  public init(profile text: String, name: String = "") throws(ProfileError) {
    var (preamp, filters): (Double, [Filter]) = (0, [])
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      func number(after word: String) throws(ProfileError) -> Double {
        guard let place = words.firstIndex(of: word), place + 1 < words.count, let value = Double(words[place + 1])
        else {
          throw ProfileError(line: index + 1, reason: "\(word) needs a number")
        }
        return value
      }
      switch first {
      case "Preamp:": preamp = try number(after: "Preamp:")
      case "Filter":
        guard words.contains("ON") else { continue }
        // Equalizer APO's older names.
        let shape = words.lazy.compactMap { Shape(rawValue: ["LS": "LSC", "HS": "HSC"][$0] ?? $0) }.first
        guard let shape else { throw ProfileError(line: index + 1, reason: "filters are PK, LSC or HSC") }
        let filter = Filter(
          shape, frequency: try number(after: "Fc"), decibels: try number(after: "Gain"),
          quality: try number(after: "Q"))
        guard let filter else { throw ProfileError(line: index + 1, reason: "a number is out of range") }
        filters.append(filter)
      default: throw ProfileError(line: index + 1, reason: "lines begin with Preamp: or Filter")
      }
    }
    self.init(preamp: preamp, filters: filters, name: name)
  }

  /// `parametric file=NAME`, or its number of filters.
  public var words: String {
    "parametric " + (name.isEmpty ? "of \(filters.count) filters" : "file=\(quotedFile(name))")
  }

  /// True if it changes no sample.
  public var isNeutral: Bool { preamp == 0 && filters.allSatisfy { $0.decibels == 0 } }

  /// The change of the level at a frequency, in decibels.
  public func decibels(at frequency: Double, sampleRate: Double) -> Double {
    preamp + biquads(sampleRate).reduce(0) { $0 + $1.decibels(at: frequency, sampleRate: sampleRate) }
  }

  /// Filters from half the sample rate on have no effect there.
  func biquads(_ sampleRate: Double) -> [Biquad] {
    filters.filter { $0.decibels != 0 && $0.frequency < 0.49 * sampleRate }.map { Biquad($0, sampleRate: sampleRate) }
  }

  /// A node with all filters, one after another.
  public func makeNode() -> any AudioEffectNode { FilterNode(self) }
}

/// Filters in a row, for each channel.
private final class FilterNode: AudioEffectNode {
  private let equalizer: ParametricEqualizer
  private var biquads: [Biquad] = []
  private var channelCount = 1
  /// Two for each filter, channel after channel.
  private var states: [Double] = []
  private let factor: Double
  private(set) var tailFrames = 0

  init(_ equalizer: ParametricEqualizer) {
    self.equalizer = equalizer
    factor = Double.factor(decibels: equalizer.preamp)
  }

  func prepare(format: PCMFormat, maximumFrames: Int) {
    (biquads, channelCount) = (equalizer.biquads(Double(format.sampleRate)), format.channelCount)
    states = Array(repeating: 0, count: 2 * biquads.count * channelCount)
    tailFrames = biquads.isEmpty ? 0 : format.sampleRate / 4
  }

  func process(_ samples: UnsafeMutableBufferPointer<Float>) {
    states.withUnsafeMutableBufferPointer { states in
      for channel in 0..<channelCount {
        for index in stride(from: channel, to: samples.count, by: channelCount) {
          // NaN would stay in the filters forever.
          var signal = samples[index].isFinite ? Double(samples[index]) * factor : 0
          var place = 2 * channel * biquads.count
          for filter in biquads {
            let output = filter.b0 * signal + states[place]
            states[place] = filter.b1 * signal - filter.a1 * output + states[place + 1]
            states[place + 1] = filter.b2 * signal - filter.a2 * output
            signal = output
            place += 2
          }
          samples[index] = Float(signal)
        }
      }
      // Denormal numbers take a processor ten times as long.
      for index in states.indices where abs(states[index]) < 1e-30 { states[index] = 0 }
    }
  }

  func reset() { for index in states.indices { states[index] = 0 } }
}

extension Biquad {
  /// A filter of R. Bristow-Johnson's "Audio EQ Cookbook": peakingEQ, lowShelf or highShelf, all with Q.
  init(_ filter: ParametricEqualizer.Filter, sampleRate: Double) {
    let a = pow(10, filter.decibels / 40)
    let omega = 2 * Double.pi * filter.frequency / sampleRate
    let (cosine, alpha) = (cos(omega), sin(omega) / (2 * filter.quality))
    let root = 2 * a.squareRoot() * alpha
    switch filter.shape {
    case .peak:
      self.init(
        (1 + alpha * a, -2 * cosine, 1 - alpha * a), (1 + alpha / a, -2 * cosine, 1 - alpha / a))
    case .lowShelf:
      self.init(
        (
          a * (a + 1 - (a - 1) * cosine + root), 2 * a * (a - 1 - (a + 1) * cosine),
          a * (a + 1 - (a - 1) * cosine - root)
        ),
        (a + 1 + (a - 1) * cosine + root, -2 * (a - 1 + (a + 1) * cosine), a + 1 + (a - 1) * cosine - root))
    case .highShelf:
      self.init(
        (
          a * (a + 1 + (a - 1) * cosine + root), -2 * a * (a - 1 + (a + 1) * cosine),
          a * (a + 1 + (a - 1) * cosine - root)
        ),
        (a + 1 - (a - 1) * cosine + root, 2 * (a - 1 - (a + 1) * cosine), a + 1 - (a - 1) * cosine - root))
    }
  }

  private init(_ b: (Double, Double, Double), _ a: (Double, Double, Double)) {
    (b0, b1, b2) = (b.0 / a.0, b.1 / a.0, b.2 / a.0)
    (a1, a2) = (a.1 / a.0, a.2 / a.0)
  }
}
