public import AudioModel
public import ByteIO
public import Commands
public import Library
internal import Playback
public import Streaming
internal import Synchronization
internal import Threads

/// Answers every question that is not playback, and performs every act that needs a disk, a database, a network or much
/// computing: for all faces and clients, each kind on a thread of its own, which the first of its kind starts. The only
/// owner of connections to the library. Main thread.
public final class Desk {
  private let disk: Worker<FileWork.Order, Reply>
  private let tags: Worker<(Asker, QueueEntry), Reply>
  private let covers: Worker<CoverWork.Order, Reply>
  private let waveforms: Worker<WaveformRequest, Reply>
  private let lyrics: Worker<(Asker, LyricsInquiry, WebAddress?), Reply>
  private let clients: Worker<(Asker, Inquiry), Reply>
  /// `nil` without a home folder.
  private let library: LibraryDesk?
  private var waveform: WaveformRequest?
  /// Those that the other kind of asker has not taken yet.
  private var replies: [Reply] = []

  private final class WaveformRequest: Sendable {
    let asker: Asker
    let entry: QueueEntry
    let isWanted = Atomic<Bool>(true)

    init(_ asker: Asker, _ entry: QueueEntry) { (self.asker, self.entry) = (asker, entry) }
  }

  /// - Parameters:
  ///   - saver: Writes playlists if this process may not.
  ///   - collector: Finds the files of folders.
  ///   - waveformFolder: Keeps waveforms.
  ///   - readsTagsAtOnce: Starts the thread that reads tags, which most players need.
  ///   - ring: Called on other threads when `take` has an answer.
  public init(
    folders: UserFolders, saver: (any PlaylistSaver)?, collector: MediaCollector, network: Network,
    waveformFolder: BytePath?, readsTagsAtOnce: Bool = false, ring: @escaping @Sendable () -> Void
  ) {
    let files = FileWork(folders: folders, saver: saver, collector: collector)
    let lyricsWork = OnlineLyrics(
      folder: folders.lyrics, network: network,
      servers: folders.data.map { ServerLyrics(KnownServers($0), network) })
    let serverCovers = ServerCovers(network, folders.data.map { KnownServers($0) })
    let disk = Worker<FileWork.Order, Reply>(named: "disk", ring: ring) { worker in
      .init { order in
        switch order {
        case .export(let export, let asker): worker.post((asker, files.write(export)))
        case .write(let write): if let answer = write() { worker.post((.session(request: nil), answer)) }
        case .answer(let inquiry, let asker):
          for answer in files.perform(inquiry) { worker.post((asker, answer)) }
        }
      }
    }
    self.disk = disk
    library = folders.data.map {
      LibraryDesk($0, folders: folders, collector: collector, network: network, disk: disk, ring: ring)
    }
    lyrics = Worker(named: "lyrics", order: .onlyNewest, ring: ring) { worker in
      .init { asker, track, service in
        if let answer = lyricsWork.lyrics(of: track, from: service) { worker.post((asker, answer)) }
      }
    }
    // Rows that were requested later are visible now: they go first.
    tags = Worker(named: "tags", order: .newestFirst, ring: ring) { worker in
      let library = folders.data.map { LibraryConnection($0) }
      return .init { asker, entry in
        worker.post((asker, .facts(.read(entry, in: library), entryID: entry.id)))
      }
    }
    // Sound and keys never wait for a picture.
    covers = Worker(named: "covers", order: .chosen(CoverWork.chosen), isInBackground: true, ring: ring) { worker in
      var work = CoverWork(servers: serverCovers)
      return .init { order in
        let (reply, rest) = work.perform(order)
        if let reply { worker.post(reply) }
        if let rest { worker.putBack(rest) }
      }
    }
    let waveforms = WaveformWork(cache: waveformFolder.map { WaveformCache(folder: $0) }, network: network)
    self.waveforms = Worker(named: "waveform", order: .onlyNewest, isInBackground: true, ring: ring) { worker in
      .init { request in
        let answer = waveforms.waveform(of: request.entry) { request.isWanted.load(ordering: .relaxed) }
        if let answer, request.isWanted.load(ordering: .relaxed) { worker.post((request.asker, answer)) }
      }
    }
    clients = Worker(named: "clients", ring: ring) { worker in
      var work = BrowsingWork(
        collector: collector, library: folders.data.map(BrowsedLibrary.init), servers: serverCovers)
      return .init { asker, inquiry in for answer in work.answers(to: inquiry) { worker.post((asker, answer)) } }
    }
    if readsTagsAtOnce { tags.start() }
  }

  deinit { waveform?.isWanted.store(false, ordering: .relaxed) }

  /// True if there can be a library.
  public var hasLibrary: Bool { library != nil }

  // MARK: Questions

  /// Asks. Never waits.
  public func ask(_ inquiry: Inquiry, from asker: Asker) {
    switch inquiry {
    case .facts(let entries):
      if asker.isClient { return clients.request((asker, inquiry)) }
      for entry in entries { tags.request((asker, entry)) }
    case .cover(let entry, let side): covers.request(.current(asker, entry, side: side))
    case .smallCovers(let paths, let side): covers.request(.small(asker, paths, side: side))
    case .waveform(let entry):
      waveform?.isWanted.store(false, ordering: .relaxed)
      let request = WaveformRequest(asker, entry)
      waveform = request
      waveforms.request(request)
    case .onlineLyrics(let track, let service): lyrics.request((asker, track, service))
    case .library(let request, let loaded):
      if asker.isClient, case .track = request { return clients.request((asker, inquiry)) }
      library?.perform(request, loaded, asker)
    case .measureLoudness(let isOn): library?.measureLoudness(isOn)
    case .librarySummary, .listing, .songs, .playlists, .playlist, .removePlaylist, .renamePlaylist, .writePlaylist,
      .coverPart, .coverFile:
      clients.request((asker, inquiry))
    case .folder, .completions, .setup, .keepToken, .history, .remember, .streams, .collect, .find, .save, .lyrics,
      .shiftLyrics:
      disk.request(.answer(inquiry, asker))
    }
  }

  /// The answers since the last call, those for the session or those for clients.
  public func take(forClients: Bool) -> [Reply] {
    replies += (library?.take() ?? []) + tags.take() + waveforms.take() + lyrics.take() + covers.take() + disk.take()
    replies += clients.take()
    defer { replies.removeAll { $0.asker.isClient == forClients } }
    return replies.filter { $0.asker.isClient == forClients }
  }

  // MARK: Acts that nobody waits for

  /// Writes something after what was asked of the disk so far. An answer is for the session.
  package func write(_ write: @escaping @Sendable () -> Answer?) { disk.request(.write(write)) }

  /// Waits until all is written, at most for this time.
  package func settleFiles(within limit: TimeSpan) { disk.settle(within: limit) }

  /// Records a play, a resume point, or the queue for a server.
  package func record(_ record: PlayRecord) { library?.record(record) }

  /// Waits until all plays are recorded, at most ten seconds. Returns the reason if that failed.
  ///
  /// - Parameter say: Takes a message for the listener if that takes more than two seconds.
  package func finishPlays(_ say: (String) -> Void) -> String? { library?.finishPlays(say) }

  /// Ends a scan and a measurement before the program ends, and waits for that; the next program continues.
  public func finish(within limit: TimeSpan = .seconds(2)) { library?.settle(within: limit) }
}
