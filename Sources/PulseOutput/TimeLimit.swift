/// Seconds for which the sound server is waited for before something is done about its silence.
enum TimeLimit {
  /// From the connection to the server's welcome; libpulse's own limit is 30 s.
  static let connection = 5.0
  /// From the request for a stream to the stream. A server takes milliseconds. PipeWire's answers only when its session
  /// manager has linked the stream to a sink, and never if that hangs.
  static let creation = 5.0
  /// For a stream to hold as much as the sink takes at once, before it is told to play with less.
  static let fill = 1.0
  /// From the word to play to the word that it plays.
  static let start = 3.0
  /// Between two requests for frames while it plays.
  static let request = 3.0
  /// For an answer to a question.
  static let answer = 2.0
}
