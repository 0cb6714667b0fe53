internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Threads

/// Performs requests that wait for the disk (folders, playlists, completion, saving), in order. Main thread.
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

  private let worker: Worker<(Request, number: Int?), (Outcome, request: Int?)>

  /// - Parameters:
  ///   - saver: Writes playlists if this process may not.
  ///   - ring: Called on the worker's thread when there is something to take.
  init(
    folders: UserFolders, saver: (any PlaylistSaver)?, collector: MediaCollector, ring: @escaping @Sendable () -> Void
  ) {
    let job = DiskJob(folders: folders, saver: saver, collector: collector)
    worker = Worker(named: "disk", ring: ring) {
      { request, post in job.perform(request.0).map { post(($0, request.number)) } }
    }
  }

  /// - Parameter number: Returned with the outcome.
  func request(_ request: Request, number: Int? = nil) { worker.request((request, number)) }

  /// The results since the last call.
  func take() -> [(Outcome, request: Int?)] { worker.take() }

  /// Waits until all requests are done, at most for this time.
  func settle(within limit: TimeSpan) { worker.settle(within: limit) }
}
