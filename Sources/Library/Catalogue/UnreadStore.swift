internal import ByteIO
public import Database

/// Files and folders that the system did not let the last scan of their root read, with the reasons.
public struct UnreadStore {
  private let library: MusicLibrary

  public init(_ library: MusicLibrary) { self.library = library }

  /// Those of all roots, of each the first. The next scan reads them again.
  public func all() throws(DatabaseError) -> [BadFile] {
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
