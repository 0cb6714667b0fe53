/// A moment on CLOCK_MONOTONIC, which changes of the wall clock do not touch. `Threads` reads the clock
/// (`MonotonicTime.now`), so that targets without threads get the time as an argument.
@frozen
public struct MonotonicTime: Sendable, Hashable, Comparable {
  /// Nanoseconds since the clock began.
  public var nanoseconds: UInt64

  /// A moment so many nanoseconds after the clock began.
  @inlinable
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// When the clock began: earlier than every other moment.
  @inlinable public static var zero: MonotonicTime { MonotonicTime(nanoseconds: 0) }

  /// A moment in 292 years, which no sum exceeds.
  @inlinable public static var distantFuture: MonotonicTime { MonotonicTime(nanoseconds: UInt64(Int64.max)) }

  /// Compares two moments.
  @inlinable
  public static func < (earlier: MonotonicTime, later: MonotonicTime) -> Bool {
    earlier.nanoseconds < later.nanoseconds
  }

  /// The moment after a span, clamped to `zero`...`distantFuture`.
  @inlinable
  public static func + (time: MonotonicTime, span: TimeSpan) -> MonotonicTime {
    let (sum, overflow) = span.nanoseconds.addingReportingOverflow(Int64(clamping: time.nanoseconds))
    return MonotonicTime(nanoseconds: overflow ? UInt64(Int64.max) : UInt64(max(0, sum)))
  }

  /// Moves a moment.
  @inlinable
  public static func += (time: inout MonotonicTime, span: TimeSpan) { time = time + span }

  /// The moment before, as `+`.
  @inlinable
  public static func - (time: MonotonicTime, span: TimeSpan) -> MonotonicTime { time + (TimeSpan.zero - span) }

  /// The time between two moments; negative if the first one is earlier.
  @inlinable
  public static func - (later: MonotonicTime, earlier: MonotonicTime) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(clamping: later.nanoseconds) - Int64(clamping: earlier.nanoseconds))
  }
}
