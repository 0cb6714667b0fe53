internal import AudioModel
internal import ByteIO
internal import Playback
internal import Streaming
internal import Threads

/// Reads tags and durations of entries on a thread of its own, one file at a time: a slow disk delays neither sound nor
/// keys. It lives as long as the program. Requests are made on the main thread.
public final class FactsReader: Sendable {
  private final class Findings: Sendable {
    let list = Guarded<[(id: QueueEntry.ID, facts: TrackFacts)]>([])
  }

  private let wanted = Mailbox<QueueEntry>()
  private let findings = Findings()
  private let thread = Guarded<WorkerThread?>(nil)
  private let ring: @Sendable () -> Void

  /// - Parameters:
  ///   - startsAtOnce: If false, the first request starts the thread.
  ///   - ring: Called on the thread when there is something to take.
  public init(startsAtOnce: Bool = true, ring: @escaping @Sendable () -> Void) {
    self.ring = ring
    if startsAtOnce { start() }
  }

  private func start() {
    let new = WorkerThread(named: "tags") { [wanted, findings, ring] in
      var waiting: [QueueEntry] = []
      while true {
        // Rows that were requested later are visible now: they go first.
        waiting = wanted.take(until: waiting.isEmpty ? nil : .zero) + waiting
        let entry = waiting.removeFirst()
        let facts = Self.facts(of: entry.location).narrowed(to: entry.part)
        findings.list.withLock { $0.append((entry.id, facts)) }
        ring()
      }
    }
    thread.withLock { $0 = new }
  }

  /// Requests the facts of these entries.
  func request(_ entries: [QueueEntry]) {
    for entry in entries { wanted.post(entry) }
    if thread.withLock({ $0 == nil }) { start() }
  }

  /// The results since the last call.
  func take() -> [(id: QueueEntry.ID, facts: TrackFacts)] {
    findings.list.withLock { list in
      defer { list.removeAll() }
      return list
    }
  }

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
