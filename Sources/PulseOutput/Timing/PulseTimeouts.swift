internal import AudioModel

/// The time limits for the sound server: after each of them the player reacts.
enum PulseTimeouts {
  /// From the connection to the server's welcome; libpulse's own limit is 30 s.
  static let connection = TimeSpan.seconds(5)
  /// From the request for a stream to the stream. A server needs milliseconds. PipeWire's answers only when its session
  /// manager has linked the stream to a sink, and never if that hangs.
  static let creation = TimeSpan.seconds(5)
  /// For a stream to hold as much as the sink takes at once, before it is triggered with less.
  static let fill = TimeSpan.seconds(1)
  /// From the trigger to STARTED. A device that has to wake up takes up to two seconds.
  static let start = TimeSpan.seconds(3)
  /// For the end of an underrun.
  static let underrun = TimeSpan.seconds(3)
  /// For the server's next message, after which its device counts as standing still: after a trigger or a question, and
  /// beyond the time between two requests for frames.
  static let message = TimeSpan.seconds(1)
  static let lateRequest = TimeSpan.milliseconds(250)
  /// For an answer, after that: then the server is lost.
  static let answer = TimeSpan.seconds(3)
  /// For the frame at which a pause stopped, while the caller of `pause` waits.
  static let pause = TimeSpan.milliseconds(200)
  /// The age at which the clock is updated. A device's clock is off by at most about 100 ppm: 1 ms in 10 s. More
  /// updates mean more wake-ups, on both sides.
  static let clockAge = TimeSpan.seconds(10)
}
