internal import AudioModel
internal import ByteIO
internal import Database
internal import Library
internal import Streaming
internal import Threads

/// Tells servers of music what the listener rates and loves, the changes of playlists and places, and the play queue. On
/// a thread of its own, which waits for them.
final class RatingSender {
  private let connection: LibraryConnection
  private let server: ServerConnection
  private let say: (String) -> Void
  private let changed: () -> Void
  private var said: Set<String> = []
  private var failureCount = 0

  /// - Parameter changed: Called when the library has changed.
  init(
    _ folder: BytePath, _ network: Network, changed: @escaping () -> Void, say: @escaping (String) -> Void
  ) {
    (connection, server) = (LibraryConnection(folder), ServerConnection(network, patience: 0))
    (self.changed, self.say) = (changed, say)
  }

  /// Sends what is new. Returns the time of the next attempt; `nil` if none would help.
  func send() -> MonotonicTime? {
    defer { connection.rest() }
    let told = (try? connection.open(again: true)).flatMap { try? LibraryServers.tell($0, server) }
    for sentence in told?.refusals ?? [] where said.insert(sentence).inserted { say(sentence) }
    if told?.hasTaken == true { changed() }
    if let told, told.delays.isEmpty, !told.isBusy {
      failureCount = 0
      return nil
    }
    failureCount = min(failureCount + 1, 5)
    return .now + .seconds(Double(20 << failureCount))
  }
}
