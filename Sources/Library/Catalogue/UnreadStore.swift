public import ByteIO
public import Database

/// Files that cannot be read as audio, and files and folders that the system did not let the last scan of their root
/// read, with the reasons.
public struct UnreadStore {
  private let library: MusicLibrary

  public init(_ library: MusicLibrary) { self.library = library }

  private static let badRows = """
    file JOIN folder ON folder.id=file.folder JOIN root ON root.id=folder.root WHERE file.state=2 AND root.state<>2
    """

  /// The number of all files that cannot be read as audio.
  public func badCount() throws(DatabaseError) -> Int {
    Int(clamping: try library.catalogue.integer("SELECT count(*) FROM \(Self.badRows)") ?? 0)
  }

  /// Files that cannot be read as audio, at most `limit` of them.
  public func bad(limit: Int) throws(DatabaseError) -> [BadFile] {
    let rows = try library.catalogue.prepare(
      """
      SELECT root.path, folder.path, file.name, file.error FROM \(Self.badRows) LIMIT ?
      """
    ).bind(.integer(Int64(limit)))
    var files: [BadFile] = []
    while try rows.step() {
      let (root, folder) = (BytePath(rows.blob(0)), BytePath(rows.blob(1)))
      let path = (folder.bytes.isEmpty ? root : root.appending(folder)).appending(BytePath(rows.blob(2)))
      files.append(BadFile(path: path, reason: rows.text(3) ?? "no sound"))
    }
    return files
  }

  /// Files and folders of all roots that the system did not let a scan read, of each root the first. The next scan reads
  /// them again.
  public func refused() throws(DatabaseError) -> [BadFile] {
    let roots = try library.roots().filter { $0.state != .forgotten }.map(\.path)
    return try stored().filter { Self.isBelow(roots, $0) }
  }

  /// Keeps the places that a scan of these roots could not read, instead of those of the scan before.
  func replace(_ places: [BadFile], below roots: [BytePath]) throws(DatabaseError) {
    let former = try stored()
    let all = former.filter { !Self.isBelow(roots, $0) } + places
    guard Set(all) != Set(former) else { return }
    try library.catalogue.transaction { () throws(DatabaseError) in
      try self.library.catalogue.execute("DELETE FROM unread")
      for place in all {
        try self.library.catalogue.prepare("INSERT OR REPLACE INTO unread VALUES (?, ?)")
          .run(.blob(place.path.bytes), .text(place.reason))
      }
    }
  }

  private func stored() throws(DatabaseError) -> [BadFile] {
    let rows = try library.catalogue.prepare("SELECT path, reason FROM unread ORDER BY path")
    var places: [BadFile] = []
    while try rows.step() { places.append(BadFile(path: BytePath(rows.blob(0)), reason: rows.text(1) ?? "")) }
    return places
  }

  private static func isBelow(_ roots: [BytePath], _ place: BadFile) -> Bool {
    roots.contains { place.path == $0 || place.path.isBelow($0) }
  }
}

/// A file that cannot be read as audio, or a place that the system could not read.
public struct BadFile: Sendable, Hashable {
  public var path: BytePath
  public var reason: String
}
