internal import AudioModel
internal import ByteIO
internal import Commands
internal import Database
internal import Glibc
internal import Library
internal import Streaming
internal import Threads

/// Writes the library's databases. Three threads have one each, because none may wait for another: one adds, scans and
/// removes folders, one changes ratings and playlists and undoes changes, one records plays.
final class LibraryWork {
  enum Order: Sendable {
    case refresh
    /// `noted`: gets a message when the change can be undone, or has failed.
    case add(BytePath, stops: Int, noted: Mailbox<Void> = Mailbox())
    /// `accepted`: the fingerprint of a certificate.
    case addServer(WebAddress, user: String?, TypedSecret, accepted: String?, stops: Int, noted: Mailbox<Void>)
    case scan(stops: Int)
    /// Scans, and again after each change in the folders. Says something only if the library changed.
    case follow(stops: Int)
    case forget(BytePath, noted: Mailbox<Void> = Mailbox())
    case rate(RatingChange, [BytePath], Asker)
    case rateLists(RatingChange, [LibraryList], Asker)
    /// `loaded`: the playlist file that the queue was loaded from.
    case playlist(PlaylistRequest, loaded: BytePath?, Asker)
    case sticker(StickerOwner, name: String?, StickerStore.Change, Asker)
    case importFacts(BytePath, Asker)
    /// `after`: the message of the change of a folder that this order undoes, and waits for.
    case undo(Asker, after: Mailbox<Void>?)
    case record(PlayRecord)
  }

  /// News for the other parts of the desk.
  struct News: Sendable {
    var contents: @Sendable (LibraryContents) -> Void
    var scanning: @Sendable (LibraryScanState?) -> Void
    /// The index is to be updated after a change.
    var changed: @Sendable () -> Void = {}
    /// A place in a long track was recorded.
    var placed: @Sendable () -> Void = {}
    /// Pinned tracks are to be fetched, or deleted.
    var pinned: @Sendable () -> Void = {}
    /// A playlist file is to be written.
    var export: @Sendable (PlaylistExport, Asker) -> Void
  }

  typealias Owner = Worker<Order, Reply>

  private unowned let worker: Owner
  private let news: News
  /// The number of cancellations: a scan ends when it grows.
  private let stops: Guarded<Int>
  private let connection: LibraryConnection
  private let folders: UserFolders
  private let extensions: Set<String>
  private var watch: FolderWatch?
  private var isFollowing = false
  private var hasReportedWatch = false
  private var plays: PlayWriter

  /// - Parameters:
  ///   - folder: The folder of the library.
  ///   - extensions: Extensions of playable files.
  ///   - failure: Keeps the reason why a play could not be recorded.
  init(
    _ worker: Owner, folder: BytePath, folders: UserFolders, extensions: Set<String>, stops: Guarded<Int>,
    failure: Guarded<String?>, news: News
  ) {
    (self.worker, self.folders, self.extensions, self.stops, self.news) = (worker, folders, extensions, stops, news)
    connection = LibraryConnection(folder) { [unowned worker] in worker.say($0) }
    plays = PlayWriter(connection, failure: failure)
  }

  func perform(_ order: Order) {
    do throws(DatabaseError) {
      switch order {
      case .refresh: try refresh()
      case .add(let path, let stops, let noted):
        defer { noted.post(()) }
        guard !WebAddress(path.description).isHTTP else {
          let line = "library add \(path)"
          return say("a server needs a password: type ':\(line)' on the screen, or 'segue \(line)' in a shell")
        }
        let path = try named(path)
        guard try add(path) else { return }
        noted.post(())
        try scan([path], stops)
      case .addServer(let address, let user, let secret, let accepted, let stops, let noted):
        defer { noted.post(()) }
        guard let root = try addServer(address, user, secret, accepted, stops) else { return }
        noted.post(())
        try scan([root], stops)
      case .scan(let stops): try scan([], stops)
      case .follow(let stops): try follow(stops)
      case .forget(let path, let noted):
        defer { noted.post(()) }
        try forget(try named(path))
      case .rate(let change, let paths, let asker): answer(try rate(paths, change), asker)
      case .rateLists(let change, let lists, let asker):
        answer(try rate(try paths(of: lists), change, named: lists.count == 1 ? lists[0].title : nil), asker)
      case .playlist(let change, let loaded, let asker): try perform(change, loaded, asker)
      case .sticker(let owner, let name, let change, let asker):
        answer(try self.change(owner, name, change), asker)
      case .importFacts(let file, let asker): answer(try importFacts(folders.expanded(file).absolute), asker)
      case .undo(let asker, let change):
        _ = change?.take(until: nil)
        answer(try undo(), asker)
      case .record(let record):
        plays.record(record)
        switch record {
        case .resume, .queue: news.placed()
        case .heard, .retry: break
        }
      }
    } catch {
      if error.code == .damaged { connection.close() }
      switch order {
      case .refresh: news.contents(LibraryContents(problem: error.description))
      case .rate(_, _, let asker), .rateLists(_, _, let asker), .playlist(_, _, let asker),
        .sticker(_, _, _, let asker), .importFacts(_, let asker), .undo(let asker, _):
        answer(.refused(error.description), asker)
      default: say(error.description)
      }
    }
  }

  private func say(_ text: String) { worker.say(text) }

  /// Answers an order. The lists follow a change.
  private func answer(_ answer: CommandAnswer, _ asker: Asker) {
    worker.post((asker, .acted(answer)))
    if case .done = answer { news.changed() }
  }

  /// Of several orders to update the index, one is enough.
  static func chosen(_ orders: [Order]) -> [Order] {
    let last = orders.lastIndex { if case .refresh = $0 { true } else { false } }
    return orders.enumerated().filter { if case .refresh = $0.element { $0.offset == last } else { true } }.map(
      \.element)
  }

  /// Gives back the memory that the databases need for work only, and makes the backup of the day.
  func rest() {
    connection.rest()
    guard isFollowing, let damage = connection.backUp() else { return }
    connection.close()
    say(damage.description)
  }

  private var exists: Bool { connection.exists }

  private func open() throws(DatabaseError) -> MusicLibrary { try connection.open(again: true) }

  // MARK: Contents

  private func refresh() throws(DatabaseError) {
    guard exists else {
      let problem = Database.refusal(for: connection.folder.appending(BytePath("catalogue.db")))
      return news.contents(
        LibraryContents(problem: problem?.description, offer: folders.ownMusic.map(folders.abbreviated)))
    }
    let library = try open()
    let isIndexed = try library.isIndexed()
    if !isIndexed { news.scanning(.indexing) }
    defer { if !isIndexed { news.scanning(nil) } }
    news.contents(try contents(of: library))
  }

  private func contents(of library: MusicLibrary) throws(DatabaseError) -> LibraryContents {
    let view = try library.view()
    let roots = try library.roots()
    var contents = LibraryContents(view: view, roots: roots)
    guard view.index.trackCount == 0, let offer = folders.ownMusic else { return contents }
    let name = roots.named(offer.absolute)
    let isAdded = roots.contains { $0.state != .forgotten && $0.path == name }
    if !isAdded { contents.offer = folders.abbreviated(offer) }
    return contents
  }

  // MARK: Folders

  /// The absolute path of a folder as a person wrote it, by the name that it has in the library.
  private func named(_ path: BytePath) throws(DatabaseError) -> BytePath {
    let path = folders.expanded(path).absolute
    return exists ? try open().named(path) : path
  }

  /// False if the folder cannot be read.
  private func add(_ path: BytePath) throws(DatabaseError) -> Bool {
    do throws(ByteIOError) { _ = try namesInFolder(path) } catch {
      say("cannot add \(path): \(error.reason)")
      return false
    }
    switch try open().addRoot(path) {
    case .added: break
    case .known: say("\(path) is in the library already")
    case .within(let root): say("\(path) is in the library already, as a part of \(root)")
    }
    return true
  }

  /// The root of a server; `nil` if it does not let the listener in, and if the listener is asked for its certificate.
  private func addServer(
    _ address: WebAddress, _ user: String?, _ secret: TypedSecret, _ accepted: String?, _ stopCount: Int
  ) throws(DatabaseError) -> BytePath? {
    let library = try open()
    let added: (root: BytePath, findings: [String])
    do throws(ServerFailure) {
      let isCancelled: @Sendable () -> Bool = { [stops] in stops.withLock { $0 } != stopCount }
      let found = try UntrustedCertificate.find(
        at: address, KnownServers(library.folder), isCancelled: isCancelled)
      if let found, !found.isKnown, found.certificate.fingerprint != accepted {
        for sentence in found.sentences { say("\(address): \(sentence)") }
        let fingerprint = found.certificate.fingerprint
        let question = CertificateQuestion(
          fingerprint, isChanged: found.former != nil,
          request: .addServer(address, user: user, secret, accepted: fingerprint))
        worker.tell(.certificate(question))
        return nil
      }
      added = try LibraryServers.add(
        address, user: user, secret: secret.text, to: library, certificate: found?.certificate, isCancelled: isCancelled
      )
    } catch {
      say("cannot add \(address): \(error)")
      return nil
    }
    say("\(added.root): " + added.findings.joined(separator: "; "))
    try library.addRoot(added.root)
    return added.root
  }

  private func forget(_ path: BytePath) throws(DatabaseError) {
    guard exists, try open().forgetRoot(path) else {
      return say("\(path) was not added: :library forget takes an added folder")
    }
    ServerStations(folder: connection.folder).remove(root: path)
    try refresh()
    say("\(path) is no longer in the library" + undoHint())
  }

  // MARK: Ratings and playlists

  /// - Parameter list: The name of the list that the tracks are.
  private func rate(
    _ paths: [BytePath], _ change: RatingChange, named list: String? = nil
  ) throws(DatabaseError) -> CommandAnswer {
    if case .pin(let isPinned) = change { return try pin(paths, isPinned) }
    if paths.isEmpty { return .refused("\(list ?? "the selection") has no tracks that are there") }
    let paths = paths.map(\.absolute)
    let rated = exists ? try open().changeRatings(of: paths, change.apply) : []
    guard let first = rated.first else {
      let name = paths.count == 1 ? "\(paths[0].lastComponent) is not" : "the tracks are not"
      return .refused("\(name) in the library: type :library add FOLDER for its folder")
    }
    let count = counted(rated.count, "track", grouped)
    let name =
      list.map { "\($0) (\(count))" }
      ?? (paths.count == 1 ? first.title ?? paths[0].lastComponent.description : count)
    let missing = paths.count - rated.count
    let rest = missing == 0 ? "" : "; \(missing) not in the library"
    return .done("\(change.sentence(on: rated.map(\.new))): \(name)\(rest)")
  }

  private func pin(_ paths: [BytePath], _ isPinned: Bool) throws(DatabaseError) -> CommandAnswer {
    let onServers = paths.filter(\.isOnServer)
    guard exists, !onServers.isEmpty else { return .refused("only tracks of servers can be pinned: files are here") }
    let count = try PinStore(try open()).change(onServers, isPinned: isPinned)
    if count > 0 { try notePins() }
    let name = counted(onServers.count, "track", grouped)
    return .done(isPinned ? "\(name) pinned: fetched in the background" : "\(name) not pinned any more")
  }

  private func paths(of lists: [LibraryList]) throws(DatabaseError) -> [BytePath] {
    guard exists else { return [] }
    let contents = LibraryContents(view: try open().lastView())
    return lists.flatMap(LibraryLister(contents: contents, now: Int64(time(nil))).paths)
  }

  private func notePins() throws(DatabaseError) { if try !PinStore(open()).all().isEmpty { news.pinned() } }

  private func change(
    _ owner: StickerOwner, _ name: String?, _ change: StickerStore.Change
  ) throws(DatabaseError) -> CommandAnswer {
    let store = StickerStore(try open())
    switch owner {
    case .named(let type, let owner): try store.change(.named(type: type, owner), name, change)
    case .song(let path):
      guard try store.change(path.absolute, name, change) else { return .refused("No such song") }
    }
    return .done(nil)
  }

  private func perform(_ change: PlaylistRequest, _ loaded: BytePath?, _ asker: Asker) throws(DatabaseError) {
    let work = PlaylistWork(
      library: try open(), folders: folders, collector: MediaCollector(playableExtensions: extensions), loaded: loaded)
    switch try work.perform(change) {
    case .done(let text): answer(.done(text), asker)
    case .refused(let reason): answer(.refused(reason), asker)
    case .file(let export): news.export(export, asker)
    }
  }

  /// Files that need more than their bytes are for the shell.
  private func importFacts(_ file: BytePath) throws(DatabaseError) -> CommandAnswer {
    let bytes: [UInt8]
    do throws(ByteIOError) { bytes = try wholeFile(file, byteLimit: 1 << 30) } catch {
      return .refused("\(file): \(error)")
    }
    guard let player = ForeignLibrary(firstBytes: bytes) else {
      return .refused("\(file) is no file of another player: see segue help library import")
    }
    switch try player.read(file, bytes, music: folders.music(ofOtherPlayer: file), now: Int64(time(nil))) {
    case .needsMusic(let reason): return .refused("\(reason): type 'segue library import --music FOLDER' in a shell")
    case .contents(let contents):
      let library = try open()
      let known = try ListenerRecord.add(contents.records, to: library)
      let lists = try contents.playlists.count { playlist throws(DatabaseError) in try playlist.add(to: library) }
      try ResumePoints.save(of: library)
      let waiting = grouped(contents.records.count - known)
      return .done(
        "\(counted(known, "track", grouped)) known, \(waiting) not in the library yet"
          + (lists > 0 ? ", \(counted(lists, "playlist")) added" : ""))
    }
  }

  private func undo() throws(DatabaseError) -> CommandAnswer {
    guard exists, let text = try open().undo() else { return .refused("there is nothing to undo in the library") }
    try notePins()
    return .done("undone: \(text)")
  }

  // MARK: Scanning

  /// - Parameter stopCount: The number of cancellations so far, when the scan was ordered.
  private func scan(_ paths: [BytePath], _ stopCount: Int) throws(DatabaseError) {
    guard exists, case let library = try open(), try library.roots().contains(where: { $0.state != .forgotten }) else {
      return say("no folder was added yet: type :library add FOLDER")
    }
    let totals = try update(library, paths, stopCount)
    say((totals.isCancelled ? "scan stopped: " : "scan: ") + totals.sentence)
    for root in try library.roots() where root.state == .away {
      say("\(root.path) is away: \(root.reason ?? "not there")")
    }
  }

  private func follow(_ stopCount: Int) throws(DatabaseError) {
    // Later ones follow a change in a folder.
    let servers = isFollowing ? LibraryScan.Servers.none : .quickly
    isFollowing = true
    guard exists, case let library = try open(), try library.roots().contains(where: { $0.state != .forgotten }) else {
      return
    }
    do throws(DatabaseError) {
      let totals = try update(library, [], stopCount, servers)
      if totals.hasChanges { say("library updated: \(totals.sentence)") }
    } catch {
      // Another program is scanning.
      guard error.code == .busy else { throw error }
    }
  }

  private func update(
    _ library: MusicLibrary, _ paths: [BytePath], _ stopCount: Int, _ servers: LibraryScan.Servers = .completely
  ) throws(DatabaseError) -> ScanTotals {
    defer { news.scanning(nil) }
    news.scanning(LibraryScanState(found: 0, toRead: 0, read: 0, rate: 0))
    var reporter = ScanReporter()
    if isFollowing, watch == nil {
      // Each scan writes there, and so does each player: the next scan would follow, for ever.
      let own = [connection.folder, folders.state].compactMap(\.self)
      watch = FolderWatch(ignoring: own) { [worker, stops] in worker.request(.follow(stops: stops.withLock { $0 })) }
    }
    let totals = try LibraryScan.run(
      paths, of: library, extensions: extensions, servers: servers,
      isCancelled: { [stops] in stops.withLock { $0 } != stopCount },
      // Before it is listed: a file that comes later is reported, however long the scan takes.
      willList: { [watch] folder in watch?.add(folder) },
      report: { [news] progress in
        if let state = reporter.state(progress, at: .now) { news.scanning(state) }
        // Shows the rows that were read so far. Only between transactions. An error occurs again at the end of the
        // scan.
        guard progress.isSaved, reporter.isIndexDue(at: .now) else { return }
        if let contents = try? self.contents(of: library) { news.contents(contents) }
        reporter.hasIndexed(at: .now)
      })
    news.contents(try contents(of: library))
    if servers != .none { try notePins() }
    if isFollowing, watch?.isComplete != true, !hasReportedWatch {
      hasReportedWatch = true
      say("not all folders of the library can be watched: :library scan finds what is new (max_user_watches)")
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
      case .pin: break
      case .by(let change): tracks[index].rating = (tracks[index].rating ?? 0) + max(-10, min(10, change))
      case .love, .toggleLove: tracks[index].isLoved = isLoved
      }
    }
  }

  /// A sentence about the change, with its result.
  fileprivate func sentence(on results: [TrackRating]) -> String {
    let ratings = Set(results.map(\.rating))
    return switch self {
    case .pin(let isPinned): isPinned ? "pinned" : "unpinned"
    case .set, .by:
      ratings.count > 1 ? "rated" : ratings.first.flatMap(\.self).map { "rated \($0)" } ?? "rating removed"
    case .love, .toggleLove: results.first?.isLoved == true ? "loved" : "unloved"
    }
  }
}

extension Worker where Answer == Reply {
  /// Posts a sentence for the listener.
  func say(_ text: String) { post((.session(request: nil), .said(text))) }

  /// Posts news of the library, or an answer that all faces get.
  func tell(_ news: LibraryAnswer) { post((.session(request: nil), .library(news))) }
}
