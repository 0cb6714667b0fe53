public import Commands
internal import Glibc

extension AlarmClock {
  /// The present second. Unlike time(2), which lags behind by some milliseconds, it has come when a timer of that clock
  /// wakes the loop.
  public static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec
  }
}
