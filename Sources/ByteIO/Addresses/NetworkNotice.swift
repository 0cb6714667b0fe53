/// A change of a connection.
public enum NetworkNotice: Hashable, Sendable {
  /// The connection was lost; the next attempt follows after `retrySeconds`.
  case connectionLost(reason: String, retrySeconds: Double)
  /// The server is busy; the next attempt follows after `retrySeconds`.
  case busy(reason: String, retrySeconds: Double)
  /// The server stated another length than it sends, several times: the audio ends there.
  case ended(reason: String)
  /// A station sends again; the audio in between is missing.
  case rejoined
  /// So many seconds of a stream on demand are missing on the server.
  case skipped(seconds: Double)
  /// The file of the track is not there: it comes from that server.
  case replacesFile(server: String)
  /// A server does not answer: the track comes from another one.
  case replacesServer(String, server: String)
}
