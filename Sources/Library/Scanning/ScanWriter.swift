internal import AudioModel
internal import ByteIO
internal import Database
internal import Threads

/// Reads and writes the rows of a scan. Changes are collected in one transaction per database until `flush`. Only
/// changes of recordings lock the listener's database, and only while files are read fast, because ratings and plays
/// wait for it.
///
/// The listener's database is committed first. A crash between the two commits leaves a recording without a file, which
/// the next scan finds by its audio, but never a file with the facts of another one. A power cut may leave a file
/// without its recording: `MusicLibrary.introduce` finds it. So a scan need not wait for the disk at each commit.
final class ScanWriter {
  private let library: MusicLibrary
  private let refuser: Refuser
  private let now = MusicLibrary.now
  private let filesOf: (folder: Statement, name: Statement, inode: Statement, key: Statement)
  private let placeOfFile: Statement
  private let insertFile: Statement
  private let updateFile: Statement
  private let moveFile: Statement
  private let freePlace: Statement
  private let setFileState: Statement
  private let insertRecording: Statement
  private let updateRecording: Statement
  private let moveRecording: Statement
  private let freeRecordings: FreeRecordings
  /// The open transaction of the catalogue. One with recordings is a transaction of the listener's database, too.
  private enum Transaction { case none, reading, writing, writingRecordings }

  private var transaction = Transaction.none
  private var start = MonotonicTime.zero
  /// The number of the next change in the listener's database.
  private var change: Int64

  private static let columns = """
    id, folder, name, size, mtime, ctime, device, inode, state, reader, key, recording
    """

  init(_ library: MusicLibrary, _ refuser: Refuser) throws(DatabaseError) {
    (self.library, self.refuser) = (library, refuser)
    let (catalogue, listener) = (library.catalogue, library.listener)
    filesOf = (
      try catalogue.prepare("SELECT \(Self.columns) FROM file WHERE folder=?"),
      try catalogue.prepare("SELECT \(Self.columns) FROM file WHERE folder=? AND name=?"),
      try catalogue.prepare("SELECT \(Self.columns) FROM file WHERE inode=?"),
      try catalogue.prepare("SELECT \(Self.columns), tags FROM file WHERE key=?")
    )
    placeOfFile = try catalogue.prepare(
      """
      SELECT root.path, folder.path, name, root.state FROM file JOIN folder ON folder.id=file.folder
      JOIN root ON root.id=folder.root WHERE file.id=?
      """)
    insertFile = try catalogue.prepare(
      """
      INSERT INTO file (folder, name, size, mtime, ctime, device, inode, reader, state, since, error, key, duration,
        estimated, format, bitrate, tags, recording) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
      """)
    updateFile = try catalogue.prepare(
      """
      UPDATE file SET folder=?, name=?, size=?, mtime=?, ctime=?, device=?, inode=?, reader=?, state=?, since=?,
        error=?, key=?, duration=?, estimated=?, format=?, bitrate=?, tags=?, recording=? WHERE id=?
      """)
    moveFile = try catalogue.prepare(
      "UPDATE file SET folder=?, name=?, size=?, mtime=?, ctime=?, device=?, inode=?, state=? WHERE id=?")
    // The whole path stays, without a place of its own. Missing until it is found elsewhere, also if the scan is killed.
    freePlace = try catalogue.prepare(
      """
      UPDATE file SET folder=NULL, state=CASE state WHEN 4 THEN 4 ELSE 1 END, name=(
        SELECT CAST(root.path || CASE WHEN folder.path=x'' THEN x'' ELSE x'2f' END || folder.path || x'2f' || file.name
          AS BLOB) FROM folder JOIN root ON root.id=folder.root WHERE folder.id=file.folder)
      WHERE folder=? AND name=? AND id<>?
      """)
    setFileState = try catalogue.prepare("UPDATE file SET state=?, since=? WHERE id=?")
    insertRecording = try listener.prepare(
      """
      INSERT INTO recording (key, path, title, artist, album, duration, added, changed) VALUES (?,?,?,?,?,?,?,?)
      """)
    updateRecording = try listener.prepare(
      """
      UPDATE recording SET key=coalesce(?, key), path=?, title=?, artist=?, album=?, duration=coalesce(?, duration)
      WHERE id=?
      """)
    moveRecording = try listener.prepare("UPDATE recording SET path=? WHERE id=?")
    freeRecordings = try FreeRecordings(library)
    change = try library.nextChange()
    // Without a log that is written ahead, a power cut after NORMAL may damage the file. Only the catalogue can be made
    // anew.
    let mode = try listener.prepare("PRAGMA journal_mode")
    let hasLog = try mode.step() && mode.text(0) == "wal"
    mode.reset()
    for database in hasLog ? [listener, catalogue] : [catalogue] {
      try database.execute("PRAGMA synchronous=NORMAL")
    }
  }

  // MARK: Reading

  /// Reads the catalogue as it is now until `endReading`, or until the first change: the disk is locked once, not for
  /// each folder.
  func beginReading() throws(DatabaseError) {
    guard transaction == .none else { return }
    try library.catalogue.beginReading()
    transaction = .reading
  }

  func endReading() throws(DatabaseError) {
    guard transaction == .reading else { return }
    transaction = .none
    try library.catalogue.commit()
  }

  func files(in folder: Int64) throws(DatabaseError) -> [KnownFile] {
    try files(filesOf.folder.bind(.integer(folder)), hasTags: false)
  }

  /// Those without these numbers: of many files, only they are in memory.
  func files(in folder: Int64, without seen: Set<Int64>) throws(DatabaseError) -> [KnownFile] {
    try files(filesOf.folder.bind(.integer(folder)), hasTags: false) { !seen.contains($0) }
  }

  func file(named name: [UInt8], in folder: Int64) throws(DatabaseError) -> KnownFile? {
    try files(filesOf.name.bind(.integer(folder), .blob(name)), hasTags: false).first
  }

  func files(inode: Int64) throws(DatabaseError) -> [KnownFile] {
    try files(filesOf.inode.bind(.integer(inode)), hasTags: false)
  }

  func files(key: [UInt8]) throws(DatabaseError) -> [KnownFile] {
    try files(filesOf.key.bind(.blob(key)), hasTags: true)
  }

  func file(_ id: Int64) throws(DatabaseError) -> KnownFile? {
    let row = try library.catalogue.prepare("SELECT \(Self.columns), tags FROM file WHERE id=?").bind(.integer(id))
    return try files(row, hasTags: true).first
  }

  /// True if a known file would have the same facts if it were read again.
  func isCurrent(_ file: KnownFile) throws(DatabaseError) -> Bool { try refuser.isCurrent(file) }

  private func files(
    _ statement: Statement, hasTags: Bool, _ wants: (Int64) -> Bool = { _ in true }
  ) throws(DatabaseError) -> [KnownFile] {
    var files: [KnownFile] = []
    while try statement.step() {
      guard wants(statement.integer(0)) else { continue }
      let stamp = FileStamp(
        size: statement.integer(3), modified: statement.integer(4), changed: statement.integer(5),
        device: statement.integer(6), inode: statement.integer(7))
      files.append(
        KnownFile(
          id: statement.integer(0), folder: statement.integer(1), name: statement.blob(2), stamp: stamp,
          state: FileState(rawValue: statement.int(8)) ?? .here, reader: statement.integer(9),
          key: statement.isNull(10) ? nil : statement.blob(10),
          recording: statement.isNull(11) ? nil : statement.integer(11),
          tags: hasTags ? statement.withBytes(12) { CatalogueTags(stored: $0) } : CatalogueTags()))
    }
    return files
  }

  private static let filesOfRoot = "folder JOIN file ON file.folder=folder.id WHERE root=? AND state IN (0, 2, 3)"

  /// The number of files of a root that are not missing. Reads all of them.
  func fileCount(of root: Int64) throws(DatabaseError) -> Int {
    Int(clamping: try library.catalogue.integer("SELECT count(*) FROM \(Self.filesOfRoot)", .integer(root)) ?? 0)
  }

  /// True if files are known below a root.
  func hadFiles(in root: Int64) throws(DatabaseError) -> Bool {
    try library.catalogue.integer("SELECT 1 FROM \(Self.filesOfRoot) LIMIT 1", .integer(root)) != nil
  }

  /// True if one of the first known files exists.
  func hasKnownFile(of root: MusicLibrary.Root) throws(DatabaseError) -> Bool {
    let statement = try library.catalogue.prepare(
      "SELECT folder.path, name FROM folder JOIN file ON file.folder=folder.id WHERE folder.root=? LIMIT 20"
    ).bind(.integer(root.id))
    defer { statement.reset() }
    while try statement.step() {
      let path = root.path.appending(BytePath(statement.blob(0))).appending(BytePath(statement.blob(1)))
      if let file = MediaLocation(libraryPath: path).fileOnDisk, FileKind(file) != nil { return true }
    }
    return false
  }

  func folders(of root: Int64) throws(DatabaseError) -> [BytePath: Int64] {
    let statement = try library.catalogue.prepare("SELECT id, path FROM folder WHERE root=?").bind(.integer(root))
    var folders: [BytePath: Int64] = [:]
    while try statement.step() { folders[BytePath(statement.blob(1))] = statement.integer(0) }
    return folders
  }

  /// False in a first scan, which need not search for files that have moved.
  func hasKnownFiles() throws(DatabaseError) -> Bool {
    if let known = areKnown.files { return known }
    let found = try library.catalogue.integer("SELECT 1 FROM file LIMIT 1") != nil
    areKnown.files = found
    return found
  }

  private var areKnown: (files: Bool?, recordings: Bool?)

  /// The path of a file, its root, and whether that was forgotten; `nil` if another file has taken its place.
  func place(of file: Int64) throws(DatabaseError) -> (path: BytePath, root: BytePath, isForgotten: Bool)? {
    try placeOfFile.bind(.integer(file))
    guard try placeOfFile.step() else { return nil }
    defer { placeOfFile.reset() }
    let root = BytePath(placeOfFile.blob(0))
    let path = root.appending(BytePath(placeOfFile.blob(1))).appending(BytePath(placeOfFile.blob(2)))
    return (path, root, placeOfFile.int(3) == RootState.forgotten.rawValue)
  }

  // MARK: Writing

  /// Locks the catalogue, and before it the listener's database if that will be changed, too.
  private func begin(recordings: Bool = false) throws(DatabaseError) {
    try endReading()
    if recordings, transaction == .writing { try flush() }
    guard transaction == .none else { return }
    if recordings { try library.listener.begin() }
    do throws(DatabaseError) { try library.catalogue.begin() } catch {
      if recordings { library.listener.rollBack() }
      throw error
    }
    (transaction, start) = (recordings ? .writingRecordings : .writing, .now)
    // In each transaction: an index may have been written since the last one.
    try library.noteChangedCatalogue()
  }

  private var isWriting: Bool { transaction == .writing || transaction == .writingRecordings }

  /// True if other connections have been locked out for a tenth of a second.
  var isDue: Bool { isWriting && .now - start > .milliseconds(100) }

  func flush() throws(DatabaseError) {
    guard isWriting else { return }
    let hasRecordings = transaction == .writingRecordings
    transaction = .none
    do throws(DatabaseError) {
      if hasRecordings { try library.listener.commit() }
      try library.catalogue.commit()
    } catch {
      library.listener.rollBack()
      library.catalogue.rollBack()
      throw error
    }
  }

  deinit {
    if isWriting { library.listener.rollBack() }
    if transaction != .none { library.catalogue.rollBack() }
    try? library.waitForDisk()
  }

  /// Forgets all but the latest paths that files have left.
  func limitFormerPaths() throws(DatabaseError) {
    try library.catalogue.execute("DELETE FROM moved WHERE rowid<=(SELECT max(rowid) FROM moved)-100000")
  }

  func addFolder(_ path: BytePath, of root: Int64) throws(DatabaseError) -> Int64 {
    try begin()
    return try library.catalogue.integer(
      "INSERT INTO folder (root, path) VALUES (?, ?) ON CONFLICT (root, path) DO UPDATE SET path=path RETURNING id",
      .integer(root), .blob(path.bytes)) ?? 0
  }

  /// A root that is removed during the scan stays removed.
  func setState(of root: MusicLibrary.Root, _ state: RootState, _ reason: String?) throws(DatabaseError) {
    guard root.state != state || root.reason != reason else { return }
    try begin()
    try library.catalogue.prepare("UPDATE root SET state=?, reason=? WHERE id=? AND state<>2")
      .run(DatabaseValue(state.rawValue), DatabaseValue(reason), .integer(root.id))
    try flush()
  }

  func setDisk(of root: MusicLibrary.Root, _ disk: DiskFacts) throws(DatabaseError) {
    let isSame = root.disk?.device == disk.device && root.disk?.filesystem == disk.filesystem
    guard !isSame || root.state != .here else { return }
    try begin()
    try library.catalogue.prepare(
      "UPDATE root SET state=0, reason=NULL, device=?, filesystem=?, scanned=? WHERE id=? AND state<>2"
    ).run(.integer(disk.device), .integer(disk.filesystem), .integer(now), .integer(root.id))
  }

  /// Notes that all tracks of a server are known.
  func noteScanned(_ root: MusicLibrary.Root) throws(DatabaseError) {
    let wasScanned = try wasScanned(root)
    guard root.state != .here || !wasScanned else { return }
    try begin()
    try library.catalogue.prepare("UPDATE root SET state=0, reason=NULL, scanned=? WHERE id=? AND state<>2")
      .run(.integer(now), .integer(root.id))
  }

  func wasScanned(_ root: MusicLibrary.Root) throws(DatabaseError) -> Bool {
    try library.catalogue.integer("SELECT scanned FROM root WHERE id=? AND scanned>0", .integer(root.id)) != nil
  }

  func setState(of files: [Int64], _ state: FileState) throws(DatabaseError) {
    guard !files.isEmpty else { return }
    try begin()
    for file in files { try setFileState.run(DatabaseValue(state.rawValue), .integer(now), .integer(file)) }
  }

  /// Marks files as away. Bad and forgotten ones remain what they are.
  func setAway(_ files: some Sequence<KnownFile>) throws(DatabaseError) {
    try setState(of: files.filter { $0.state == .here }.map(\.id), .away)
  }

  /// Marks files as missing. Those that another file has succeeded have moved: they are removed, as are those that cue
  /// sheets divided. Returns the numbers of both, of the files that were present before.
  func markMissing(_ files: some Sequence<KnownFile>) throws(DatabaseError) -> (missing: Int, moved: Int) {
    let gone = files.filter { $0.state == .here || $0.state == .bad || $0.state == .away }
    let divided = files.filter { $0.state == .divided }
    guard !gone.isEmpty || !divided.isEmpty else { return (0, 0) }
    let remove = try library.catalogue.prepare("DELETE FROM file WHERE id=?")
    var moved = 0
    for file in divided {
      try begin()
      try remove.run(.integer(file.id))
    }
    for file in gone {
      try begin()
      if try hasSuccessor(file) {
        try remove.run(.integer(file.id))
        moved += 1
      } else {
        try setFileState.run(DatabaseValue(FileState.missing.rawValue), .integer(now), .integer(file.id))
      }
      if isDue { try flush() }
    }
    try flush()
    return (gone.count - moved, moved)
  }

  /// True if the recording of a known file has gone on to a file of a folder that is there.
  func hasSuccessor(_ old: KnownFile) throws(DatabaseError) -> Bool { try freeRecordings.hasSuccessor(old) }

  /// Adds a file.
  ///
  /// - Parameters:
  ///   - old: A file with the same sound that is away: from now on both have one recording.
  ///   - claim: The weakest claim to a free recording that counts now.
  /// - Returns: False if the file has to wait, with a weaker one.
  func insert(
    _ file: PendingFile, _ facts: FileFacts, sharing old: KnownFile?, _ claim: FreeRecordings.Claim
  ) throws(DatabaseError) -> Bool {
    try begin(recordings: true)
    let recording: (id: Int64, isForgotten: Bool)
    if let old, let shared = old.recording {
      recording = (shared, old.state == .forgotten)
      try updateRecording.run(names(facts, file.path) + [.integer(shared)])
    } else {
      guard let found = try self.recording(for: file, facts, claim) else { return false }
      recording = found
    }
    try insertFile.bind(values(file, facts, recording: recording.id, wasForgotten: recording.isForgotten))
    _ = try insertFile.step()
    return true
  }

  /// Gives a known file another place, other facts, or both.
  ///
  /// - Returns: False if a file without a recording has to wait, as in `insert`.
  func update(
    _ known: KnownFile, with facts: FileFacts, at file: PendingFile, _ claim: FreeRecordings.Claim
  ) throws(DatabaseError) -> Bool {
    try begin(recordings: true)
    let recording: Int64
    if let old = known.recording {
      recording = old
      // The tags of a file in a folder count more than those of a server.
      let isTwin = file.root.path.isOnServer ? try hasSuccessor(known) : false
      if !isTwin { try updateRecording.run(names(facts, file.path) + [.integer(old)]) }
    } else {
      guard let found = try self.recording(for: file, facts, claim) else { return false }
      recording = found.id
      let isForgotten = known.state == .forgotten
      if found.isForgotten != isForgotten {
        try library.listener.prepare("UPDATE recording SET forgotten=? WHERE id=?")
          .run(.integer(isForgotten ? 1 : 0), .integer(recording))
      }
    }
    try keepFormerPath(of: known, movedTo: file)
    try freePlace.run(.integer(file.folderID), .blob(file.file.name), .integer(known.id))
    let values = try values(file, facts, recording: recording, wasForgotten: known.state == .forgotten)
    try updateFile.bind(values + [.integer(known.id)])
    _ = try updateFile.step()
    return true
  }

  /// Keeps the path that a file has left, unless another file has taken its place already.
  private func keepFormerPath(of known: KnownFile, movedTo file: PendingFile) throws(DatabaseError) {
    let isMoved = known.folder != file.folderID || known.name != file.file.name
    guard isMoved, let recording = known.recording, let former = try place(of: known.id) else { return }
    try library.catalogue.prepare("INSERT OR REPLACE INTO moved (path, recording) VALUES (?, ?)")
      .run(.blob(former.path.bytes), .integer(recording))
  }

  func move(_ known: KnownFile, to file: PendingFile) throws(DatabaseError) {
    try begin(recordings: true)
    try keepFormerPath(of: known, movedTo: file)
    try freePlace.run(.integer(file.folderID), .blob(file.file.name), .integer(known.id))
    let state: FileState = [.bad, .forgotten].contains(known.state) ? known.state : .here
    let stamp = file.file.stamp
    try moveFile.run(
      .integer(file.folderID), .blob(file.file.name), .integer(stamp.size), .integer(stamp.modified),
      .integer(stamp.changed), .integer(stamp.device), .integer(stamp.inode), DatabaseValue(state.rawValue),
      .integer(known.id))
    if let recording = known.recording { try moveRecording.run(.blob(file.path.bytes), .integer(recording)) }
  }

  private func values(
    _ file: PendingFile, _ facts: FileFacts, recording: Int64, wasForgotten: Bool = false
  ) throws(DatabaseError) -> [DatabaseValue] {
    let reader = facts.failure == nil ? facts.version : try refuser.number()
    let stamp = file.file.stamp
    let state: FileState =
      !facts.tracks.isEmpty ? .divided : wasForgotten ? .forgotten : facts.failure != nil ? .bad : .here
    return [
      .integer(file.folderID), .blob(file.file.name), .integer(stamp.size), .integer(stamp.modified),
      .integer(stamp.changed), .integer(stamp.device), .integer(stamp.inode), .integer(reader),
      .integer(Int64(state.rawValue)), .integer(now), DatabaseValue(facts.failure),
      facts.key.map(DatabaseValue.blob) ?? .null, facts.duration.map(DatabaseValue.real) ?? .null,
      .integer(facts.durationIsEstimated ? 1 : 0), DatabaseValue(facts.format), DatabaseValue(facts.bitRate),
      .blob(facts.tags.stored), .integer(recording),
    ]
  }

  /// The recording of a new file, and whether its track was removed: a free one, else a new one; `nil` if the file has
  /// to wait.
  private func recording(
    for file: PendingFile, _ facts: FileFacts, _ claim: FreeRecordings.Claim
  ) throws(DatabaseError) -> (id: Int64, isForgotten: Bool)? {
    if try hasRecordings(), let free = try freeRecordings.best(for: file, facts) {
      guard free.claim.rawValue >= claim.rawValue else { return nil }
      if facts.failure == nil {
        // It may have been only a path so far, in a playlist.
        try updateRecording.run(names(facts, file.path) + [.integer(free.recording)])
      } else {
        try moveRecording.run(.blob(file.path.bytes), .integer(free.recording))
      }
      freeRecordings.take(free, facts.key)
      return (free.recording, free.isForgotten)
    }
    try insertRecording.run(names(facts, file.path) + [.integer(now), .integer(change)])
    change += 1
    return (library.listener.lastInsertedRow, false)
  }

  /// The columns of a recording that a file decides.
  private func names(_ facts: FileFacts, _ path: BytePath) -> [DatabaseValue] {
    [
      facts.key.map(DatabaseValue.blob) ?? .null, .blob(path.bytes), DatabaseValue(facts.tags.first(.title)),
      DatabaseValue(facts.tags.first(.artist)), DatabaseValue(facts.tags.first(.album)),
      facts.duration.map(DatabaseValue.real) ?? .null,
    ]
  }

  /// False while this scan has added all recordings: a first scan need not search for recordings.
  func hasRecordings() throws(DatabaseError) -> Bool {
    if let known = areKnown.recordings { return known }
    let found = try library.listener.integer("SELECT 1 FROM recording LIMIT 1") != nil
    areKnown.recordings = found
    return found
  }
}
