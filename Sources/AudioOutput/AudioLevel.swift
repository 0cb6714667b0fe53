internal import Glibc

/// The level of a channel, full scale being 1.
public struct AudioLevel: Sendable, Hashable {
  /// Root of the mean square.
  public var average: Float
  /// The highest sample, whatever its sign.
  public var peak: Float

  /// A level.
  public init(average: Float, peak: Float) {
    self.average = average
    self.peak = peak
  }

  /// `average` in decibels; silence is -infinity.
  public var averageDecibels: Float { 20 * log10f(average) }
  /// `peak` in decibels; silence is -infinity.
  public var peakDecibels: Float { 20 * log10f(peak) }
}
