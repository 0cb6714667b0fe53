/// One line of the Log view: what changed, when, why, and where in the track.
public struct LogEntry: Sendable, Hashable {
  /// Time of day, as it shall be read: `21:04:09`.
  public var time: String
  /// What changed and why.
  public var text: String
  /// Seconds into the track.
  public var position: Double?

  /// An entry.
  public init(time: String, text: String, position: Double? = nil) {
    self.time = time
    self.text = text
    self.position = position
  }
}
