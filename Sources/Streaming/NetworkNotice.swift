/// A change of a connection.
public enum NetworkNotice: Hashable, Sendable {
  /// It was lost; the next attempt follows after so many seconds.
  case connectionLost(reason: String, retrySeconds: Double)
  /// A station sends again; the sound in between is missing.
  case rejoined
}
