internal import AudioModel
internal import ByteIO
internal import Playback
internal import Streaming
internal import TerminalUI
internal import Threads

/// Reads what rows of the list say of themselves (tags, duration), on a thread of its own, one file at a time: a slow
/// disk delays neither sound nor keys. It lives as long as the program.
final class FactsReader: Sendable {
  private final class Findings: Sendable {
    let list = Guarded<[(id: QueueEntry.ID, facts: TrackFacts)]>([])
  }

  private let wanted = Mailbox<QueueEntry>()
  private let findings = Findings()
  private let thread: WorkerThread

  /// - Parameter ring: Called on the reader's thread when there is something to take.
  init(ring: @escaping @Sendable () -> Void) {
    thread = WorkerThread(named: "tags") { [wanted, findings] in
      var waiting: [QueueEntry] = []
      while true {
        // Rows asked for later are the ones that are seen now: they go first.
        waiting = wanted.take(until: waiting.isEmpty ? nil : 0) + waiting
        let entry = waiting.removeFirst()
        let facts = Self.facts(of: entry.location)
        findings.list.withLock { $0.append((entry.id, facts)) }
        ring()
      }
    }
  }

  /// Asks for these.
  func request(_ entries: [QueueEntry]) { for entry in entries { wanted.post(entry) } }

  /// What has been found since the last call.
  func take() -> [(id: QueueEntry.ID, facts: TrackFacts)] {
    findings.list.withLock { list in
      defer { list.removeAll() }
      return list
    }
  }

  private static func facts(of location: MediaLocation) -> TrackFacts {
    // What lies on a network is asked for when it is played, not when its row is seen.
    switch location {
    case .url: return TrackFacts()
    case .file(let path) where path.isPipe || path == .standardInput: return TrackFacts()
    case .file, .track: break
    }
    do throws(TrackError) { return TrackFacts(try TrackReader.information(of: location)) } catch {
      return TrackFacts(failure: String(describing: error))
    }
  }
}
