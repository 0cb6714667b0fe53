internal import AudioModel

extension MonotonicTime {
  /// libpulse's times are microseconds of the same clock.
  var inPulseMicroseconds: UInt64 { nanoseconds / 1000 }
}
