internal import AudioModel
internal import ByteIO
internal import Commands
internal import Glibc
internal import Library
internal import Streaming
internal import Threads

/// The part of the desk for the library: one thread makes lists and searches, three write the databases (`LibraryWork`),
/// another one measures loudness if it is told to, one tells servers of music the ratings, and one asks them for similar
/// music. Any thread.
final class LibraryDesk: Sendable {
  private let lists: Worker<LibraryReader.Task, Reply>
  private let catalogue: LibraryWork.Owner
  private let ratings: LibraryWork.Owner
  /// Apart from the ratings, which wait for folders and playlist files that are read.
  private let plays: LibraryWork.Owner
  private let loudness: Worker<Void, Reply>
  /// True: at once.
  private let servers: Worker<Bool, Reply>
  /// True if a place or the queue was kept for a server.
  private let hasPlaces = Guarded(false)
  private let pins: Worker<Void, Reply>
  private let isPinning = Guarded(true)
  private let similar: Worker<(PlaylistRequest.Source, Command.Destination, Asker), Reply>
  private let measuring = Guarded(LoudnessWork.Orders())
  /// The number of searches so far: a newer one ends the one before.
  private let searchCount = Guarded(0)
  private let stops = Guarded(0)
  private let playFailure = Guarded<String?>(nil)
  private let hasPlays = Guarded(false)
  private let isOpen = Guarded(false)
  private let isRead = Guarded(false)
  private let folder: BytePath
  /// The last change, if it is one of a folder: it may wait for a scan, and `undo` for it.
  private let folderChange = Guarded<Mailbox<Void>?>(nil)

  /// The time without requests after which memory is given back: the next letter of a search comes sooner.
  private static let restTime = TimeSpan.seconds(2)
  /// The time after which a rating is sent: it is often changed again at once.
  private static let ratingPause = TimeSpan.seconds(1)

  /// - Parameters:
  ///   - folder: The folder of the library.
  ///   - network: Reaches servers of music, and fetches pinned tracks.
  ///   - disk: Finds the files that are wanted for the queue, and writes playlists.
  ///   - ring: Called on other threads when `take` has an answer.
  init(
    _ folder: BytePath, folders: UserFolders, collector: MediaCollector, network: Network,
    disk: Worker<FileWork.Order, Reply>,
    patience: TimeSpan = LoudnessWork.patience, ring: @escaping @Sendable () -> Void
  ) {
    self.folder = folder
    let (measuring, searchCount, stops, playFailure) = (measuring, searchCount, stops, playFailure)
    let loudness = Worker<Void, Reply>(named: "loudness", order: .onlyNewest, ring: ring) { worker in
      let work = LoudnessWork(folder: folder, orders: measuring) { worker.say($0) }
      return .init(pause: patience, idle: work.measure) { work.begin() }
    }
    let refresh = Guarded<(@Sendable () -> Void)?>(nil)
    let hasPlaces = hasPlaces
    let servers = Worker<Bool, Reply>(named: "servers", order: .onlyNewest, ring: ring) { worker in
      let sender = RatingSender(folder, network, changed: { refresh.withLock { $0 }?() }) { worker.say($0) }
      return .init(pause: Self.ratingPause, idle: sender.send) { isUrgent in if isUrgent { _ = sender.send() } }
    }
    let tellServers: @Sendable () -> Void = { if ServerAccounts.exist(in: folder) { servers.request(false) } }
    let lists = Worker<LibraryReader.Task, Reply>(
      named: "lists", order: .chosen(LibraryReader.wanted), ring: ring
    ) { worker in
      // The index of the last scan is there at once; the databases follow.
      var reader = LibraryReader(
        LibraryIndex(folder: folder).map { LibraryContents(view: LibraryView($0), isWhole: false) })
      func post(_ outcome: LibraryReader.Outcome?) {
        switch outcome {
        case .answer(let answer): worker.tell(answer)
        case .said(let text):
          worker.say(text)
          worker.tell(.changed)
        case .refused(let reason, let asker): worker.post((asker, .acted(.refused(reason))))
        case .collected(let paths, let destination, let asker):
          disk.request(.answer(.collect(paths, destination), asker))
        case nil: break
        }
      }
      return .init(
        pause: Self.restTime,
        idle: {
          reader.rest()
          return nil
        }
      ) { task in
        let (now, count) = (Int64(time(nil)), searchCount.withLock { $0 })
        post(reader.begin(task, now: now))
        let isWanted: @Sendable () -> Bool = { task.isSearch ? searchCount.withLock { $0 } == count : true }
        let outcome = reader.perform(task, now: now, isWanted: isWanted)
        // The newer search may be one of another view.
        if isWanted() { post(outcome) } else { worker.putBack(task) }
      }
    }
    let isPinning = isPinning
    let pins = Worker<Void, Reply>(named: "pins", order: .onlyNewest, isInBackground: true, ring: ring) { worker in
      let work = PinWork(
        folder: folder, network: network, isWanted: isPinning,
        say: { worker.say($0) }, show: { worker.tell(.pinning($0)) })
      return .init { work.run() }
    }
    similar = Worker(named: "similar", ring: ring) { worker in
      let music = SimilarMusic(folder, network, collector)
      return .init { source, destination, asker in
        let answer = music.answer(source, destination) { worker.say($0) }
        worker.post((asker, answer))
      }
    }
    let answer: @Sendable (LibraryAnswer) -> Void = { lists.tell($0) }
    var news = LibraryWork.News(
      contents: { contents in
        lists.request(.use(contents))
        answer(.playlists(contents.playlists.map(\.name)))
      },
      scanning: { state in
        Self.noteScan(isRunning: state != nil, measuring, loudness)
        if state == nil { tellServers() }
        answer(.scanning(state))
      },
      pinned: { pins.request(()) }, export: { disk.request(.export($0, $1)) })
    func makeOwner(_ name: StaticString, _ news: LibraryWork.News) -> LibraryWork.Owner {
      Worker(named: name, order: .chosen(LibraryWork.chosen), ring: ring) { worker in
        let work = LibraryWork(
          worker, folder: folder, folders: folders, extensions: collector.playableExtensions, stops: stops,
          failure: playFailure, news: news)
        return .init(
          pause: Self.restTime,
          idle: {
            work.rest()
            return nil
          }, perform: work.perform)
      }
    }
    let catalogue = makeOwner("catalogue", news)
    refresh.withLock { $0 = { [weak catalogue] in catalogue?.request(.refresh) } }
    news.changed = {
      catalogue.request(.refresh)
      tellServers()
    }
    news.placed = {
      guard ServerAccounts.exist(in: folder) else { return }
      hasPlaces.withLock { $0 = true }
      servers.request(false)
    }
    ratings = makeOwner("ratings", news)
    plays = makeOwner("plays", news)
    self.catalogue = catalogue
    (self.loudness, self.servers, self.lists, self.pins) = (loudness, servers, lists, pins)
  }

  func perform(_ request: LibraryRequest, _ loaded: BytePath?, _ asker: Asker) {
    lists.start()
    let stopCount = stops.withLock { $0 }
    switch request {
    case .open:
      catalogue.request(.refresh)
      if Self.isFirst(isOpen) { catalogue.request(.follow(stops: stopCount)) }
    case .list(let list):
      if list.isSearch { searchCount.withLock { $0 += 1 } }
      lists.request(.list(list))
    case .track(let path):
      read()
      lists.request(.track(path))
    case .folder(let path): lists.request(.folder(path))
    case .collect(let lists, let destination): collect(lists, destination, asker)
    case .similar(let source, let destination): similar.request((source, destination, asker))
    case .complete(let query): lists.request(.complete(query))
    case .add(let path): catalogue.request(.add(path, stops: stopCount, noted: noteFolderChange()))
    case .addServer(let address, let user, let secret, let accepted):
      catalogue.request(
        .addServer(address, user: user, secret, accepted: accepted, stops: stopCount, noted: noteFolderChange()))
    case .scan: catalogue.request(.scan(stops: stopCount))
    case .stop: stop()
    case .forget(let path): catalogue.request(.forget(path, noted: noteFolderChange()))
    case .rate(let change, let paths):
      _ = takeFolderChange()
      ratings.request(.rate(change, paths, asker))
    case .rateLists(let change, let lists):
      _ = takeFolderChange()
      ratings.request(.rateLists(change, lists, asker))
    case .playlist(let change):
      _ = takeFolderChange()
      ratings.request(.playlist(change, loaded: loaded, asker))
    case .sticker(let owner, let name, let change): ratings.request(.sticker(owner, name: name, change, asker))
    case .importFacts(let file): ratings.request(.importFacts(file, asker))
    case .undo: ratings.request(.undo(asker, after: takeFolderChange()))
    }
  }

  /// Reads the databases of a library that exists, once: the index has ratings and plays up to the last scan only.
  private func read() {
    guard Self.isFirst(isRead), LibraryConnection.exists(in: folder) else { return }
    catalogue.request(.refresh)
    // Servers get the changes that could not be sent before the last end.
    if ServerAccounts.exist(in: folder) { servers.request(false) }
  }

  /// True for the first call with a flag, which it sets.
  private static func isFirst(_ flag: Guarded<Bool>) -> Bool {
    flag.withLock { flag in
      defer { flag = true }
      return !flag
    }
  }

  private func noteFolderChange() -> Mailbox<Void> {
    let noted = Mailbox<Void>()
    folderChange.withLock { $0 = noted }
    return noted
  }

  private func takeFolderChange() -> Mailbox<Void>? { folderChange.withLock { $0.take() } }

  /// Finds the playable tracks of lists.
  func collect(_ wanted: [LibraryList], _ destination: Command.Destination, _ asker: Asker) {
    lists.request(.collect(wanted, destination, asker))
  }

  /// The answers since the last call.
  func take() -> [Reply] {
    catalogue.take() + ratings.take() + lists.take() + loudness.take() + servers.take() + pins.take()
      + similar.take()
  }

  /// Measuring pauses while a scan runs. Its end may bring new tracks.
  func noteScan(isRunning: Bool) { Self.noteScan(isRunning: isRunning, measuring, loudness) }

  private static func noteScan(
    isRunning: Bool, _ measuring: Guarded<LoudnessWork.Orders>, _ loudness: Worker<Void, Reply>
  ) {
    measuring.withLock { $0.isScanning = isRunning }
    if !isRunning, loudness.isStarted { loudness.request(()) }
  }

  /// Starts or stops to measure the loudness of tracks. A track that was begun is measured again later.
  func measureLoudness(_ isOn: Bool) {
    measuring.withLock { $0.isOn = isOn }
    if isOn || loudness.isStarted { loudness.request(()) }
  }

  func record(_ record: PlayRecord) {
    hasPlays.withLock { $0 = true }
    plays.request(.record(record))
  }

  /// See `Desk.finishPlays`.
  func finishPlays(_ say: (String) -> Void) -> String? {
    defer { sendPlaces() }
    guard hasPlays.withLock({ $0 }) else { return nil }
    plays.request(.record(.retry))
    if !plays.settle(within: .seconds(2)) {
      say("waiting up to 10 s until the last play is saved")
      if !plays.settle(within: .seconds(8)) { return "the disk is slow: the last track may be lost" }
    }
    return playFailure.withLock { $0 }
  }

  /// To go on elsewhere, places have to be there when the program ends. They wait for the next start otherwise.
  private func sendPlaces() {
    guard hasPlaces.withLock({ $0 }) else { return }
    servers.request(true)
    servers.settle(within: .seconds(2))
  }

  /// Cancels scans that run or wait.
  private func stop() { stops.withLock { $0 += 1 } }

  /// Cancels a scan and a measurement, and waits until the databases are at rest, at most for this time.
  func settle(within limit: TimeSpan) {
    let end = MonotonicTime.now + limit
    measuring.withLock { $0.isOn = false }
    isPinning.withLock { $0 = false }
    stop()
    for worker in [ratings, catalogue] { worker.settle(within: end - .now) }
    for worker in [loudness, pins] { worker.settle(within: end - .now) }
  }
}
