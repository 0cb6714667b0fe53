/// The time limits for the sound server, in seconds: after each of them the player reacts.
enum PulseTimeouts {
  /// From the connection to the server's welcome; libpulse's own limit is 30 s.
  static let connection = 5.0
  /// From the request for a stream to the stream. A server needs milliseconds. PipeWire's answers only when its session
  /// manager has linked the stream to a sink, and never if that hangs.
  static let creation = 5.0
  /// For a stream to hold as much as the sink takes at once, before it is triggered with less.
  static let fill = 1.0
  /// From the trigger to STARTED.
  static let start = 3.0
  /// Between two requests for frames while the stream plays.
  static let request = 3.0
  /// For an answer to a question.
  static let answer = 2.0
  /// For the frame at which a pause stopped, while the caller of `pause` waits.
  static let pause = 0.2
  /// The age at which the clock is updated. A device's clock is off by at most about 100 ppm: 1 ms in 10 s. More
  /// updates mean more wake-ups, on both sides.
  static let clockAge = 10.0
}
