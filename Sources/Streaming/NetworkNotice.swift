/// What happened to a connection.
public enum NetworkNotice: Hashable, Sendable {
  /// It was lost; another is tried after so many seconds.
  case connectionLost(reason: String, retrySeconds: Double)
  /// A station is heard again; what it sent meanwhile is missing.
  case rejoined
}
