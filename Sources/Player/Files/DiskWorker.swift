internal import AudioModel
internal import ByteIO
internal import Library
internal import Playback
internal import Threads

/// Performs requests that wait for the disk (folders, playlists, completion, saving), in order, on a thread of its own.
/// The first request starts the thread. Main thread.
final class DiskWorker {
  /// A request.
  enum Request: Sendable {
    case list(BytePath, withSheets: Bool)
    case complete(String, onlyFolders: Bool, in: BytePath?)
    case collect([BytePath], Command.Destination)
    /// The same with names as a person wrote them.
    case find(WrittenNames, Command.Destination, in: BytePath?)
    /// `from`: the file that the queue was loaded from.
    case save([QueueEntry], BytePath, over: PlaylistFile.Permission, from: BytePath?)
    case export(PlaylistExport)
    case keepSession(RunningSession, SessionRecord, PlayQueue?)
    /// Changes the saved streams in a folder, if there is a change, and lists them.
    case editStreams(StreamEdit?, BytePath)
    case recallHistory(BytePath)
    case remember(String, BytePath)
    /// Reads the lyrics beside a track.
    case readLyrics(BytePath, QueueEntry.ID)
    /// Changes the shift of lyrics, if there is a change, and reads it.
    case shiftLyrics(LyricsShift?, LyricsShiftFile, QueueEntry.ID)
    /// Posts when everything before is done.
    case barrier(Mailbox<Void>)
  }

  /// The result of a request.
  enum Outcome: Sendable {
    case found(FileAnswer)
    /// Media at these paths.
    case collected(MediaCollection, Command.Destination, [BytePath])
    /// No file or address has this name: it may be a query of the library.
    case unnamed(String, Command.Destination)
    /// The queue was written to this file.
    case saved(BytePath, count: Int)
    /// A playlist was written to this file.
    case exported(BytePath, count: Int)
    /// The listener has shifted the lyrics of an entry, to this number of seconds.
    case shifted(Double, QueueEntry.ID)
    /// A sentence for the listener.
    case said(String)
    /// The session was not saved, with the reason.
    case sessionFailed(String)
  }

  private final class Outcomes: Sendable {
    let list = Guarded<[(Outcome, request: Int?)]>([])
  }

  private let requests = Mailbox<(Request, number: Int?)>()
  private let outcomes = Outcomes()
  private let job: DiskJob
  private let ring: @Sendable () -> Void
  private var thread: WorkerThread?

  /// - Parameters:
  ///   - saver: Writes playlists if this process may not.
  ///   - ring: Called on the worker's thread when there is something to take.
  init(
    folders: UserFolders, saver: (any PlaylistSaver)?, collector: MediaCollector, ring: @escaping @Sendable () -> Void
  ) {
    job = DiskJob(folders: folders, saver: saver, collector: collector)
    self.ring = ring
  }

  /// - Parameter number: Returned with the outcome.
  func request(_ request: Request, number: Int? = nil) {
    requests.post((request, number))
    guard thread == nil else { return }
    thread = WorkerThread(named: "disk") { [requests, outcomes, ring, job] in
      while true {
        for (request, number) in requests.take(until: nil) {
          guard let outcome = job.perform(request) else { continue }
          outcomes.list.withLock { $0.append((outcome, number)) }
          ring()
        }
      }
    }
  }

  /// The results since the last call.
  func take() -> [(Outcome, request: Int?)] {
    outcomes.list.withLock { list in
      defer { list.removeAll() }
      return list
    }
  }

  /// Waits until all requests are done, at most for this time.
  func settle(within limit: TimeSpan) {
    guard thread != nil else { return }
    let done = Mailbox<Void>()
    requests.post((.barrier(done), nil))
    _ = done.take(until: .now + limit)
  }
}
