internal import AudioModel
internal import ByteIO
internal import Commands
internal import Glibc
internal import Library
internal import Threads

/// The part of the desk for the library: one thread makes lists and searches, another one uses the databases, and a third
/// one measures loudness if it is told to. Any thread.
final class LibraryDesk: Sendable {
  private let lists: Worker<LibraryReader.Task, Desk.Reply>
  private let owner: LibraryWork.Owner
  private let loudness: Worker<Void, Desk.Reply>
  private let measuring = Guarded(LoudnessWork.Orders())
  /// The number of searches so far: a newer one ends the one before.
  private let searchCount = Guarded(0)
  private let stops = Guarded(0)
  private let playFailure = Guarded<String?>(nil)
  private let hasPlays = Guarded(false)
  private let isOpen = Guarded(false)

  /// The time without requests after which memory is given back: the next letter of a search comes sooner.
  private static let restTime = TimeSpan.seconds(2)

  /// - Parameters:
  ///   - folder: The folder of the library.
  ///   - disk: Finds the files that are wanted for the queue, and writes playlists.
  ///   - ring: Called on other threads when `take` has an answer.
  init(
    _ folder: BytePath, folders: UserFolders, collector: MediaCollector, disk: Worker<FileWork.Order, Desk.Reply>,
    patience: TimeSpan = LoudnessWork.patience, ring: @escaping @Sendable () -> Void
  ) {
    let (measuring, searchCount, stops, playFailure) = (measuring, searchCount, stops, playFailure)
    let loudness = Worker<Void, Desk.Reply>(named: "loudness", order: .onlyNewest, ring: ring) { worker in
      let work = LoudnessWork(folder: folder, orders: measuring) { worker.post((.session(request: nil), .said($0))) }
      return .init(pause: patience, idle: work.measure) { work.begin() }
    }
    let lists = Worker<LibraryReader.Task, Desk.Reply>(
      named: "library", order: .chosen(LibraryReader.wanted), ring: ring
    ) { worker in
      // The index of the last scan is there at once; the databases follow.
      var reader = LibraryReader(LibraryIndex(folder: folder).map { LibraryContents(view: LibraryView($0)) })
      func post(_ outcome: LibraryReader.Outcome?) {
        switch outcome {
        case .answer(let answer): worker.post((.session(request: nil), .library(answer)))
        case .said(let text): worker.post((.session(request: nil), .said(text)))
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
    owner = Worker(named: "catalogue", order: .chosen(LibraryWork.chosen), ring: ring) { worker in
      let answer: @Sendable (LibraryAnswer) -> Void = { worker.post((.session(request: nil), .library($0))) }
      let news = LibraryWork.News(
        contents: { contents in
          lists.request(.use(contents))
          answer(.playlists(contents.playlists.map(\.name)))
        },
        scanning: { state in
          Self.noteScan(isRunning: state != nil, measuring, loudness)
          answer(.scanning(state))
        },
        export: { disk.request(.export($0, $1)) })
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
    (self.loudness, self.lists) = (loudness, lists)
  }

  func perform(_ request: LibraryRequest, _ loaded: BytePath?, _ asker: Desk.Asker) {
    lists.start()
    let stopCount = stops.withLock { $0 }
    switch request {
    case .open:
      owner.request(.refresh)
      let isFirst = isOpen.withLock { isOpen in
        defer { isOpen = true }
        return !isOpen
      }
      if isFirst { owner.request(.follow(stops: stopCount)) }
    case .list(let list):
      if list.isSearch { searchCount.withLock { $0 += 1 } }
      lists.request(.list(list))
    case .collect(let lists, let destination): collect(lists, destination, asker)
    case .complete(let query): lists.request(.complete(query))
    case .add(let path): owner.request(.add(path, stops: stopCount))
    case .scan: owner.request(.scan(stops: stopCount))
    case .stop: stop()
    case .forget(let path): owner.request(.forget(path))
    case .rate(let change, let paths): owner.request(.rate(change, paths, asker))
    case .playlist(let change): owner.request(.playlist(change, loaded: loaded, asker))
    case .undo: owner.request(.undo(asker))
    }
  }

  /// Finds the playable tracks of lists.
  func collect(_ wanted: [LibraryList], _ destination: Command.Destination, _ asker: Desk.Asker) {
    lists.request(.collect(wanted, destination, asker))
  }

  /// The answers since the last call.
  func take() -> [Desk.Reply] { owner.take() + lists.take() + loudness.take() }

  /// Measuring pauses while a scan runs. Its end may bring new tracks.
  func noteScan(isRunning: Bool) { Self.noteScan(isRunning: isRunning, measuring, loudness) }

  private static func noteScan(
    isRunning: Bool, _ measuring: Guarded<LoudnessWork.Orders>, _ loudness: Worker<Void, Desk.Reply>
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
    owner.request(.record(record))
  }

  /// See `Desk.finishPlays`.
  func finishPlays(_ say: (String) -> Void) -> String? {
    guard hasPlays.withLock({ $0 }) else { return nil }
    stop()
    owner.request(.record(.retry))
    if !owner.settle(within: .seconds(2)) {
      say("waiting up to 10 s until the last play is saved")
      if !owner.settle(within: .seconds(8)) { return "the disk is slow: the last track may be lost" }
    }
    return playFailure.withLock { $0 }
  }

  /// Cancels scans that run or wait.
  private func stop() { stops.withLock { $0 += 1 } }

  /// Cancels a scan and a measurement, and waits until the databases are at rest, at most for this time.
  func settle(within limit: TimeSpan) {
    let end = MonotonicTime.now + limit
    measuring.withLock { $0.isOn = false }
    stop()
    loudness.settle(within: limit)
    owner.settle(within: end - .now)
  }
}
