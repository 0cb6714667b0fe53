public import AudioModel
internal import Glibc

extension MonotonicTime {
  /// The present moment.
  public static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
  }

  /// Milliseconds from now for the timeout of poll(2), rounded up; 0 if the moment has passed.
  public var pollTimeout: Int32 {
    let span = self - .now
    return span <= .zero ? 0 : Int32(clamping: (span.nanoseconds - 1) / 1_000_000 + 1)
  }

  /// For C functions that wait until an absolute time.
  var posixTime: timespec {
    timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
