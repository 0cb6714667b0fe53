/// The time between two moments. The standard library's `Duration` is not used: its members for `timespec` make the
/// type ambiguous in files that import Glibc.
public struct TimeSpan: Sendable, Hashable, Comparable {
  /// In nanoseconds; negative spans lead to earlier moments.
  public var nanoseconds: Int64

  /// A span.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// A span in seconds, clamped to 100 years; 0 for NaN.
  public static func seconds(_ seconds: Double) -> TimeSpan {
    let limit = 100 * 366 * 86_400.0
    return TimeSpan(nanoseconds: seconds.isNaN ? 0 : Int64(max(-limit, min(seconds, limit)) * 1e9))
  }

  /// A span in milliseconds.
  public static func milliseconds(_ count: Int32) -> TimeSpan { TimeSpan(nanoseconds: Int64(count) * 1_000_000) }

  /// In seconds.
  public var inSeconds: Double { Double(nanoseconds) / 1e9 }

  /// Compares two spans.
  public static func < (shorter: TimeSpan, longer: TimeSpan) -> Bool { shorter.nanoseconds < longer.nanoseconds }
}
