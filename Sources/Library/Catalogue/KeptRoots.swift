internal import ByteIO
internal import Database

/// The folders that the listener added or removed, and the removed tracks, in the listener's database: a new catalogue
/// has them from there.
struct KeptRoots {
  let library: MusicLibrary

  /// Gives each database the folders that only the other one has. If both have a folder, the catalogue is right: it may
  /// be newer, after a power cut or beside an older copy of the listener's database.
  func reconcile() throws(DatabaseError) {
    guard try Self.states(known()) != Self.states(kept()) else { return }
    try library.listener.transaction { () throws(DatabaseError) in
      // Again, because another program may have been faster.
      let (known, kept) = (try known(), try kept())
      if kept.isEmpty { try keepForgottenTracks() }
      let (knownStates, keptStates) = (Self.states(known), Self.states(kept))
      for (path, isForgotten) in known where keptStates[path] != isForgotten {
        try keep(path, isForgotten: isForgotten)
      }
      let insert = try library.catalogue.prepare("INSERT OR IGNORE INTO root (path, state) VALUES (?, ?)")
      for (path, isForgotten) in kept where knownStates[path] == nil {
        let state = isForgotten ? RootState.forgotten : .here
        try insert.run(.blob(path.bytes), DatabaseValue(state.rawValue))
      }
    }
  }

  /// Keeps a folder as added or as removed. Returns its number.
  @discardableResult
  func keep(_ path: BytePath, isForgotten: Bool) throws(DatabaseError) -> Int64 {
    try library.listener.prepare(
      "INSERT INTO root (path, forgotten) VALUES (?1, ?2) ON CONFLICT (path) DO UPDATE SET forgotten=?2"
    ).run(.blob(path.bytes), .integer(isForgotten ? 1 : 0))
    return try library.listener.integer("SELECT id FROM root WHERE path=?", .blob(path.bytes)) ?? 0
  }

  /// Gives a folder the state that it had, in both databases.
  func restore(_ id: Int64, _ state: RootState?) throws(DatabaseError) {
    let row = try library.listener.prepare("SELECT path FROM root WHERE id=?").bind(.integer(id))
    guard let state, try row.step() else { return }
    let path = BytePath(row.blob(0))
    row.reset()
    try library.catalogue.prepare("UPDATE root SET state=? WHERE path=?")
      .run(DatabaseValue(state.rawValue), .blob(path.bytes))
    if state == .forgotten { try handOver(path) }
    try keep(path, isForgotten: state == .forgotten)
  }

  /// Gives the files of a removed folder that lie in another one as well to that one, the innermost of several.
  func handOver(_ path: BytePath) throws(DatabaseError) {
    let roots = try library.roots()
    let heirs = roots.filter { heir in
      heir.state != .forgotten && (heir.path.isBelow(path) || path.isBelow(heir.path))
    }
    guard let root = roots.first(where: { $0.path == path }), !heirs.isEmpty else { return }
    var folders: [(id: Int64, path: BytePath)] = []
    let rows = try library.catalogue.prepare("SELECT id, path FROM folder WHERE root=?").bind(.integer(root.id))
    while try rows.step() {
      let folder = BytePath(rows.blob(1))
      folders.append((rows.integer(0), folder.bytes.isEmpty ? path : path.appending(folder)))
    }
    let move = try library.catalogue.prepare("UPDATE folder SET root=?, path=? WHERE id=?")
    // A file that is known in both stays, and the next scan finds out.
    let moveFiles = try library.catalogue.prepare("UPDATE OR IGNORE file SET folder=? WHERE folder=?")
    for folder in folders {
      let owners = heirs.filter { folder.path == $0.path || folder.path.isBelow($0.path) }
      guard let heir = owners.max(by: { $0.path.bytes.count < $1.path.bytes.count }) else { continue }
      let start = heir.path.bytes.last == UInt8(ascii: "/") ? heir.path.bytes.count : heir.path.bytes.count + 1
      let place = BytePath(folder.path.bytes.dropFirst(start))
      let known = try library.catalogue.integer(
        "SELECT id FROM folder WHERE root=? AND path=?", .integer(heir.id), .blob(place.bytes))
      if let known {
        try moveFiles.run(.integer(known), .integer(folder.id))
      } else {
        try move.run(.integer(heir.id), .blob(place.bytes), .integer(folder.id))
      }
    }
  }

  /// Brings removed tracks back. Their act may be gone.
  func restoreTracks(below folder: BytePath) throws(DatabaseError) {
    try library.listener.transaction { () throws(DatabaseError) in
      let unmark = try library.listener.prepare("UPDATE recording SET forgotten=0 WHERE id=?")
      let marked = try library.listener.prepare("SELECT id, path FROM recording WHERE forgotten=1")
      var recordings: [Int64] = []
      while try marked.step() {
        if BytePath(marked.blob(1)).isBelow(folder) { recordings.append(marked.integer(0)) }
      }
      try library.catalogue.transaction { () throws(DatabaseError) in
        let removed = try library.catalogue.prepare(
          """
          SELECT file.id, root.path, folder.path, name, recording FROM file JOIN folder ON folder.id=file.folder
          JOIN root ON root.id=folder.root WHERE file.state=4
          """)
        var files: [Int64] = []
        while try removed.step() {
          let path = BytePath(removed.blob(1)).appending(BytePath(removed.blob(2)))
            .appending(BytePath(removed.blob(3)))
          guard path.isBelow(folder) else { continue }
          files.append(removed.integer(0))
          if !removed.isNull(4) { recordings.append(removed.integer(4)) }
        }
        // A scan finds those that are missing or away.
        let write = try library.catalogue.prepare(
          "UPDATE file SET state=CASE WHEN error IS NULL THEN 0 ELSE 2 END WHERE id=?")
        for file in files { try write.run(.integer(file)) }
        if !files.isEmpty { try library.noteChangedCatalogue() }
      }
      for recording in recordings { try unmark.run(.integer(recording)) }
    }
  }

  private typealias Root = (path: BytePath, isForgotten: Bool)

  private func known() throws(DatabaseError) -> [Root] {
    try Self.roots(library.catalogue.prepare("SELECT path, state=2 FROM root ORDER BY id"))
  }

  private func kept() throws(DatabaseError) -> [Root] {
    try Self.roots(library.listener.prepare("SELECT path, forgotten FROM root ORDER BY id"))
  }

  private static func roots(_ rows: Statement) throws(DatabaseError) -> [Root] {
    var roots: [Root] = []
    while try rows.step() { roots.append((BytePath(rows.blob(0)), rows.integer(1) != 0)) }
    return roots
  }

  private static func states(_ roots: [Root]) -> [BytePath: Bool] {
    Dictionary(roots.map { ($0.path, $0.isForgotten) }, uniquingKeysWith: { $1 })
  }

  /// Of a listener's database that kept nothing yet, the removed tracks are known to the catalogue alone.
  private func keepForgottenTracks() throws(DatabaseError) {
    let rows = try library.catalogue.prepare("SELECT recording FROM file WHERE state=4 AND recording IS NOT NULL")
    let keep = try library.listener.prepare("UPDATE recording SET forgotten=1 WHERE id=?")
    while try rows.step() { try keep.run(.integer(rows.integer(0))) }
  }
}
