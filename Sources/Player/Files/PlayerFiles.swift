internal import AudioModel
public import ByteIO
internal import Commands
public import Library
internal import Playback
public import Streaming

/// Performs requests about files for `PlayerSession`: folders, playlists, streams, tags, waveforms, the saved session.
/// Main thread; the work is done on others.
public final class PlayerFiles {
  /// A result for the session.
  enum Outcome {
    case found(FileAnswer, sentence: String? = nil)
    /// Media to add to the queue.
    case collected(MediaCollection, Command.Destination)
    /// A sentence for the listener.
    case said(String)
    /// The reason why a request had no effect.
    case refused(String)
  }

  /// Records heard tracks and resume points; `nil` without a home folder.
  public let listening: ListeningLog?
  /// The saved queue that the session began with; `nil` until the session is to be saved.
  var continued: SessionFiles.QueueVersion?
  private let folders: UserFolders
  private let keepsSession: Bool
  private let worker: DiskWorker
  private let facts: FactsReader
  private let waveforms: WaveformReader
  private let covers: CoverReader
  private let onlineLyrics: OnlineLyrics
  /// `nil` without a home folder.
  private let library: LibraryWorker?
  var hasLibrary: Bool { library != nil }
  /// The file that the queue was loaded from, or saved to.
  private var playlist: BytePath?
  private weak var keeper: SessionKeeper?
  private var hasReportedSession = false

  /// - Parameters:
  ///   - playlist: The file that the queue was loaded from.
  ///   - saver: Writes playlists if this process may not.
  ///   - waveformFolder: Keeps waveforms.
  ///   - keepsSession: False if the session is never saved.
  ///   - ring: Called on other threads when `take` has a result.
  public init(
    folders: UserFolders, playlist: BytePath?, saver: (any PlaylistSaver)?, collector: MediaCollector,
    facts: FactsReader,
    network: Network, waveformFolder: BytePath?, keepsSession: Bool = true, ring: @escaping @Sendable () -> Void
  ) {
    (self.folders, self.playlist, self.facts, self.keepsSession) = (folders, playlist, facts, keepsSession)
    listening = folders.data.map { ListeningLog(folder: $0) }
    worker = DiskWorker(folders: folders, saver: saver, collector: collector, ring: ring)
    library = folders.data.map {
      LibraryWorker(folder: $0, folders: folders, extensions: collector.playableExtensions, ring: ring)
    }
    waveforms = WaveformReader(
      cache: waveformFolder.map { WaveformCache(folder: $0) }, network: network, ring: ring)
    covers = CoverReader(ring: ring)
    onlineLyrics = OnlineLyrics(
      folder: folders.lyrics, network: network, ring: ring)
  }

  /// Starts a request.
  ///
  /// - Parameter number: Returned with the outcome of a request that changes or saves the queue, or rates a track.
  func perform(_ command: Command, queue: PlayQueue, number: Int? = nil) {
    switch command {
    case .requestFacts(let ids): facts.request(queue.entries.with(ids))
    case .requestWaveform(let id): queue.entries.with([id]).first.map(waveforms.request)
    case .requestCover(let id): queue.entries.with([id]).first.map(covers.request)
    case .listFolder(let path, let withSheets): worker.request(.list(path, withSheets: withSheets))
    case .complete(let beginning, let onlyFolders, let folder):
      worker.request(.complete(beginning, onlyFolders: onlyFolders, in: folder))
    case .collect(let paths, let destination): worker.request(.collect(paths, destination), number: number)
    case .find(let names, let destination, let folder):
      worker.request(.find(names, destination, in: folder), number: number)
    case .save(let name, let replacesOther, let folder):
      let path = folders.expanded(name)
      let permission = replacesOther ? PlaylistFile.Permission.anyPlaylist : .only(playlist)
      let file = folder.map { $0.appending(path) } ?? path
      worker.request(.save(queue.entries, file, over: permission, from: playlist), number: number)
    case .editStreams(let edit): folders.state.map { worker.request(.editStreams(edit, $0)) }
    case .library(let request): library?.request(request, number: number, loaded: playlist)
    case .recallHistory: history.map { worker.request(.recallHistory($0)) }
    case .remember(let line): history.map { worker.request(.remember(line, $0)) }
    default: break
    }
  }

  /// Looks elsewhere for lyrics of the current track that neither its tags nor files have, if the listener wants that.
  func complete(_ finding: FileAnswer, _ snapshot: PlaybackSnapshot, _ settings: Settings) {
    guard case .lyrics(let files, let id) = finding, files == LyricsFiles(), snapshot.entry?.id == id,
      let server = settings.lyricsServer
    else { return }
    let tags = snapshot.information.tags
    if (tags.syncedLyrics ?? "").isEmpty, (tags.lyrics ?? "").isEmpty { onlineLyrics.request(snapshot, from: server) }
  }

  /// Reads the lyrics beside the file of the current track, and their shift. Nothing is beside other tracks.
  func requestLyrics(of id: QueueEntry.ID, _ snapshot: PlaybackSnapshot, queue: PlayQueue, _ settings: Settings) {
    if case .file(let path) = queue.entries.with([id]).first?.location, path != .standardInput {
      worker.request(.readLyrics(path, id))
    } else {
      complete(.lyrics(LyricsFiles(), entryID: id), snapshot, settings)
    }
    _ = shiftLyrics(nil, snapshot)
  }

  /// Shifts the lyrics of the current track, or only reads their shift. Returns the reason if that is not possible.
  func shiftLyrics(_ change: LyricsShift?, _ snapshot: PlaybackSnapshot, number: Int? = nil) -> String? {
    guard let entry = snapshot.entry else { return "no track is loaded" }
    guard let folder = folders.lyrics else { return "without a home folder no shift can be kept" }
    let file = LyricsShiftFile(of: entry, snapshot.information.tags, in: folder)
    worker.request(.shiftLyrics(change, file, entry.id), number: number)
    return nil
  }

  private var history: BytePath? { folders.state?.appending(BytePath("history")) }

  /// Forgets the file of the queue, because the queue was replaced.
  func forgetPlaylist() { playlist = nil }

  /// Follows an edit of the queue.
  func follow(_ edit: QueueEdit, queue: PlayQueue) {
    switch edit {
    case .clear: forgetPlaylist()
    case .choose(_, let id): facts.request(queue.entries.with([id]))
    default: break
    }
  }

  /// The results since the last call.
  func take() -> [(Outcome, request: Int?)] {
    let found = library?.take() ?? []
    for case .collected(let paths, let destination, let number) in found {
      worker.request(.collect(paths, destination), number: number)
    }
    for case .export(let export, let number) in found { worker.request(.export(export), number: number) }
    return found.compactMap(outcome)
      + facts.take().map { (.found(.facts($0.facts, entryID: $0.id)), nil) }
      + (waveforms.take().map { [(.found(.waveform($0.waveform, entryID: $0.id)), nil)] } ?? [])
      + onlineLyrics.take().map { finding in
        var lyrics = LyricsFiles()
        lyrics.online = finding.text
        return (.found(.lyrics(lyrics, entryID: finding.id)), nil)
      }
      + covers.take().map { (.found(.cover($0.cover, colors: $0.colors, entryID: $0.id)), nil) }
      + worker.take().compactMap { result, number in outcome(of: result, number).map { ($0, number) } }
  }

  private func outcome(of result: DiskWorker.Outcome, _ number: Int?) -> Outcome? {
    switch result {
    case .unnamed(let text, let destination):
      guard let library else { return .refused("no such file or address: \(text.prefix(200))") }
      library.request(.collect([.search(text)], destination), number: number)
      return nil
    case .found(let finding): return .found(finding)
    case .said(let text): return .refused(text)
    case .saved(let path, let count):
      playlist = path
      return .said(Self.written(count, path))
    case .exported(let path, let count): return .said(Self.written(count, path))
    case .collected(let collection, let destination, let paths):
      if destination == .whole, !collection.entries.isEmpty { playlist = paths.count == 1 ? paths.first : nil }
      return .collected(collection, destination)
    case .shifted(let seconds, let id):
      return .found(.lyricsShift(seconds, entryID: id), sentence: "lyrics " + LyricsShift.sentence(on: seconds))
    case .sessionFailed(let reason):
      keeper?.noteFailure()
      // Saving is tried again every five seconds: one message is enough.
      defer { hasReportedSession = true }
      return hasReportedSession ? nil : .said("the session cannot be saved: \(reason)")
    }
  }

  private static func written(_ count: Int, _ path: BytePath) -> String {
    "\(count) \(count == 1 ? "track" : "tracks") written to \(path)"
  }

  private func outcome(of result: LibraryWorker.Outcome) -> (Outcome, request: Int?)? {
    switch result {
    case .answer(let answer): (.found(.library(answer)), nil)
    case .said(let text): (.said(text), nil)
    case .answered(.done(let text), let request), .answered(.added(_, let text), let request):
      (.said(text ?? ""), request)
    case .answered(.refused(let reason), let request): (.refused(reason), request)
    case .collected, .export: nil
    }
  }

  /// Starts or stops to measure the loudness of the library's tracks.
  func measureLoudness(_ isOn: Bool) { library?.measureLoudness(isOn) }

  /// Cancels a scan and the measurement of a track before the program ends; waits at most two seconds. The next program
  /// continues.
  public func endScan() { library?.settle(within: .seconds(2)) }

  /// Saves the running session; `nil` without a home folder, and before it is to be saved.
  func makeKeeper() -> SessionKeeper? {
    guard keepsSession, let continued, let folder = folders.state else { return nil }
    let new = SessionKeeper(files: SessionFiles(folder: folder), worker: worker, continued: continued)
    keeper = new
    return new
  }
}

extension [QueueEntry] {
  /// The entries with these ids.
  fileprivate func with(_ ids: [QueueEntry.ID]) -> [QueueEntry] {
    var wanted = Set(ids)
    // The entries are often at the beginning of a long list.
    return lazy.prefix { _ in !wanted.isEmpty }.filter { wanted.remove($0.id) != nil }
  }
}
