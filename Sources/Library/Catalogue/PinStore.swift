public import ByteIO
public import Database

/// The tracks of servers that the listener keeps on the disk, in the listener's database. On the thread of the library's
/// owner.
public struct PinStore {
  private let library: MusicLibrary
  private var database: Database { library.listener }

  public init(_ library: MusicLibrary) { self.library = library }

  /// Pins tracks, or unpins them, as one change that can be undone. Only tracks on servers count.
  ///
  /// - Returns: The number of tracks that changed.
  @discardableResult
  public func change(_ paths: [BytePath], isPinned: Bool) throws(DatabaseError) -> Int {
    try database.transaction { () throws(DatabaseError) in
      let read = try database.prepare("SELECT id, wanted FROM pin WHERE path=?")
      let write = try database.prepare(
        "INSERT INTO pin (path, wanted) VALUES (?1, ?2) ON CONFLICT (path) DO UPDATE SET wanted=?2 RETURNING id")
      var former: [MusicLibrary.Former] = []
      for path in paths where path.isOnServer {
        try read.bind(.blob(path.bytes))
        let wasPinned = try read.step() && read.integer(1) != 0
        read.reset()
        guard wasPinned != isPinned else { continue }
        try write.bind(.blob(path.bytes), .integer(isPinned ? 1 : 0))
        guard try write.step() else { continue }
        former.append(.init(.pin, write.integer(0), wasPinned ? "1" : "0"))
        write.reset()
      }
      let name = former.count == 1 && paths.count == 1 ? paths[0].description : "\(former.count) tracks"
      try library.recordAct((isPinned ? "pin " : "unpin ") + name, former)
      return former.count
    }
  }

  /// A track that is to be kept, or was.
  public struct Pin: Sendable, Hashable {
    public var path: BytePath
    public var isWanted: Bool
    /// The length of one that is there, whole.
    public var byteCount: Int64?
  }

  /// All that was ever pinned, the first one first.
  public func all() throws(DatabaseError) -> [Pin] {
    let rows = try database.prepare("SELECT path, wanted, bytes FROM pin ORDER BY id")
    var pins: [Pin] = []
    while try rows.step() {
      pins.append(
        Pin(
          path: BytePath(rows.blob(0)), isWanted: rows.integer(1) != 0,
          byteCount: rows.isNull(2) ? nil : rows.integer(2)))
    }
    return pins
  }

  private static let limitProperty = "pin limit"
  private static let defaultByteLimit: Int64 = 10_000_000_000

  /// The largest number of bytes of all tracks together.
  public func byteLimit() throws(DatabaseError) -> Int64 {
    try database.property(Self.limitProperty).flatMap { Int64($0) } ?? Self.defaultByteLimit
  }

  /// Sets the limit. What is there stays.
  public func setByteLimit(_ count: Int64) throws(DatabaseError) {
    try database.setProperty(Self.limitProperty, String(count))
  }

  /// Notes that a track is there, or no longer: the index is written anew if its server is away.
  public func note(_ path: BytePath, _ byteCount: Int64?) throws(DatabaseError) {
    try database.prepare("UPDATE pin SET bytes=? WHERE path=?").run(DatabaseValue(byteCount), .blob(path.bytes))
    let away = try library.roots().filter { $0.state == .away }
    guard away.contains(where: { path.isBelow($0.path) }) else { return }
    try library.catalogue.transaction { () throws(DatabaseError) in try library.noteChangedCatalogue() }
  }

  /// The tracks that are there and pinned.
  func whole() throws(DatabaseError) -> Set<BytePath> {
    Set(try all().lazy.filter { $0.isWanted && $0.byteCount != nil }.map(\.path))
  }

  /// Runs `body` while no other program fetches tracks of this library; returns `nil` if one does.
  public func exclusively<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result? {
    guard let lock = FolderLock(library.folder.appending(BytePath("pin.lock"))) else { return nil }
    defer { lock.unlock() }
    return try body()
  }
}
