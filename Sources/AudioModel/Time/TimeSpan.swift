/// The time between two moments. Arithmetic saturates at 292 years. The standard library's `Duration` is not used: its
/// members for `timespec` make the type ambiguous in files that import Glibc.
@frozen
public struct TimeSpan: Sendable, Hashable, Comparable {
  /// In nanoseconds; negative spans lead to earlier moments.
  public var nanoseconds: Int64

  /// A span of nanoseconds; a negative one leads to an earlier moment.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// No time.
  @inlinable public static var zero: TimeSpan { TimeSpan(nanoseconds: 0) }

  /// A span in seconds, clamped to 100 years; 0 for NaN.
  @inlinable
  public static func seconds(_ seconds: Double) -> TimeSpan {
    let limit = 100 * 366 * 86_400.0
    return TimeSpan(nanoseconds: seconds.isNaN ? 0 : Int64(max(-limit, min(seconds, limit)) * 1e9))
  }

  /// A span in milliseconds, clamped to 292 years.
  @inlinable
  public static func milliseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: 1_000_000) * count }

  /// A span in microseconds, clamped to 292 years.
  @inlinable
  public static func microseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: 1000) * count }

  /// In seconds.
  @inlinable public var inSeconds: Double { Double(nanoseconds) / 1e9 }

  /// In whole microseconds.
  @inlinable public var inMicroseconds: Int64 { nanoseconds / 1000 }

  /// The frames that pass at a sample rate in Hz, with a fraction.
  @inlinable
  public func frames(atSampleRate rate: Double) -> Double { Double(nanoseconds) * rate / 1e9 }

  /// Compares two spans.
  @inlinable
  public static func < (shorter: TimeSpan, longer: TimeSpan) -> Bool { shorter.nanoseconds < longer.nanoseconds }

  /// The sum, clamped to 292 years.
  @inlinable
  public static func + (first: TimeSpan, second: TimeSpan) -> TimeSpan {
    let (sum, overflow) = first.nanoseconds.addingReportingOverflow(second.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (second.nanoseconds < 0 ? .min : .max) : sum)
  }

  /// The difference, clamped to 292 years.
  @inlinable
  public static func - (first: TimeSpan, second: TimeSpan) -> TimeSpan {
    let (difference, overflow) = first.nanoseconds.subtractingReportingOverflow(second.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (second.nanoseconds < 0 ? .max : .min) : difference)
  }

  /// The multiple, clamped to 292 years.
  @inlinable
  public static func * (span: TimeSpan, count: Int64) -> TimeSpan {
    let (product, overflow) = span.nanoseconds.multipliedReportingOverflow(by: count)
    let isNegative = (span.nanoseconds < 0) != (count < 0)
    return TimeSpan(nanoseconds: overflow ? (isNegative ? .min : .max) : product)
  }

  /// The part, rounded towards zero; the span itself if `count` is 0.
  @inlinable
  public static func / (span: TimeSpan, count: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: span.nanoseconds.dividedReportingOverflow(by: count).partialValue)
  }

  /// The quotient, rounded towards zero; the nanoseconds of the first span if the second one is zero.
  @inlinable
  public static func / (span: TimeSpan, part: TimeSpan) -> Int64 {
    span.nanoseconds.dividedReportingOverflow(by: part.nanoseconds).partialValue
  }
}
