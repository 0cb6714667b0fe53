internal import AudioModel
public import ByteIO
public import Database
internal import Glibc
internal import Threads

/// Updates the catalogue: walks the roots, reads new and changed files, and finds moved ones.
///
/// The first 256 files are committed, then batches of a tenth of a second. A scan that is cancelled or killed loses the
/// current batch; the next scan reads only the missing files. Runs on the thread of the library's owner; threads of its
/// own read files.
public final class LibraryScan {
  private let library: MusicLibrary
  private let extensions: Set<String>
  private let foreign: ForeignReader?
  private let isCancelled: @Sendable () -> Bool
  private let willList: @Sendable (BytePath) -> Void
  private let report: (ScanProgress) -> Void
  private var totals = ScanTotals()
  private var pending: [PendingFile] = []
  /// Known files with something at their place that could not be read.
  private var unread: Set<Int64> = []
  /// Files that are read, but may not be what they seem: see `FreeRecordings.Claim`.
  private var waiting: [(file: PendingFile, facts: FileFacts)] = []
  private var visited: Set<FileIdentity> = []
  /// Roots that are there.
  private var walked: [BytePath] = []
  /// Files that symbolic links led to, and files with several names.
  private var linked: Set<FileIdentity> = []
  private var named: Set<FileIdentity> = []
  /// Symbolic links to files with several names: they wait until all folders are listed, in any order.
  private var links: [(file: FolderListing.File, known: KnownFile?, place: Place)] = []
  private static let (firstBatchCount, readAhead, waitLimit) = (256, 2048, 20_000)

  /// A scan.
  ///
  /// - Parameters:
  ///   - extensions: Extensions of playable files, in lower case.
  ///   - foreign: Reads the formats without a parser of our own.
  ///   - isCancelled: Called often; true cancels the scan.
  ///   - willList: Called before each folder is listed, on another thread. A change after that may be missed.
  ///   - report: Called often with the progress.
  public init(
    _ library: MusicLibrary, extensions: Set<String>, foreign: ForeignReader? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    willList: @escaping @Sendable (BytePath) -> Void = { _ in }, report: @escaping (ScanProgress) -> Void = { _ in }
  ) {
    (self.library, self.extensions, self.foreign) = (library, extensions, foreign)
    (self.isCancelled, self.willList, self.report) = (isCancelled, willList, report)
  }

  /// Scans all folders, or those that lie in or above `paths`. Throws if the database cannot be used; committed batches
  /// stay.
  public func run(_ paths: [BytePath] = []) throws(DatabaseError) -> ScanTotals {
    let start = MonotonicTime.now
    guard let lock = FolderLock(library.folder.appending(BytePath("scan.lock"))) else {
      throw DatabaseError(.busy, operation: "scan", path: library.folder, reason: "another scan is running")
    }
    defer { lock.unlock() }
    removeAbandonedFiles((try? namesInFolder(library.folder)) ?? [], in: library.folder)
    let allRoots = try library.roots()
    let roots = allRoots.filter { root in
      let isNamed = paths.contains { $0 == root.path || $0.isBelow(root.path) || root.path.isBelow($0) }
      return root.state != .forgotten && !root.path.isOnServer && (paths.isEmpty || isNamed)
    }
    let refuser = Refuser(library.catalogue, foreign)
    let writer = try ScanWriter(library, refuser)
    let movedFiles = MovedFiles(writer)
    for root in roots where !totals.isCancelled { try walk(root, writer, movedFiles) }
    if !totals.isCancelled { try noteLinks(writer, movedFiles) }
    if !totals.isCancelled { try readPending(writer, movedFiles) }
    if !totals.isCancelled {
      let (missing, moved) = try writer.markMissing(movedFiles.missing.filter { !unread.contains($0.id) })
      totals.missing = missing
      totals.moved += moved
    }
    try writer.flush()
    if totals.moved > 0 { try writer.limitFormerPaths() }
    if !totals.isCancelled {
      try UnreadStore(library).replace(totals.unreadFiles.first + totals.unreadFolders.first, below: walked)
    }
    try refuser.save()
    let hadRecordings = try writer.hasRecordings()
    totals.hasNewPaths = totals.moved > 0 || totals.read > 0 && hadRecordings
    totals.seconds = (.now - start).inSeconds
    return totals
  }

  // MARK: Walking

  private func walk(
    _ root: MusicLibrary.Root, _ writer: ScanWriter, _ movedFiles: MovedFiles
  ) throws(DatabaseError) {
    let (disk, isEmpty, failure) = look(at: root.path)
    let check = RootCheck(
      known: root.disk, disk: disk, failure: failure, isEmpty: isEmpty, hadFiles: try writer.hadFiles(in: root.id),
      hasKnownFile: try writer.hasKnownFile(of: root))
    switch check {
    case .away(let reason):
      totals.away += try writer.fileCount(of: root.id)
      try writer.setState(of: root, .away, reason)
      return
    case .here:
      if let disk { try writer.setDisk(of: root, disk) }
      walked.append(root.path)
    }
    let known = try writer.folders(of: root.id)
    var missing = known
    var unreadable: Set<BytePath> = []
    // Perhaps mount points of disks that are away. With their devices.
    var empty: [BytePath: Int64] = [:]
    let walk = FolderWalk(root.path, visited: visited, extensions: extensions, willList: willList)
    defer { walk.close() }
    while let steps = walk.next() {
      try writer.beginReading()
      for step in steps where !isCancelled() {
        let folder = step.folder
        let listing: FolderListing
        do throws(ByteIOError) { listing = try step.listing.get() } catch {
          // A folder that cannot be read still exists: nothing in it or below it is missing.
          guard error.errno != ENOENT, error.errno != ENOTDIR else { continue }
          unreadable.insert(folder)
          // It may have the name of a file that counts already.
          if !totals.unreadFiles.first.contains(where: { $0.path == step.path }) {
            totals.unreadFolders.note(step.path, error.description)
          }
          continue
        }
        missing[folder] = nil
        if listing.isEmpty { empty[folder] = listing.stamp.device }
        try compare(listing, Place(root: root, folder: folder, id: known[folder]), writer, movedFiles)
        report(ScanProgress(found: totals.found, toRead: pending.count, read: 0, folder: step.path))
      }
      try writer.endReading()
      guard !isCancelled() else {
        totals.isCancelled = true
        return
      }
    }
    visited = walk.visited
    if !unreadable.isEmpty {
      // Once for all of them: a disk that does not answer may have many.
      for (folder, id) in missing where Self.upwards(from: folder).contains(where: unreadable.contains) {
        missing[folder] = nil
        try writer.setAway(writer.files(in: id))
      }
    }
    if !missing.isEmpty, look(at: root.path).disk?.device != disk?.device {
      return try writer.setState(of: root, .away, "it was disconnected during the scan")
    }
    for (folder, id) in missing {
      let files = try writer.files(in: id)
      let mountPoint = Self.upwards(from: folder).first { empty[$0] != nil }
      if let device = mountPoint.flatMap({ empty[$0] }), isAway(files, from: device) {
        try keepAway(files, writer)
      } else {
        for file in files { try movedFiles.leave(file) }
      }
    }
  }

  /// A folder, and those that contain it.
  private static func upwards(from folder: BytePath) -> some Sequence<BytePath> {
    sequence(first: folder) { $0 == $0.parent ? nil : $0.parent }
  }

  /// True if files were on another disk than the empty folder that they were in or below, its mount point.
  private func isAway(_ files: some Sequence<KnownFile>, from device: Int64) -> Bool {
    files.contains { $0.stamp.device != device }
  }

  private func keepAway(_ files: some Sequence<KnownFile>, _ writer: ScanWriter) throws(DatabaseError) {
    totals.away += files.filter { $0.state == .here || $0.state == .away }.count
    try writer.setAway(files)
  }

  private func look(at path: BytePath) -> (disk: DiskFacts?, isEmpty: Bool, failure: String) {
    do throws(ByteIOError) {
      let disk = try DiskFacts(of: path)
      return (disk, try namesInFolder(path).isEmpty, "")
    } catch { return (nil, true, error.reason) }
  }

  private struct Place {
    var root: MusicLibrary.Root
    var folder: BytePath
    /// `nil` until the catalogue knows the folder.
    var id: Int64?
    /// The known tracks of the cue sheet within the file that is compared.
    var tracks: [KnownFile] = []

    var path: BytePath { folder.bytes.isEmpty ? root.path : root.path.appending(folder) }
  }

  private func compare(
    _ listing: FolderListing, _ place: Place, _ writer: ScanWriter, _ movedFiles: MovedFiles
  ) throws(DatabaseError) {
    var (place, known) = (place, [BytePath: KnownFile]())
    if let id = place.id { for file in try writer.files(in: id) { known[BytePath(file.name)] = file } }
    if listing.isEmpty, isAway(known.values, from: listing.stamp.device) {
      return try keepAway(known.values, writer)
    }
    let tracks = Dictionary(grouping: known.values.filter { $0.nameOfDivided != nil }) { $0.nameOfDivided }
    for file in listing.files {
      let isForLater = file.isLink && file.hasOtherNames
      guard isForLater || !isAlias(file) else { continue }
      place.tracks = tracks.isEmpty ? [] : tracks[file.name] ?? []
      for track in place.tracks { known[BytePath(track.name)] = nil }
      let known = known.removeValue(forKey: BytePath(file.name))
      if isForLater {
        links.append((file, known, place))
      } else {
        try note(file, known, in: &place, writer, movedFiles)
      }
    }
    for file in listing.unread {
      totals.found += 1
      totals.unreadFiles.note(place.path.appending(BytePath(file.name)), file.error.description)
      known[BytePath(file.name)] = nil
    }
    try writer.setState(
      of: listing.divisions.compactMap { known.removeValue(forKey: BytePath($0)) }
        .filter { $0.state != .divided && $0.state != .forgotten }.map(\.id), .divided)
    for file in known.values { try movedFiles.leave(file) }
  }

  /// Notes a file that was found, and that the catalogue may know at this place.
  private func note(
    _ file: FolderListing.File, _ known: KnownFile?, in place: inout Place, _ writer: ScanWriter,
    _ movedFiles: MovedFiles
  ) throws(DatabaseError) {
    totals.found += 1
    // A file whose cue sheet is gone is read again.
    let isWithoutSheet = known?.state == .divided && place.tracks.isEmpty
    if let known, known.stamp == file.stamp, !isWithoutSheet, try writer.isCurrent(known) {
      let files = known.state == .divided ? place.tracks : [known]
      totals.found += files.count - 1
      totals.unchanged += files.count
      try writer.setState(of: files.filter { $0.state == .missing || $0.state == .away }.map(\.id), .here)
      totals.bad += files.count { $0.state == .bad }
      return
    }
    if let known, known.stamp.identity != file.stamp.identity { try movedFiles.leave(known) }
    if place.id == nil { place.id = try writer.addFolder(place.folder, of: place.root.id) }
    pending.append(
      PendingFile(
        root: place.root, folder: place.folder, folderID: place.id ?? 0, file: file, known: known,
        tracks: place.tracks))
  }

  /// Notes the links to files with several names of which this scan has found none.
  private func noteLinks(_ writer: ScanWriter, _ movedFiles: MovedFiles) throws(DatabaseError) {
    for (file, known, place) in links {
      var place = place
      if !named.contains(file.stamp.identity), !isAlias(file) {
        try note(file, known, in: &place, writer, movedFiles)
      } else {
        for known in [known].compactMap(\.self) + place.tracks { try movedFiles.leave(known) }
      }
    }
  }

  /// True if this scan has found the same file through a symbolic link, or this is a link to a file that it has found
  /// through another one. Each name of a file with several names is a track: it may stand in an album of its own.
  private func isAlias(_ file: FolderListing.File) -> Bool {
    let identity = file.stamp.identity
    if file.isLink { return !linked.insert(identity).inserted }
    if file.hasOtherNames { named.insert(identity) }
    return !file.hasOtherNames && linked.contains(identity)
  }

  // MARK: Reading

  private func readPending(_ writer: ScanWriter, _ movedFiles: MovedFiles) throws(DatabaseError) {
    let hasKnownFiles = try writer.hasKnownFiles()
    var toRead: [Int] = []
    for (index, file) in pending.enumerated() {
      // One that is divided is read, for the number of its tracks.
      if hasKnownFiles, let old = try movedFiles.file(movedTo: file), old.state != .divided {
        try move(old, to: file, writer, movedFiles)
      } else {
        toRead.append(index)
      }
    }
    guard !toRead.isEmpty else { return try writer.flush() }
    let notes = ReadingNotes(path: library.folder.appending(BytePath("reading")))
    let culprits = Set(notes.culprits)
    if !culprits.isEmpty {
      for index in toRead where culprits.contains(pending[index].path) {
        try save(pending[index], FileFacts(failure: "segue crashed while it read this file"), writer, movedFiles, .path)
      }
      toRead.removeAll { culprits.contains(pending[$0].path) }
    }
    try read(toRead, notes, writer, movedFiles)
    for claim in [FreeRecordings.Claim.sound, .path] {
      let files = waiting
      waiting = []
      for (file, facts) in files where !totals.isCancelled {
        try save(file, facts, writer, movedFiles, claim)
        if writer.isDue { try writer.flush() }
      }
    }
    try writer.flush()
  }

  private func move(
    _ old: KnownFile, to file: PendingFile, _ writer: ScanWriter, _ movedFiles: MovedFiles
  ) throws(DatabaseError) {
    try movedFiles.claim(old, at: file)
    try writer.move(old, to: file)
    totals.moved += 1
    if writer.isDue { try writer.flush() }
  }

  private func read(
    _ indices: [Int], _ notes: ReadingNotes, _ writer: ScanWriter, _ movedFiles: MovedFiles
  ) throws(DatabaseError) {
    let readers = ScanReaders(
      count: min(8, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))), notes: notes, foreign: foreign)
    defer { readers.close() }
    var (submitted, done, expected) = (0, 0, indices.count)
    while done < expected {
      if isCancelled(), !totals.isCancelled {
        totals.isCancelled = true
        let rest = readers.cancel()
        // Outcomes that are on their way are kept.
        expected = min(expected, done + rest)
        if rest == 0 { break }
      }
      if !totals.isCancelled, submitted - done < Self.readAhead / 2, submitted < indices.count {
        let more = indices[submitted..<min(indices.count, done + Self.readAhead)]
        readers.add(more.map { ScanReaders.Task(index: $0, path: pending[$0].path) })
        submitted += more.count
      }
      let outcomes = readers.take()
      if outcomes.isEmpty { try writer.flush() }
      for outcome in outcomes {
        let claim: FreeRecordings.Claim = waiting.count < Self.waitLimit ? .certain : .path
        try save(pending[outcome.index], outcome.facts, writer, movedFiles, claim)
        done += 1
        let isSaved = done == Self.firstBatchCount || writer.isDue
        if isSaved { try writer.flush() }
        report(
          ScanProgress(
            found: totals.found, toRead: indices.count, read: done, folder: pending[outcome.index].folderPath,
            isSaved: isSaved))
      }
    }
  }

  /// - Parameter claim: The weakest claim to a recording without a file that counts now. Files with weaker ones wait.
  private func save(
    _ file: PendingFile, _ facts: FileFacts, _ writer: ScanWriter, _ movedFiles: MovedFiles,
    _ claim: FreeRecordings.Claim
  ) throws(DatabaseError) {
    if facts.isUnread {
      totals.unreadFiles.note(file.path, facts.failure ?? "")
      if let known = file.known { unread.insert(known.id) }
      return
    }
    // A file that has moved may have taken the facts of this place along.
    let known = file.known.flatMap { movedFiles.isClaimed($0.id) ? nil : $0 }
    let isSame = facts.key == nil || known?.key == facts.key
    let (moved, away) = isSame ? (nil, nil) : try movedFiles.files(withSoundOf: file, facts)
    // The same sound, or another rip in its place: the listener's facts stay.
    let old = moved ?? known
    let isSaved =
      if let old {
        try writer.update(old, with: facts, at: file, claim)
      } else {
        try writer.insert(file, facts, sharing: away, claim)
      }
    guard isSaved else { return waiting.append((file, facts)) }
    try saveTracks(of: file, facts.tracks, writer, movedFiles)
    guard facts.tracks.isEmpty else {
      if let old { try movedFiles.claim(old, at: file) }
      return
    }
    totals.read += 1
    if facts.failure != nil { totals.bad += 1 }
    guard let old else { return movedFiles.noteSuccessor(away?.recording, facts.key) }
    if moved != nil { totals.moved += 1 } else if old.state != .bad { totals.retagged += 1 }
    try movedFiles.claim(old, at: file)
  }

  /// Saves the tracks of the cue sheet within a file. All at once, so that a scan that is cancelled leaves all or none.
  private func saveTracks(
    of file: PendingFile, _ tracks: [FileFacts], _ writer: ScanWriter, _ movedFiles: MovedFiles
  ) throws(DatabaseError) {
    var known = Dictionary(uniqueKeysWithValues: file.tracks.map { ($0.name, $0) })
    if !tracks.isEmpty { totals.found += tracks.count - 1 }
    for (index, facts) in tracks.enumerated() {
      var track = file
      track.tracks = []
      track.file.name = SheetPart.name(index + 1, of: file.file.name)
      track.file.stamp = file.file.stamp.ofTrack(index + 1, sheet: file.file.stamp)
      track.known = known.removeValue(forKey: track.file.name)
      if let old = try movedFiles.file(movedTo: track) {
        try move(old, to: track, writer, movedFiles)
      } else {
        try save(track, facts, writer, movedFiles, .path)
      }
    }
    for track in known.values { try movedFiles.leave(track) }
  }
}

struct KnownFile {
  var id: Int64
  var folder: Int64
  var name: [UInt8]
  var stamp: FileStamp
  var state: FileState
  var reader: Int64
  var key: [UInt8]?
  var recording: Int64?
  /// Only where files are looked for by their sound.
  var tags = CatalogueTags()

  /// Of a track of a cue sheet the name of the sheet, or of the file that contains it.
  var nameOfDivided: [UInt8]? {
    if case .track(let sheet, _) = MediaLocation(libraryPath: BytePath(name)) { sheet.bytes } else { nil }
  }
}

/// A file to be read, or a file that has moved.
struct PendingFile {
  var root: MusicLibrary.Root
  /// The folder relative to the root.
  var folder: BytePath
  var folderID: Int64
  var file: FolderListing.File
  var known: KnownFile?
  /// The known tracks of the cue sheet within it.
  var tracks: [KnownFile] = []

  var folderPath: BytePath { folder.bytes.isEmpty ? root.path : root.path.appending(folder) }
  var path: BytePath { folderPath.appending(BytePath(file.name)) }
}
