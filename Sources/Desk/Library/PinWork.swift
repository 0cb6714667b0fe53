internal import AudioModel
internal import ByteIO
internal import Commands
internal import Database
internal import Library
internal import Streaming
internal import Threads

/// Fetches pinned tracks in the background (`PinRun`). On the thread of the pins.
final class PinWork {
  private let connection: LibraryConnection
  private let network: Network
  private let isWanted: Guarded<Bool>
  private let say: (String) -> Void
  private let show: (LibraryPinState?) -> Void

  /// - Parameters:
  ///   - folder: The folder of the library.
  ///   - isWanted: False ends it.
  ///   - say: Takes a sentence for the listener.
  ///   - show: Takes the progress; `nil` at the end.
  init(
    folder: BytePath, network: Network, isWanted: Guarded<Bool>, say: @escaping (String) -> Void,
    show: @escaping (LibraryPinState?) -> Void
  ) {
    (connection, self.network, self.isWanted) = (LibraryConnection(folder), network, isWanted)
    (self.say, self.show) = (say, show)
  }

  func run() {
    guard connection.has("listener.db") else { return }
    do throws(DatabaseError) {
      defer { show(nil) }
      let run = PinRun(try connection.open(), network) { [isWanted] in isWanted.withLock { $0 } }
      let outcome = try run.run { show(LibraryPinState(done: $1, total: $2)) }
      if outcome.fetchedCount > 0 { say("\(counted(outcome.fetchedCount, "pinned track", grouped)) fetched") }
      guard let first = outcome.failures.first else { return }
      let rest = outcome.failures.count > 1 ? " (and \(outcome.failures.count - 1) more)" : ""
      say("\(first.path) is not fetched: \(first.reason)\(rest)")
    } catch { say("pinned tracks cannot be fetched: \(error)") }
    connection.rest()
  }
}
