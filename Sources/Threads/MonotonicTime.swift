/// A moment on CLOCK_MONOTONIC, which changes of the wall clock do not touch.
public struct MonotonicTime: Sendable, Hashable, Comparable {
  /// Nanoseconds since the clock began.
  public var nanoseconds: UInt64

  /// A moment.
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// When the clock began: earlier than every other moment.
  public static let zero = MonotonicTime(nanoseconds: 0)

  /// The present moment.
  public static var now: MonotonicTime { MonotonicTime(nanoseconds: monotonicNanoseconds()) }

  /// Compares two moments.
  public static func < (earlier: MonotonicTime, later: MonotonicTime) -> Bool {
    earlier.nanoseconds < later.nanoseconds
  }

  /// The moment after a span, clamped to the range of the clock.
  public static func + (time: MonotonicTime, span: TimeSpan) -> MonotonicTime {
    let (sum, overflow) = span.nanoseconds.addingReportingOverflow(Int64(clamping: time.nanoseconds))
    return MonotonicTime(nanoseconds: overflow ? UInt64(Int64.max) : UInt64(max(0, sum)))
  }

  /// The time between two moments; negative if the first one is earlier.
  public static func - (later: MonotonicTime, earlier: MonotonicTime) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(clamping: later.nanoseconds) - Int64(clamping: earlier.nanoseconds))
  }
}
