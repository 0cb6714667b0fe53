internal import AudioModel
internal import ByteIO
public import Database

/// The playlists of a library, in the listener's database. Each change is an act that can be undone.
///
/// Positions of entries have gaps: a change writes the rows that it is about, and no others. Undoing restores whole rows,
/// the last act first, so that they fit.
public struct PlaylistStore {
  private let library: MusicLibrary
  var listener: Database { library.listener }
  /// The keys of sound that a playlist file names for its paths.
  var keys: [BytePath: [UInt8]] = [:]
  /// The names for addresses that are added without one, by the line that `PlaylistWriter` writes.
  public var titles: [[UInt8]: String] = [:]

  public init(_ library: MusicLibrary) { self.library = library }

  // MARK: Reading

  /// All of them, by name. Files that the index does not have are looked for.
  func playlists(in index: LibraryIndex) throws(DatabaseError) -> [Playlist] {
    var playlists: [Playlist] = []
    let lists = try listener.prepare("SELECT id, name, query, changed FROM list")
    while try lists.step() {
      playlists.append(
        Playlist(id: lists.integer(0), name: lists.text(1) ?? "", query: lists.text(2), changed: lists.integer(3)))
    }
    let servers = try ServedLists(library).notes()
    for place in playlists.indices { playlists[place].server = servers[playlists[place].id] }
    let keyed = playlists.map { (key: (SortKey($0.name), $0.name), playlist: $0) }
    playlists = keyed.sorted { $0.key < $1.key }.map(\.playlist)
    let entries = try listener.prepare(
      """
      SELECT entry.id, entry.recording, location, entry.title, recording.path, recording.title, artist, album
      FROM entry LEFT JOIN recording ON recording.id=entry.recording WHERE list=? ORDER BY position, entry.id
      """)
    for place in playlists.indices where playlists[place].query == nil {
      try entries.bind(.integer(playlists[place].id))
      while try entries.step() {
        let entry = Playlist.Entry(id: entries.integer(0), recording: entries.integer(1))
        playlists[place].entries.append(entry)
        if entry.recording == 0 || index.tracks(ofRecording: entry.recording).isEmpty {
          playlists[place].outsiders[entry.id] = Self.outsider(entries)
        }
      }
    }
    return playlists
  }

  private static func outsider(_ row: Statement) -> Playlist.Outsider {
    if let location = row.text(2) {
      // As `PlaylistWriter` wrote it: from the root on.
      let location = MediaLocation(written: Array(location.utf8), in: BytePath(""))
      let state = location.fileOnDisk.map { FileState(looking: $0) } ?? .here
      return Playlist.Outsider(location: location, title: row.text(3), state: state)
    }
    let location = MediaLocation(libraryPath: BytePath(row.blob(4)))
    return Playlist.Outsider(
      location: location, title: row.text(5) ?? row.text(3), artist: row.text(6), album: row.text(7),
      state: location.fileOnDisk.map { FileState(looking: $0) } ?? .here)
  }

  // MARK: Changing

  /// Changes a playlist, wholly or not at all.
  public func perform(_ edit: PlaylistEdit) throws(DatabaseError) -> PlaylistOutcome {
    try listener.transaction { () throws(DatabaseError) in try change(edit) }
  }

  private func change(_ edit: PlaylistEdit) throws(DatabaseError) -> PlaylistOutcome {
    switch edit {
    case .create(let name, let entries):
      if let refusal = try refusal(ofNew: name) { return refusal }
      let list = try insertList(name, query: nil)
      _ = try append(entries, to: list)
      try library.recordAct("make playlist \(name)", [MusicLibrary.Former(.list, list, nil)])
      return .done("playlist \(name) made, with \(counted(entries.count, "track"))")
    case .add(let name, let entries):
      guard let list = try list(named: name) else { return try change(.create(name, entries)) }
      guard list.query == nil else { return Self.refusal(ofSmart: name) }
      let added = try append(entries, to: list.id)
      try library.recordAct(
        "add \(counted(added.count, "track")) to \(name)", added.map { MusicLibrary.Former(.entry, $0, nil) })
      return .done("\(counted(added.count, "track")) added to \(name)")
    case .insert(let name, let entries, let number):
      guard let list = try list(named: name) else { return Self.refusal(ofUnknown: name) }
      guard list.query == nil else { return Self.refusal(ofSmart: name) }
      let places = try places(in: list.id)
      guard 1...places.count + 1 ~= number else { return Self.refusal(of: number, in: name, places.count) }
      let added = try append(entries, to: list.id)
      let ids = places.map(\.id)
      try arrange(
        list, places, as: ids[..<(number - 1)] + added + ids[(number - 1)...], added: added,
        "add \(counted(added.count, "track")) to \(name)")
      return .done("\(counted(added.count, "track")) added to \(name)")
    case .replace(let name, let entries):
      guard let list = try list(named: name) else { return try change(.create(name, entries)) }
      guard list.query == nil else { return Self.refusal(ofSmart: name) }
      let places = try places(in: list.id)
      let added = try append(entries, to: list.id)
      try arrange(list, places, as: added, added: added, "replace the tracks of \(name)")
      return .done("playlist \(name) has \(counted(added.count, "track"))")
    case .remove(let name, let numbers): return try remove(numbers, from: name)
    case .move(let name, let number, let target): return try change(.moveRange(name, number...number, to: target))
    case .moveRange(let name, let numbers, let target):
      guard let list = try list(named: name) else { return Self.refusal(ofUnknown: name) }
      guard list.query == nil else { return Self.refusal(ofSmart: name) }
      return try move(numbers, to: target, in: list)
    case .removeEntries(let ids):
      guard let (list, _, chosen) = try entries(ids) else { return .refused("the entry is gone already") }
      return try remove(chosen.map(\.id), from: list)
    case .moveEntries(let ids, let step):
      guard let (list, places, chosen) = try entries(ids) else { return .refused("the entry is gone already") }
      return try move(chosen, by: step, among: places, in: list)
    case .rename(let name, let new):
      guard let list = try list(named: name) else { return Self.refusal(ofUnknown: name) }
      if let refusal = try refusal(ofNew: new) { return refusal }
      try library.recordAct("rename playlist \(name) to \(new)", [former(list)])
      try listener.prepare("UPDATE list SET name=? WHERE id=?").run(.text(new), .integer(list.id))
      try noteChange(of: list.id)
      return .done("playlist \(name) renamed to \(new)")
    case .duplicate(let name, let new):
      guard let list = try list(named: name) else { return Self.refusal(ofUnknown: name) }
      if let refusal = try refusal(ofNew: new) { return refusal }
      let copy = try insertList(new, query: list.query)
      try listener.prepare(
        """
        INSERT INTO entry (list, position, recording, location, title)
        SELECT ?2, position, recording, location, title FROM entry WHERE list=?1 ORDER BY position, id
        """
      ).run(.integer(list.id), .integer(copy))
      try library.recordAct("duplicate playlist \(name) as \(new)", [MusicLibrary.Former(.list, copy, nil)])
      return .done("playlist \(name) duplicated as \(new)")
    case .delete(let names): return try delete(names)
    case .send(let name, let server):
      guard let list = try list(named: name) else { return Self.refusal(ofUnknown: name) }
      guard list.query == nil else { return Self.refusal(ofSmart: name) }
      return try ServedLists(library).send(list.id, name, to: server)
    case .save(let name, let query): return try save(name, query)
    }
  }

  private func save(_ name: String, _ query: String) throws(DatabaseError) -> PlaylistOutcome {
    if let list = try list(named: name) {
      guard list.query != nil else { return .refused("\(name) is a playlist of tracks: choose another name") }
      try library.recordAct("change playlist \(name)", [former(list)])
      try listener.prepare("UPDATE list SET query=? WHERE id=?").run(.text(query), .integer(list.id))
      try noteChange(of: list.id)
    } else {
      if let refusal = try refusal(ofNew: name) { return refusal }
      let list = try insertList(name, query: query)
      try library.recordAct("make playlist \(name)", [MusicLibrary.Former(.list, list, nil)])
    }
    return .done("playlist \(name) saved")
  }

  private func delete(_ names: [String]) throws(DatabaseError) -> PlaylistOutcome {
    var lists: [List] = []
    for name in names {
      guard let list = try list(named: name) else { return Self.refusal(ofUnknown: name) }
      lists.append(list)
    }
    var former: [MusicLibrary.Former] = []
    for list in lists {
      // Undone in reverse order: the list before its entries.
      former += try formers(of: try places(in: list.id).map(\.id)) + [self.former(list)]
      try listener.prepare("DELETE FROM list WHERE id=?").run(.integer(list.id))
    }
    let name = names.count == 1 ? "playlist \(names[0])" : "\(names.count) playlists"
    try library.recordAct("delete \(name)", former)
    return .done("\(name) deleted")
  }

  // MARK: Entries

  private typealias Place = (id: Int64, position: Int64)

  /// The playlist of entries, all its entries, and the chosen ones in their order; `nil` if they are gone.
  private func entries(
    _ ids: [Int64]
  ) throws(DatabaseError) -> (list: List, places: [Place], chosen: [(place: Int, id: Int64)])? {
    var list: List?
    for id in ids where list == nil { list = try self.list(ofEntry: id) }
    guard let list else { return nil }
    let (places, wanted) = (try places(in: list.id), Set(ids))
    return (list, places, places.enumerated().filter { wanted.contains($1.id) }.map { ($0, $1.id) })
  }

  /// Adds entries at the end of a list; their numbers.
  private func append(_ entries: [CollectedEntry], to list: Int64) throws(DatabaseError) -> [Int64] {
    let last = try listener.integer("SELECT max(position) FROM entry WHERE list=?", .integer(list)) ?? 0
    let insert = try listener.prepare(
      "INSERT INTO entry (list, position, recording, location, title) VALUES (?, ?, ?, ?, ?)")
    let lookup = try RecordingLookup(library)
    let introduce = try listener.prepare("INSERT INTO recording (path, key, added, changed) VALUES (?, ?, ?, ?)")
    var change = try library.nextChange()
    var ids: [Int64] = []
    for (number, entry) in entries.enumerated() {
      var (recording, location, title) = (DatabaseValue.null, DatabaseValue.null, entry.title)
      let path = entry.location.libraryPath
      // The sound decides: the file may have been moved, and another one may have its place.
      let key = path.flatMap { keys[$0] }
      if let path, let known = try lookup.recording(of: path.absolute, key: key) {
        recording = .integer(known)
      } else if case .file(let path) = entry.location {
        // A scan that finds the file takes it over.
        try introduce.run(
          .blob(path.absolute.bytes), key.map(DatabaseValue.blob) ?? .null, .integer(MusicLibrary.now),
          .integer(change))
        recording = .integer(listener.lastInsertedRow)
        change += 1
      } else {
        let line = PlaylistWriter.line(for: entry.location)
        location = .text(String(decoding: line, as: UTF8.self))
        title = title ?? titles[line]
      }
      title = title?.split(whereSeparator: \.isNewline).joined(separator: " ")
      try insert.run(
        .integer(list), .integer(last &+ Int64(number) &+ 1), recording, location, DatabaseValue(title))
      ids.append(listener.lastInsertedRow)
    }
    try noteChange(of: list)
    return ids
  }

  private func remove(_ numbers: [Int], from name: String) throws(DatabaseError) -> PlaylistOutcome {
    guard let list = try list(named: name) else { return Self.refusal(ofUnknown: name) }
    guard list.query == nil else { return Self.refusal(ofSmart: name) }
    let places = try places(in: list.id)
    if let wrong = numbers.first(where: { !(1...max(1, places.count) ~= $0) || places.isEmpty }) {
      return Self.refusal(of: wrong, in: name, places.count)
    }
    return try remove(Set(numbers).sorted().map { places[$0 - 1].id }, from: list)
  }

  private func remove(_ entries: [Int64], from list: List) throws(DatabaseError) -> PlaylistOutcome {
    try library.recordAct("remove \(counted(entries.count, "track")) from \(list.name)", try formers(of: entries))
    let delete = try listener.prepare("DELETE FROM entry WHERE id=?")
    for entry in entries { try delete.run(.integer(entry)) }
    try noteChange(of: list.id)
    return .done("\(counted(entries.count, "track")) removed from \(list.name)")
  }

  private func move(_ numbers: ClosedRange<Int>, to target: Int, in list: List) throws(DatabaseError) -> PlaylistOutcome
  {
    let places = try places(in: list.id)
    let wrong = [numbers.lowerBound, numbers.upperBound, target].first { !(1...max(1, places.count) ~= $0) }
    if let wrong = wrong ?? (places.isEmpty ? target : nil) {
      return Self.refusal(of: wrong, in: list.name, places.count)
    }
    guard target - 1 + numbers.count <= places.count else {
      return Self.refusal(of: target - 1 + numbers.count, in: list.name, places.count)
    }
    let moved = numbers.count == 1 ? "entry \(numbers.lowerBound)" : counted(numbers.count, "track")
    guard numbers.lowerBound != target else { return .done("\(moved) of \(list.name) is there already") }
    var ids = places.map(\.id)
    let rows = numbers.lowerBound - 1...numbers.upperBound - 1
    let range = ids[rows]
    ids.removeSubrange(rows)
    ids.insert(contentsOf: range, at: target - 1)
    try arrange(list, places, as: ids, "move \(moved) of \(list.name) to \(target)")
    return .done("\(moved) of \(list.name) moved to \(target)")
  }

  /// Gives a list these entries in this order. Only rows whose position changes are written: entries before and behind
  /// the change keep theirs if there is room between them.
  ///
  /// - Parameter added: The entries that are new; undoing deletes them.
  private func arrange(
    _ list: List, _ places: [Place], as ids: [Int64], added: [Int64] = [], _ act: String
  ) throws(DatabaseError) {
    let (kept, new) = (Set(ids), Set(added))
    let removed = places.map(\.id).filter { !kept.contains($0) }
    let start = zip(places, ids).prefix { $0.id == $1 }.count
    let end = zip(places.dropFirst(start).reversed(), ids.dropFirst(start).reversed()).prefix { $0.id == $1 }.count
    var free = places[start..<places.count - end].map(\.position)[...]
    let old = Dictionary(uniqueKeysWithValues: places.map { ($0.id, $0.position) })
    var last = start == 0 ? 0 : places[start - 1].position
    var moved: [(id: Int64, position: Int64)] = []
    for (place, id) in ids.enumerated().dropFirst(start) {
      let own = place < ids.count - end ? free.popFirst() : old[id]
      last = max(last &+ 1, own ?? 0)
      if new.contains(id) || old[id] != last { moved.append((id, last)) }
    }
    let changed = removed + moved.map(\.id).filter { !new.contains($0) }
    try library.recordAct(
      act, try formers(of: changed) + added.map { MusicLibrary.Former(.entry, $0, nil) })
    let write = try listener.prepare("UPDATE entry SET position=? WHERE id=?")
    for (id, position) in moved { try write.run(.integer(position), .integer(id)) }
    let delete = try listener.prepare("DELETE FROM entry WHERE id=?")
    for id in removed { try delete.run(.integer(id)) }
    try noteChange(of: list.id)
  }

  private func move(
    _ chosen: [(place: Int, id: Int64)], by step: Int, among places: [Place], in list: List
  ) throws(DatabaseError) -> PlaylistOutcome {
    guard let first = chosen.first else { return .refused("the entry is gone already") }
    let step = min(places.count, max(-places.count, step))
    if chosen.count == 1 {
      let number = first.place + 1
      return try move(number...number, to: min(places.count, max(1, number + step)), in: list)
    }
    let room = places.count - chosen.count
    let targets = chosen.enumerated().map { max($0, min($1.place + step, room + $0)) }
    let moved = Set(chosen.map(\.id))
    // The other entries take the places that are left.
    var ids = places.map(\.id).filter { !moved.contains($0) }
    for (entry, target) in zip(chosen, targets) { ids.insert(entry.id, at: target) }
    let name = "\(counted(chosen.count, "track")) of \(list.name)"
    guard ids != places.map(\.id) else { return .done("\(name) cannot be moved further") }
    try arrange(list, places, as: ids, "move \(name)")
    return .done("\(name) moved")
  }

  private func places(in list: Int64) throws(DatabaseError) -> [Place] {
    let rows = try listener.prepare("SELECT id, position FROM entry WHERE list=? ORDER BY position, id")
      .bind(.integer(list))
    var places: [Place] = []
    while try rows.step() { places.append((rows.integer(0), rows.integer(1))) }
    return places
  }

  // MARK: Lists

  private struct List {
    var id: Int64
    var name: String
    var query: String?
  }

  private func list(named name: String) throws(DatabaseError) -> List? {
    try list(listener.prepare("SELECT id, name, query FROM list WHERE name=?").bind(.text(name)))
  }

  private func list(ofEntry entry: Int64) throws(DatabaseError) -> List? {
    try list(
      listener.prepare("SELECT list.id, name, query FROM entry JOIN list ON list.id=list WHERE entry.id=?")
        .bind(.integer(entry)))
  }

  private func list(_ row: Statement) throws(DatabaseError) -> List? {
    guard try row.step() else { return nil }
    defer { row.reset() }
    return List(id: row.integer(0), name: row.text(1) ?? "", query: row.text(2))
  }

  /// Each change of a list has a later time than the one before, also within a second.
  private func noteChange(of list: Int64) throws(DatabaseError) {
    try listener.prepare("UPDATE list SET changed=max(?, changed+1) WHERE id=?")
      .run(.integer(MusicLibrary.now), .integer(list))
  }

  /// A number that each change of a playlist changes.
  public func revision() throws(DatabaseError) -> Int {
    var hasher = Hasher()
    let lists = try listener.prepare("SELECT id, changed FROM list ORDER BY id")
    while try lists.step() {
      hasher.combine(lists.integer(0))
      hasher.combine(lists.integer(1))
    }
    return hasher.finalize()
  }

  private func insertList(_ name: String, query: String?) throws(DatabaseError) -> Int64 {
    try listener.prepare("INSERT INTO list (name, query, changed) VALUES (?, ?, ?)")
      .run(.text(name), DatabaseValue(query), .integer(MusicLibrary.now))
    return listener.lastInsertedRow
  }

  private func refusal(ofNew name: String) throws(DatabaseError) -> PlaylistOutcome? {
    if name.allSatisfy(\.isWhitespace) { return .refused("a playlist needs a name") }
    if name.contains(where: \.isNewline) { return .refused("the name of a playlist is one line") }
    return try list(named: name) == nil ? nil : .refused("there is a playlist \(name) already")
  }

  private static func refusal(ofUnknown name: String) -> PlaylistOutcome { .refused("there is no playlist \(name)") }

  private static func refusal(ofSmart name: String) -> PlaylistOutcome {
    .refused("\(name) is a smart playlist: its query decides about its tracks")
  }

  private static func refusal(of number: Int, in name: String, _ count: Int) -> PlaylistOutcome {
    .refused("there is no entry \(number) in \(name), which has \(counted(count, "track"))")
  }

  // MARK: Undoing

  // A list as it was: its name, and in another line the query.
  private func former(_ list: List) -> MusicLibrary.Former {
    MusicLibrary.Former(.list, list.id, list.name + (list.query.map { "\n" + $0 } ?? ""))
  }

  // An entry as it was, in lines: list, position, recording, location, title.
  private func formers(of entries: [Int64]) throws(DatabaseError) -> [MusicLibrary.Former] {
    let row = try listener.prepare("SELECT list, position, recording, location, title FROM entry WHERE id=?")
    var formers: [MusicLibrary.Former] = []
    for entry in entries {
      try row.bind(.integer(entry))
      guard try row.step() else { continue }
      let value = (0..<5).map { row.text($0) ?? "" }.joined(separator: "\n")
      row.reset()
      formers.append(MusicLibrary.Former(.entry, entry, value))
    }
    return formers
  }

  /// Makes a list or an entry what it was before an act.
  func restore(_ former: MusicLibrary.Former) throws(DatabaseError) {
    let id = DatabaseValue.integer(former.target)
    guard let value = former.value else {
      if former.kind == .entry, let list = try list(ofEntry: former.target) { try noteChange(of: list.id) }
      if former.kind == .list { try ServedLists(library).noteUndone(former.target) }
      return try listener.prepare("DELETE FROM \(former.kind == .list ? "list" : "entry") WHERE id=?").run(id)
    }
    if former.kind == .list {
      let lines = value.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return try listener.prepare(
        """
        INSERT INTO list (id, name, query, changed) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (id) DO UPDATE SET name=?2, query=?3, changed=max(?4, changed+1)
        """
      ).run(id, .text(lines[0]), DatabaseValue(lines.dropFirst().first), .integer(MusicLibrary.now))
    }
    let fields = value.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 5, let list = Int64(fields[0]), let position = Int64(fields[1]) else { return }
    let texts = fields[3...].map { $0.isEmpty ? DatabaseValue.null : .text($0) }
    try listener.prepare(
      "INSERT OR REPLACE INTO entry (id, list, position, recording, location, title) VALUES (?, ?, ?, ?, ?, ?)"
    ).run([id, .integer(list), .integer(position), DatabaseValue(Int64(fields[2]))] + texts)
    try noteChange(of: list)
  }
}
