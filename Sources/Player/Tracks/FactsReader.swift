internal import AudioModel
internal import ByteIO
internal import Commands
internal import Playback
internal import Streaming
internal import Threads

/// Reads tags and durations of entries, one file at a time. Any thread.
public final class FactsReader: Sendable {
  typealias Finding = (id: QueueEntry.ID, facts: TrackFacts)

  private let worker: Worker<QueueEntry, Finding>

  /// - Parameters:
  ///   - startsAtOnce: If false, the first request starts the thread.
  ///   - ring: Called on the thread when there is something to take.
  public init(startsAtOnce: Bool = true, ring: @escaping @Sendable () -> Void) {
    // Rows that were requested later are visible now: they go first.
    worker = Worker(named: "tags", order: .newestFirst, ring: ring) {
      { entry, post in post((entry.id, Self.facts(of: entry.location).narrowed(to: entry.part))) }
    }
    if startsAtOnce { worker.start() }
  }

  /// Requests the facts of these entries.
  func request(_ entries: [QueueEntry]) { for entry in entries { worker.request(entry) } }

  /// The results since the last call.
  func take() -> [Finding] { worker.take() }

  private static func facts(of location: MediaLocation) -> TrackFacts {
    // An address is read when it plays, not when its row is visible.
    switch location {
    case .url: return TrackFacts()
    case .file(let path) where path.isPipe || path == .standardInput: return TrackFacts()
    case .file, .track: break
    }
    do throws(TrackError) { return TrackFacts(try TrackReader.information(of: location)) } catch {
      var information = MediaInformation()
      information.tags = TrackReader.tags(ofUnplayable: location)
      var facts = TrackFacts(information)
      facts.failure = String(describing: error)
      return facts
    }
  }
}
