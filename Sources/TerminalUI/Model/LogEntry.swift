/// One line of the view Log: time, event, cause, and position in the track.
public struct LogEntry: Sendable, Hashable {
  /// Time of day: `21:04:09`.
  public var time: String
  /// The event and its cause.
  public var text: String
  /// Seconds into the track.
  public var position: Double?

  public init(time: String, text: String, position: Double? = nil) {
    self.time = time
    self.text = text
    self.position = position
  }
}
