internal import AudioModel
internal import ByteIO
internal import Commands
internal import Database
internal import Glibc
public import Library
internal import Playback
internal import Threads

/// Owns the library's databases: updates the index, and adds, scans and removes folders. This runs on a thread of its
/// own, because it may wait for a disk or another program. Another thread rates tracks, changes playlists and undoes
/// changes, also during a scan.
final class LibraryKeeper {
  /// An order.
  enum Order: Sendable {
    case refresh
    /// `noted`: gets a message when the change can be undone, or has failed.
    case add(BytePath, noted: Mailbox<Void> = Mailbox())
    case scan
    /// Scans, and again after each change in the folders. Says something only if the library changed.
    case follow
    case forget(BytePath, noted: Mailbox<Void> = Mailbox())
    /// `request`: returned with the answer.
    case rate(RatingChange, [BytePath], request: Int?)
    /// `loaded`: the playlist file that the queue was loaded from.
    case playlist(PlaylistRequest, loaded: BytePath?, request: Int?)
    /// `after`: the message of the change of a folder that this order undoes, and waits for.
    case undo(request: Int?, after: Mailbox<Void>? = nil)
    /// Posts when everything before is done.
    case barrier(Mailbox<Void>)
  }

  /// News, on the keeper's threads.
  enum News: Sendable {
    case contents(LibraryContents)
    case scanning(LibraryScanState?)
    case said(String)
    case answered(CommandAnswer, request: Int?)
    /// A playlist file is to be written.
    case export(PlaylistExport, request: Int?)
  }

  private let catalogue: LibraryThread
  private let ratings: LibraryThread
  /// The last change, if it is one of a folder: it may wait for a scan, and `undo` for it.
  private var folderChange: Mailbox<Void>?

  /// - Parameters:
  ///   - folder: The folder of the library.
  ///   - extensions: Extensions of playable files.
  ///   - notify: Called with news, on the keeper's threads.
  init(folder: BytePath, folders: UserFolders, extensions: Set<String>, notify: @escaping @Sendable (News) -> Void) {
    let makeWork = { @Sendable perform in
      LibraryWork(folder: folder, folders: folders, extensions: extensions, notify: notify, perform: perform)
    }
    catalogue = LibraryThread(named: "catalogue", makeWork)
    ratings = LibraryThread(named: "ratings", makeWork)
  }

  /// Gives an order. Main thread.
  func perform(_ order: Order) {
    switch order {
    case .rate, .playlist:
      folderChange = nil
      ratings.perform(order)
    case .undo(let request, _):
      ratings.perform(.undo(request: request, after: folderChange))
      folderChange = nil
    case .add(_, let noted), .forget(_, let noted):
      folderChange = noted
      catalogue.perform(order)
    default: catalogue.perform(order)
    }
  }

  /// Cancels scans that run or wait.
  func stop() { catalogue.stop() }

  /// Cancels scans, and waits until the databases are at rest, at most for this time.
  func settle(within limit: TimeSpan) {
    let end = MonotonicTime.now + limit
    stop()
    for thread in [ratings, catalogue] { thread.settle(until: end) }
  }
}

/// A thread that obeys orders one after another, over its own connection to the databases. The first order starts it.
private final class LibraryThread {
  private let name: StaticString
  private let makeWork: @Sendable (@escaping @Sendable (LibraryKeeper.Order) -> Void) -> LibraryWork
  private let orders = Mailbox<(LibraryKeeper.Order, stops: Int)>()
  /// The number of cancellations: a scan ends when it grows.
  private let stops = Guarded(0)
  private var thread: WorkerThread?

  init(
    named name: StaticString,
    _ makeWork: @escaping @Sendable (@escaping @Sendable (LibraryKeeper.Order) -> Void) -> LibraryWork
  ) {
    (self.name, self.makeWork) = (name, makeWork)
  }

  func perform(_ order: LibraryKeeper.Order) {
    orders.post((order, stops.withLock { $0 }))
    guard thread == nil else { return }
    thread = WorkerThread(named: name) { [orders, stops, makeWork] in
      let work = makeWork { order in orders.post((order, stops.withLock { $0 })) }
      var isAtRest = true
      while true {
        let taken = orders.take(until: isAtRest ? nil : .now + LibraryWorker.restTime)
        for (order, count) in taken { work.perform(order) { stops.withLock { $0 } != count } }
        isAtRest = taken.isEmpty
        if isAtRest { work.rest() }
      }
    }
  }

  func stop() { stops.withLock { $0 += 1 } }

  /// Waits until all orders are obeyed.
  func settle(until end: MonotonicTime) {
    guard thread != nil else { return }
    let done = Mailbox<Void>()
    perform(.barrier(done))
    _ = done.take(until: end)
  }
}

/// The work of a `LibraryThread`, and the connection to the databases. On that thread.
private final class LibraryWork {
  let folder: BytePath
  let folders: UserFolders
  let extensions: Set<String>
  let notify: @Sendable (LibraryKeeper.News) -> Void
  /// Gives this thread an order, from any thread.
  private let order: @Sendable (LibraryKeeper.Order) -> Void
  private var library: MusicLibrary?
  private var watch: FolderWatch?
  private var isFollowing = false
  private var hasReportedWatch = false

  init(
    folder: BytePath, folders: UserFolders, extensions: Set<String>,
    notify: @escaping @Sendable (LibraryKeeper.News) -> Void, perform: @escaping @Sendable (LibraryKeeper.Order) -> Void
  ) {
    (self.folder, self.folders, self.extensions, self.notify) = (folder, folders, extensions, notify)
    order = perform
  }

  func perform(_ order: LibraryKeeper.Order, isCancelled: @escaping @Sendable () -> Bool) {
    do throws(DatabaseError) {
      switch order {
      case .refresh: try refresh()
      case .add(let path, let noted):
        defer { noted.post(()) }
        let path = folders.expanded(path).absolute
        guard try add(path) else { return }
        noted.post(())
        try scan([path], isCancelled)
      case .scan: try scan([], isCancelled)
      case .follow: try follow(isCancelled)
      case .forget(let path, let noted):
        defer { noted.post(()) }
        try forget(folders.expanded(path).absolute)
      case .rate(let change, let paths, let request): try rate(paths.map(\.absolute), change, request)
      case .playlist(let change, let loaded, let request): try perform(change, loaded, request)
      case .undo(let request, let change):
        _ = change?.take(until: nil)
        try undo(request)
      case .barrier(let done): done.post(())
      }
    } catch {
      if error.code == .damaged { library = nil }
      switch order {
      case .refresh: notify(.contents(LibraryContents(problem: error.description)))
      case .rate(_, _, let request), .playlist(_, _, let request), .undo(let request, _):
        notify(.answered(.refused(error.description), request: request))
      default: notify(.said(error.description))
      }
    }
  }

  /// Gives back the memory that the databases need for work only, and makes the backup of the day.
  func rest() {
    guard let library else { return }
    library.shrink()
    // One of both threads.
    guard isFollowing else { return }
    do throws(DatabaseError) { try ListenerBackups(folder).update(of: library, now: Int64(time(nil))) } catch {
      if error.code == .damaged { giveUp(error) }
    }
  }

  /// The next order opens the databases again, which repairs them.
  private func giveUp(_ error: DatabaseError) {
    library = nil
    notify(.said(error.description))
  }

  /// True if the library exists. Opening creates the databases, which only the first folder or playlist needs.
  private var exists: Bool {
    ["catalogue.map", "catalogue.db", "listener.db"].contains { name in
      folder.appending(BytePath(name)).withCString { access($0, F_OK) } == 0
    }
  }

  private func open() throws(DatabaseError) -> MusicLibrary {
    // A library that could not be written is opened again: it may be writable by now.
    if let library, library.refusal == nil { return library }
    let opened = try MusicLibrary(folder: folder)
    if let remark = opened.remark { notify(.said(remark)) }
    library = opened
    return opened
  }

  // MARK: Contents

  private func refresh() throws(DatabaseError) {
    guard exists else {
      let problem = Database.refusal(for: folder.appending(BytePath("catalogue.db")))
      return notify(
        .contents(LibraryContents(problem: problem?.description, offer: folders.ownMusic.map(folders.abbreviated))))
    }
    let library = try open()
    let isIndexed = try library.isIndexed()
    if !isIndexed { notify(.scanning(.indexing)) }
    defer { if !isIndexed { notify(.scanning(nil)) } }
    notify(.contents(try contents(of: library)))
  }

  private func contents(of library: MusicLibrary) throws(DatabaseError) -> LibraryContents {
    let view = try library.view()
    var contents = LibraryContents(view: view)
    guard view.index.trackCount == 0, let offer = folders.ownMusic else { return contents }
    let isAdded = try library.roots().contains { $0.state != .forgotten && $0.path == offer.absolute }
    if !isAdded { contents.offer = folders.abbreviated(offer) }
    return contents
  }

  // MARK: Folders

  /// False if the folder cannot be read.
  private func add(_ path: BytePath) throws(DatabaseError) -> Bool {
    do throws(ByteIOError) { _ = try namesInFolder(path) } catch {
      notify(.said("cannot add \(path): \(error.reason)"))
      return false
    }
    switch try open().addRoot(path) {
    case .added: break
    case .known: notify(.said("\(path) is in the library already"))
    case .within(let root): notify(.said("\(path) is in the library already, as a part of \(root)"))
    }
    return true
  }

  private func forget(_ path: BytePath) throws(DatabaseError) {
    guard exists, try open().forgetRoot(path) else {
      return notify(.said("\(path) was not added: :library forget takes an added folder"))
    }
    try refresh()
    notify(.said("\(path) is no longer in the library; 'segue library undo' brings it back"))
  }

  // MARK: Ratings and playlists

  private func rate(_ paths: [BytePath], _ change: RatingChange, _ request: Int?) throws(DatabaseError) {
    let rated = exists ? try open().changeRatings(of: paths, change.apply) : []
    guard let first = rated.first else {
      let name = paths.count == 1 ? "\(paths[0].lastComponent) is not" : "the tracks are not"
      let advice = "\(name) in the library: type :library add FOLDER for its folder"
      return notify(.answered(.refused(advice), request: request))
    }
    let name = paths.count == 1 ? first.title ?? paths[0].lastComponent.description : "\(rated.count) tracks"
    let missing = paths.count - rated.count
    let rest = missing == 0 ? "" : "; \(missing) not in the library"
    notify(.answered(.done("\(change.sentence(on: rated.map(\.new))): \(name)\(rest)"), request: request))
  }

  private func perform(_ change: PlaylistRequest, _ loaded: BytePath?, _ request: Int?) throws(DatabaseError) {
    let work = PlaylistWork(
      library: try open(), folders: folders, collector: MediaCollector(playableExtensions: extensions), loaded: loaded)
    switch try work.perform(change) {
    case .done(let text): notify(.answered(.done(text), request: request))
    case .refused(let reason): notify(.answered(.refused(reason), request: request))
    case .file(let export): notify(.export(export, request: request))
    }
  }

  private func undo(_ request: Int?) throws(DatabaseError) {
    guard exists, let text = try open().undo() else {
      return notify(.answered(.refused("there is nothing to undo in the library"), request: request))
    }
    notify(.answered(.done("undone: \(text)"), request: request))
  }

  // MARK: Scanning

  private func scan(
    _ paths: [BytePath], _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(DatabaseError) {
    guard exists, case let library = try open(), try library.roots().contains(where: { $0.state != .forgotten }) else {
      return notify(.said("no folder was added yet: type :library add FOLDER"))
    }
    let totals = try update(library, paths, isCancelled)
    notify(.said((totals.isCancelled ? "scan stopped: " : "scan: ") + totals.sentence))
    for root in try library.roots() where root.state == .away {
      notify(.said("\(root.path) is away: \(root.reason ?? "not there")"))
    }
  }

  private func follow(_ isCancelled: @escaping @Sendable () -> Bool) throws(DatabaseError) {
    isFollowing = true
    guard exists, case let library = try open(), try library.roots().contains(where: { $0.state != .forgotten }) else {
      return
    }
    do throws(DatabaseError) {
      let totals = try update(library, [], isCancelled)
      if totals.hasChanges { notify(.said("library updated: \(totals.sentence)")) }
    } catch {
      // Another program is scanning.
      guard error.code == .busy else { throw error }
    }
  }

  private func update(
    _ library: MusicLibrary, _ paths: [BytePath], _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(DatabaseError) -> ScanTotals {
    defer { notify(.scanning(nil)) }
    notify(.scanning(LibraryScanState(found: 0, toRead: 0, read: 0, rate: 0)))
    var reporter = ScanReporter()
    if isFollowing, watch == nil {
      // Each scan writes there, and so does each player: the next scan would follow, for ever.
      let own = [folder, folders.state].compactMap(\.self)
      watch = FolderWatch(ignoring: own) { [order] in order(.follow) }
    }
    let run = LibraryScan(
      library, extensions: extensions, foreign: .libavformat, isCancelled: isCancelled,
      // Before it is listed: a file that comes later is reported, however long the scan takes.
      willList: { [watch] folder in watch?.add(folder) },
      report: { [notify] progress in
        if let state = reporter.state(progress, at: .now) { notify(.scanning(state)) }
        // Shows the rows that were read so far. Only between transactions. An error occurs again at the end of the
        // scan.
        guard progress.isSaved, reporter.isIndexDue(at: .now) else { return }
        if let contents = try? self.contents(of: library) { notify(.contents(contents)) }
        reporter.hasIndexed(at: .now)
      })
    let totals = try run.run(paths)
    if totals.hasNewPaths { try ListeningLog.saveResumePoints(of: library) }
    notify(.contents(try contents(of: library)))
    if isFollowing, watch?.isComplete != true, !hasReportedWatch {
      hasReportedWatch = true
      notify(.said("not all folders of the library can be watched: :library scan finds what is new (max_user_watches)"))
    }
    return totals
  }
}

extension RatingChange {
  fileprivate func apply(to tracks: inout [TrackRating]) {
    let isLoved = if case .love(let isLoved) = self { isLoved } else { tracks.contains { !$0.isLoved } }
    for index in tracks.indices {
      switch self {
      case .set(let rating): tracks[index].rating = rating
      case .by(let change): tracks[index].rating = (tracks[index].rating ?? 0) + max(-10, min(10, change))
      case .love, .toggleLove: tracks[index].isLoved = isLoved
      }
    }
  }

  /// A sentence about the change, with its result.
  fileprivate func sentence(on results: [TrackRating]) -> String {
    let ratings = Set(results.map(\.rating))
    return switch self {
    case .set, .by:
      ratings.count > 1 ? "rated" : ratings.first.flatMap(\.self).map { "rated \($0)" } ?? "rating removed"
    case .love, .toggleLove: results.first?.isLoved == true ? "loved" : "unloved"
    }
  }
}

extension ForeignReader {
  /// Reads the formats that only libavformat knows.
  public static let libavformat = ForeignReader(name: TrackReader.foreignReader) { path in
    do throws(TrackError) { return .success(try TrackReader.information(of: .file(path))) } catch {
      return .failure(ForeignFailure(error.description))
    }
  }
}
