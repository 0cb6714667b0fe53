internal import CGlibcExtras
internal import Glibc

/// Wakes one `poll` at a time of day, also if the clock is set or the machine sleeps in between (timerfd_create(2)).
/// Main thread.
final class AlarmDescriptor {
  /// The descriptor to poll for POLLIN; -1 until a time is set.
  private(set) var descriptor: CInt = -1
  private var time: Int?

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Sets the time, in seconds since 1970; `nil` switches it off.
  func set(_ new: Int?) {
    guard new != time else { return }
    if descriptor < 0 { descriptor = timerfd_create(CLOCK_REALTIME, SEGUE_TFD_FLAGS) }
    // Tried again in the next turn.
    guard descriptor >= 0 else { return }
    time = new
    var value = segue_itimerspec(
      interval_seconds: 0, interval_nanoseconds: 0, seconds: Int64(new ?? 0), nanoseconds: 0)
    _ = segue_timerfd_settime(descriptor, SEGUE_TFD_TIMER_ABSTIME, &value, nil)
  }

  /// Consumes the wake-up.
  func silence() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
  }
}
