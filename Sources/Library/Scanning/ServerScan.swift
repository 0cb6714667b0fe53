internal import AudioModel
internal import ByteIO
public import Database
internal import Threads

/// Updates the catalogue with the tracks of a server. All of them are asked for; only what has changed is written.
///
/// Each page is committed. A scan that is cancelled loses nothing, and a server that fails makes its tracks away: only a
/// list that is complete makes tracks missing.
public final class ServerScan {
  private let library: MusicLibrary
  private let root: MusicLibrary.Root
  private let isQuick: Bool
  private let isCancelled: () -> Bool
  private let report: (ScanProgress) -> Void
  private var totals = ScanTotals()
  /// The numbers of the tracks that the server has listed.
  private var seen: Set<Int64> = []
  /// More tracks than any server has: a list without an end must end.
  private static let trackLimit = 2_000_000
  private static let idLimit = 1024
  /// A quick scan ends after so many pages in a row without a change.
  private static let quickPageCount = 10

  /// A scan of a root that is a server (`BytePath.isOnServer`).
  ///
  /// - Parameter isQuick: Looks only at the first pages, which have what is new, if all were read before.
  public init(
    _ library: MusicLibrary, of root: MusicLibrary.Root, isQuick: Bool = false,
    isCancelled: @escaping () -> Bool = { false }, report: @escaping (ScanProgress) -> Void = { _ in }
  ) {
    (self.library, self.root, self.isQuick) = (library, root, isQuick)
    (self.isCancelled, self.report) = (isCancelled, report)
  }

  /// Throws if the database cannot be used; committed pages stay.
  public func run(_ catalogue: some ServerCatalogue) throws(DatabaseError) -> ScanTotals {
    let start = MonotonicTime.now
    guard let lock = FolderLock(library.folder.appending(BytePath("scan.lock"))) else {
      throw DatabaseError(.busy, operation: "scan", path: library.folder, reason: "another scan is running")
    }
    defer { lock.unlock() }
    let writer = try ScanWriter(library, Refuser(library.catalogue, nil))
    let folder = try writer.addFolder(BytePath(""), of: root.id)
    try writer.flush()
    let hadFiles = try writer.hadFiles(in: root.id)
    let ratings = try ServerRatings(library)
    var news = try ratings.news(of: root.path)
    var catalogue = catalogue
    var failure: ServerFailure?
    var isComplete = false
    var pagesWithoutChange = 0
    let isQuick = isQuick ? try writer.wasScanned(root) : false
    while failure == nil, !isComplete, !isCancelled() {
      let page: [ServerTrack]?
      do throws(ServerFailure) { page = try catalogue.next() } catch {
        if !isCancelled() { failure = error }
        break
      }
      isComplete = page == nil
      let changeCount = totals.read
      try writer.beginReading()
      for track in page ?? [] {
        let name = Array(track.id.utf8)
        guard 1...Self.idLimit ~= name.count, try note(track, named: name, in: folder, writer) else { continue }
        news.note(track, at: root.path.appending(BytePath(name)))
      }
      try writer.endReading()
      if seen.count > Self.trackLimit { failure = ServerFailure("the list of its tracks does not end") }
      pagesWithoutChange = totals.read > changeCount ? 0 : pagesWithoutChange + 1
      if isQuick, pagesWithoutChange == Self.quickPageCount {
        try writer.flush()
        try ratings.take(news, of: root.path)
        return try finish(writer, start)
      }
      // The next page may take long, and others wait for the databases.
      try writer.flush()
      let (found, read) = (totals.found, totals.read)
      report(ScanProgress(found: found, toRead: read, read: read, folder: root.path, isSaved: true))
    }
    try writer.flush()
    try ratings.take(news, of: root.path)
    if isComplete, seen.isEmpty, hadFiles { failure = ServerFailure("it lists no tracks") }
    if let failure {
      totals.away = try writer.files(in: folder, without: seen).count { [.here, .away].contains($0.state) }
      try writer.setState(of: root, .away, failure.description)
    } else if isComplete {
      if !catalogue.isPartial {
        totals.missing = try writer.markMissing(writer.files(in: folder, without: seen)).missing
      }
      return try finish(writer, start)
    } else {
      totals.isCancelled = true
    }
    try writer.flush()
    totals.seconds = (.now - start).inSeconds
    return totals
  }

  private func finish(_ writer: ScanWriter, _ start: MonotonicTime) throws(DatabaseError) -> ScanTotals {
    try writer.noteScanned(root)
    try writer.flush()
    totals.seconds = (.now - start).inSeconds
    return totals
  }

  /// False for a track that was listed before.
  private func note(
    _ track: ServerTrack, named name: [UInt8], in folder: Int64, _ writer: ScanWriter
  ) throws(DatabaseError) -> Bool {
    let known = try writer.file(named: name, in: folder)
    if let known, !seen.insert(known.id).inserted { return false }
    totals.found += 1
    let stamp = track.stamp
    if let known, known.stamp == stamp, try writer.isCurrent(known) {
      totals.unchanged += 1
      if [.missing, .away].contains(known.state) { try writer.setState(of: [known.id], .here) }
      return true
    }
    let file = PendingFile(
      root: root, folder: BytePath(""), folderID: folder,
      file: FolderListing.File(name: name, stamp: stamp, isLink: false, hasOtherNames: false), known: known)
    if let known {
      _ = try writer.update(known, with: FileFacts(track), at: file, .path)
      totals.retagged += 1
    } else {
      _ = try writer.insert(file, FileFacts(track), sharing: nil, .path)
      if let new = try writer.file(named: name, in: folder) { seen.insert(new.id) }
    }
    totals.read += 1
    return true
  }
}
