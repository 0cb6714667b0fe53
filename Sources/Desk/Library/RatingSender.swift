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
  /// The play queue to be sent; `nil` if none is.
  private let queue: Guarded<QueueMachine.Kept?>
  private var said: Set<String> = []
  private var failureCount = 0

  /// - Parameter changed: Called when the library has changed.
  init(
    _ folder: BytePath, _ network: Network, queue: Guarded<QueueMachine.Kept?>, changed: @escaping () -> Void,
    say: @escaping (String) -> Void
  ) {
    (connection, server) = (LibraryConnection(folder), ServerConnection(network, patience: 0))
    (self.queue, self.changed, self.say) = (queue, changed, say)
  }

  /// Sends what is new. Returns the time of the next attempt; `nil` if none would help.
  func send() -> MonotonicTime? {
    defer { connection.rest() }
    let library = try? connection.open(again: true)
    let isQueueSent = library.map(sendQueue) ?? true
    let told = library.flatMap { try? LibraryServers.tell($0, server) }
    for sentence in told?.refusals ?? [] where said.insert(sentence).inserted { say(sentence) }
    if told?.hasTaken == true { changed() }
    if let told, told.delays.isEmpty, !told.isBusy, isQueueSent {
      failureCount = 0
      return nil
    }
    failureCount = min(failureCount + 1, 5)
    return .now + .seconds(Double(20 << failureCount))
  }

  /// False if it is to be sent again. A newer queue takes its place.
  private func sendQueue(of library: MusicLibrary) -> Bool {
    let kept = queue.withLock { queue in
      defer { queue = nil }
      return queue
    }
    guard let kept, (try? LibraryServers.keep(kept, library, server)) == false else { return true }
    queue.withLock { queue in queue = queue ?? kept }
    return false
  }
}
