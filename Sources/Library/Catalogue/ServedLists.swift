internal import AudioModel
internal import ByteIO
internal import Database

/// The playlists of the listener that are also on servers, and what both sides had when they were compared last
/// (docs/decisions/0064-playlists-places-and-queues-of-servers.md).
struct ServedLists {
  /// A playlist here and on a server.
  struct Row: Sendable, Hashable {
    /// Its number here, also of one that was deleted.
    var list: Int64
    var root: BytePath
    /// Its ID on the server; empty if the server has it no more, or not yet.
    var remote = ""
    /// Its name there, and here.
    var name = "", ownName = ""
    /// Sums of its tracks there, and here.
    var tracks: Int64 = 0, ownTracks: Int64 = 0
    /// Those that the server said with its list of playlists.
    var version: String?, count = 0
    /// The tracks that are being sent: after a lost answer the server may have them, or the first of them.
    var sending: [String]?
    /// The last change of the list here that was compared.
    var seen: Int64 = 0
    /// True if the listener may change it there.
    var isOwn = true
    /// The reason why the server refused a change.
    var refusal: String?
  }

  /// A list as it is here.
  struct State: Hashable {
    var name: String
    var changed: Int64
    /// IDs on the server, as parts of addresses.
    var tracks: [String]
    /// The number of entries that the server does not have.
    var strangerCount: Int

    var canBeSent: Bool { strangerCount == 0 }
  }

  private let library: MusicLibrary
  private static let columns =
    "list, root, remote, name, ownName, tracks, ownTracks, version, count, sending, seen, owned, refusal"

  init(_ library: MusicLibrary) { self.library = library }

  /// The playlists that are also on a server; of all servers without a root.
  func rows(of root: BytePath? = nil) throws(DatabaseError) -> [Row] {
    let rows = try library.listener.prepare(
      "SELECT \(Self.columns) FROM servedList WHERE ?1 IS NULL OR root=?1 ORDER BY list"
    ).bind(root.map { DatabaseValue.blob($0.bytes) } ?? .null)
    var all: [Row] = []
    while try rows.step() {
      var row = Row(list: rows.integer(0), root: BytePath(rows.blob(1)))
      (row.remote, row.name, row.ownName) = (rows.text(2) ?? "", rows.text(3) ?? "", rows.text(4) ?? "")
      (row.tracks, row.ownTracks) = (rows.integer(5), rows.integer(6))
      (row.version, row.count) = (rows.text(7), rows.int(8))
      row.sending = rows.text(9).map { $0.split(separator: "\n").map(String.init) }
      (row.seen, row.isOwn, row.refusal) = (rows.integer(10), rows.int(11) != 0, rows.text(12))
      all.append(row)
    }
    return all
  }

  func keep(_ row: Row) throws(DatabaseError) {
    try library.listener.prepare(
      "INSERT OR REPLACE INTO servedList (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ).run([
      .integer(row.list), .blob(row.root.bytes), .text(row.remote), .text(row.name), .text(row.ownName),
      .integer(row.tracks), .integer(row.ownTracks), DatabaseValue(row.version), DatabaseValue(row.count),
      DatabaseValue(row.sending?.joined(separator: "\n")), .integer(row.seen), .integer(row.isOwn ? 1 : 0),
      DatabaseValue(row.refusal),
    ])
  }

  /// Keeps what was sent. The listener may have undone meanwhile what had made the list, here (`noteUndone`) or there
  /// (`takeBack`): the next comparison deletes one there that was taken back.
  func keepSent(_ row: Row) throws(DatabaseError) {
    try library.listener.transaction { () throws(DatabaseError) in
      var row = row
      let (list, root) = (DatabaseValue.integer(row.list), DatabaseValue.blob(row.root.bytes))
      let owned = try library.listener.integer("SELECT owned FROM servedList WHERE list=? AND root=?", list, root)
      if let owned {
        row.isOwn = row.isOwn && owned != 0
      } else {
        guard !row.remote.isEmpty else { return }
        try library.listener.prepare("DELETE FROM servedList WHERE list<0 AND root=? AND remote=?")
          .run(root, .text(row.remote))
        row.list = try library.listener.integer("SELECT \(Self.freeNumber) FROM servedList") ?? -1
        row.refusal = nil
      }
      if row.list < 0, row.remote.isEmpty { try remove(row.list) } else { try keep(row) }
    }
  }

  /// A number that no list has, nor one that was taken back.
  private static let freeNumber = "min(coalesce(min(list), 0), 0) - 1"

  func remove(_ list: Int64) throws(DatabaseError) {
    try library.listener.prepare("DELETE FROM servedList WHERE list=?").run(.integer(list))
  }

  /// An undone act had made this list, which goes only here: the server keeps its own.
  func noteUndone(_ list: Int64) throws(DatabaseError) {
    try library.listener.prepare("UPDATE servedList SET owned=0 WHERE list=?").run(.integer(list))
  }

  func list(named name: String) throws(DatabaseError) -> Int64? {
    try library.listener.integer("SELECT id FROM list WHERE name=?", .text(name))
  }

  /// The name and the last change of a list; `nil` if it was deleted.
  func head(of list: Int64) throws(DatabaseError) -> (name: String, changed: Int64)? {
    let row = try library.listener.prepare("SELECT name, changed FROM list WHERE id=?").bind(.integer(list))
    guard try row.step() else { return nil }
    defer { row.reset() }
    return (row.text(0) ?? "", row.integer(1))
  }

  /// A list with the IDs of its tracks on a server; `nil` if it was deleted.
  func state(of list: Int64, on root: BytePath) throws(DatabaseError) -> State? {
    guard let head = try head(of: list) else { return nil }
    var state = State(name: head.name, changed: head.changed, tracks: [], strangerCount: 0)
    let entries = try library.listener.prepare(
      """
      SELECT entry.recording, coalesce(location, path) FROM entry LEFT JOIN recording ON recording.id=entry.recording
      WHERE list=? ORDER BY position, entry.id
      """
    ).bind(.integer(list))
    let file = try library.catalogue.prepare(
      """
      SELECT file.name FROM file JOIN folder ON folder.id=file.folder JOIN root ON root.id=folder.root
      WHERE recording=? AND root.path=? ORDER BY file.state<>0, file.id
      """)
    while try entries.step() {
      try file.bind(.integer(entries.integer(0)), .blob(root.bytes))
      let path = BytePath(entries.isNull(1) ? [] : entries.blob(1))
      if try file.step() {
        state.tracks.append(BytePath(file.blob(0)).description)
      } else if path.isBelow(root) {
        state.tracks.append(path.lastComponent.description)
      } else {
        state.strangerCount += 1
      }
      file.reset()
    }
    return state
  }

  /// The next comparison puts this list on the server with that name, or without one on the only server that has its
  /// tracks.
  func send(_ list: Int64, _ name: String, to server: String?) throws(DatabaseError) -> PlaylistOutcome {
    if let row = try rows().first(where: { $0.list == list }), !row.remote.isEmpty || row.refusal == nil {
      return .refused("\(name) is on \(row.root.server ?? "a server") already")
    }
    var (able, reasons) = ([BytePath](), [String]())
    for root in try library.roots() where root.path.isOnServer && root.state != .forgotten {
      let place = root.path.server ?? ""
      guard server == nil || server == place, let state = try state(of: list, on: root.path) else { continue }
      if state.canBeSent {
        able.append(root.path)
      } else {
        reasons.append("\(place) does not have \(counted(state.strangerCount, "track")) of \(name)")
      }
    }
    guard let root = able.first else {
      if reasons.isEmpty { reasons = [server.map { "there is no server \($0)" } ?? "there is no server of music"] }
      return .refused(reasons.joined(separator: "; "))
    }
    guard able.count == 1 else {
      return .refused("name one of the servers \(able.compactMap(\.server).joined(separator: ", "))")
    }
    try keep(Row(list: list, root: root, ownName: name))
    let place = root.server ?? ""
    try library.recordAct("send playlist \(name) to \(place)", [MusicLibrary.Former(.sending, list, nil)])
    return .done("playlist \(name) goes to \(place)")
  }

  /// Undoes `send`: the row gets a number that no list has, so that it is deleted there as if it was deleted here. One
  /// of which nothing was sent is gone.
  func takeBack(_ list: Int64) throws(DatabaseError) {
    try library.listener.prepare("DELETE FROM servedList WHERE list=? AND remote='' AND sending IS NULL")
      .run(.integer(list))
    try library.listener.prepare(
      "UPDATE servedList SET list=(SELECT \(Self.freeNumber) FROM servedList), refusal=NULL WHERE list=?"
    ).run(.integer(list))
  }

  /// For each list that is also on a server: its name, and the reason why a change does not go there. Looks only at the
  /// tracks of lists that have changed.
  func notes() throws(DatabaseError) -> [Int64: Playlist.OnServer] {
    var (notes, changed) = ([Int64: Playlist.OnServer](), Set<Int64>())
    let served = try library.listener.prepare(
      """
      SELECT servedList.list, root, refusal, changed<>seen FROM servedList JOIN list ON list.id=servedList.list
      """)
    while try served.step() {
      let (list, refusal) = (served.integer(0), served.text(2))
      notes[list] = Playlist.OnServer(name: BytePath(served.blob(1)).server ?? "", refusal: refusal)
      if refusal == nil, served.int(3) != 0 { changed.insert(list) }
    }
    guard !changed.isEmpty else { return notes }
    for row in try rows() where changed.contains(row.list) {
      guard let state = try state(of: row.list, on: row.root), row.isChanged(state) else { continue }
      if !row.isOwn {
        notes[row.list]?.refusal = "it cannot be changed there"
      } else if state.strangerCount > 0 {
        notes[row.list]?.refusal = "\(counted(state.strangerCount, "track")) not there"
      }
    }
    return notes
  }
}

extension ServedLists.Row {
  /// True if the list here is not what it was at the last comparison.
  func isChanged(_ state: ServedLists.State) -> Bool {
    state.name != ownName || state.strangerCount > 0 || Self.sum(of: state.tracks) != ownTracks
  }

  static func sum(of tracks: [String]) -> Int64 { Int64(bitPattern: tracks.joined(separator: "\n").utf8.fnvSum()) }

  /// The tracks that were sent, or the first of them, are no change there.
  mutating func noteSent(_ theirs: [String]) {
    if sending?.starts(with: theirs) == true { tracks = Self.sum(of: theirs) }
  }
}
