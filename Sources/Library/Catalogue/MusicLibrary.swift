public import ByteIO
public import Database
internal import Glibc

/// The music library: a catalogue of files, and the listener's ratings, plays and playlists. Owns both databases.
///
/// Used by one thread at a time. Several programs can open the same library.
public final class MusicLibrary {
  /// The folder of both databases and of the index.
  public let folder: BytePath
  /// Facts that the files contain.
  let catalogue: Database
  /// Ratings, plays and playlists of the listener.
  let listener: Database
  /// A notice for the listener: a damaged database was renamed, and a backup took its place (`RepairNotice`).
  public let remark: String?
  /// The reason why the library is only read; `nil` if it can be written.
  public var refusal: DatabaseError? { listener.refusal ?? catalogue.refusal }

  /// Opens the library in a folder, or creates it. Damaged databases are repaired (`LibraryOpening`). Where nothing can be
  /// written it is only read.
  public init(folder: BytePath) throws(DatabaseError) {
    self.folder = folder
    folder.makeFolder()
    var opening = LibraryOpening(folder)
    listener = try opening.listener()
    catalogue = try opening.catalogue()
    remark = opening.remarks.isEmpty ? nil : opening.remarks.joined(separator: "; ")
    guard refusal == nil else { return }
    try waitForDisk()
    try introduce()
    try KeptRoots(library: self).reconcile()
  }

  /// Makes changes outlast a power cut: ratings, and in both databases folders and tracks that are added or removed.
  func waitForDisk() throws(DatabaseError) {
    for database in [listener, catalogue] { try database.execute("PRAGMA synchronous=FULL") }
  }

  /// Recordings are identified by numbers that are valid for one listener's database only.
  private func introduce() throws(DatabaseError) {
    if try listener.property("identity") == nil {
      try listener.prepare("INSERT OR IGNORE INTO property VALUES ('identity', ?)").run(.text(newIdentity()))
    }
    // Another program may have been faster.
    guard let identity = try listener.property("identity") else { return }
    // In an older copy of the listener's database, or after a power cut, the numbers of missing recordings would be
    // given to others. The catalogue is asked first: a scan of another program commits its recordings to the listener's
    // database before.
    let highest = try catalogue.integer("SELECT max(recording) FROM file") ?? 0
    let last = try listener.integer("SELECT seq FROM sqlite_sequence WHERE name='recording'") ?? 0
    let isKnown = try catalogue.property("listener") == identity
    guard !isKnown || highest > last else { return }
    try catalogue.transaction { () throws(DatabaseError) in
      // The next scan reads the files again, and finds their recordings by sound and path.
      try self.catalogue.execute(
        "UPDATE file SET recording=NULL, reader=0" + (isKnown ? " WHERE recording>\(last)" : ""))
      try self.catalogue.execute("DELETE FROM moved")
      try self.noteChangedCatalogue()
      try self.catalogue.setProperty("listener", identity)
    }
  }

  // MARK: Roots

  /// A folder of the library.
  public struct Root: Sendable, Hashable {
    public var id: Int64
    /// The absolute path.
    public var path: BytePath
    public var state: RootState
    /// The reason why it is away.
    public var reason: String?
    /// The disk at the last scan.
    var disk: DiskFacts?
  }

  /// Gives back the memory that only work needs (`PRAGMA shrink_memory`).
  public func shrink() { for database in [catalogue, listener] { try? database.execute("PRAGMA shrink_memory") } }

  public func roots() throws(DatabaseError) -> [Root] {
    let statement = try catalogue.prepare(
      "SELECT id, path, state, reason, device, filesystem FROM root ORDER BY path")
    var roots: [Root] = []
    while try statement.step() {
      roots.append(
        Root(
          id: statement.integer(0), path: BytePath(statement.blob(1)),
          state: RootState(rawValue: statement.int(2)) ?? .here, reason: statement.text(3),
          disk: statement.isNull(4)
            ? nil : DiskFacts(device: statement.integer(4), filesystem: statement.integer(5))))
    }
    return roots
  }

  /// A path as the library names it: see `Array.named`.
  public func named(_ path: BytePath) throws(DatabaseError) -> BytePath { try roots().named(path.absolute) }

  public enum Addition: Sendable, Hashable {
    case added
    /// The folder had been added before.
    case known
    /// A folder of the library contains it.
    case within(BytePath)
  }

  /// Adds a folder. Folders below it that were added before become part of it at the next scan. Tracks below it that
  /// were removed come back, also if it is a part of the library already.
  @discardableResult
  public func addRoot(_ path: BytePath) throws(DatabaseError) -> Addition {
    let path = path.absolute
    try KeptRoots(library: self).restoreTracks(below: path)
    for root in try roots() where root.state != .forgotten {
      if root.path == path { return .known }
      if path.isBelow(root.path) { return .within(root.path) }
    }
    try listener.transaction { () throws(DatabaseError) in
      let known = try self.catalogue.prepare("SELECT id, state FROM root WHERE path=?").bind(.blob(path.bytes))
      var former = RootState.forgotten
      if try known.step() { former = RootState(rawValue: known.int(1)) ?? .forgotten }
      known.reset()
      try self.catalogue.prepare(
        "INSERT INTO root (path, state) VALUES (?1, 0) ON CONFLICT (path) DO UPDATE SET state=0, reason=NULL"
      ).run(.blob(path.bytes))
      try self.noteChangedCatalogue()
      let id = try KeptRoots(library: self).keep(path, isForgotten: false)
      try self.recordAct("add \(path)", [Former(.root, id, String(former.rawValue))])
    }
    return .added
  }

  // MARK: Time

  /// Seconds since 1970.
  static var now: Int64 { Int64(time(nil)) }

  /// The next number of a change of the listener's database. The index stores the last number that it contains.
  func nextChange() throws(DatabaseError) -> Int64 { (try lastChange()) + 1 }

  func lastChange() throws(DatabaseError) -> Int64 { try listener.integer("SELECT max(changed) FROM recording") ?? 0 }
}

extension BytePath {
  public func isBelow(_ folder: BytePath) -> Bool {
    folder.bytes == [UInt8(ascii: "/")] && !isOnServer
      || bytes.count > folder.bytes.count && bytes.starts(with: folder.bytes)
        && bytes[folder.bytes.count] == UInt8(ascii: "/")
  }
}

private func newIdentity() -> String {
  var random = SystemRandomNumberGenerator()
  return String(random.next(), radix: 16) + String(random.next(), radix: 16)
}
