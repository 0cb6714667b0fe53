internal import Glibc

/// The level of a channel; 1 is full scale.
public struct AudioLevel: Sendable, Hashable {
  /// Root of the mean square.
  public var average: Float
  /// The largest absolute value of a sample.
  public var peak: Float

  /// A level of linear values, where 1 is full scale.
  public init(average: Float, peak: Float) { (self.average, self.peak) = (average, peak) }

  /// `average` in decibels; silence is -infinity.
  public var averageDecibels: Float { 20 * log10f(average) }
  /// `peak` in decibels; silence is -infinity.
  public var peakDecibels: Float { 20 * log10f(peak) }
}
