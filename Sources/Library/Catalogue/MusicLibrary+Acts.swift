public import Database

// Changes by the listener, and undo.
extension MusicLibrary {
  /// A value before a change.
  struct Former {
    /// The meaning of `target`. Raw values are stored.
    enum Kind: String {
      /// A folder, by its number in `KeptRoots`; a removed track, by its recording.
      case root, track
      /// A removed track without a recording, by its file.
      case file
      /// A removed track by its recording, which other files share. The value is the state and the file.
      case copy
      case rating, love, list, entry
      /// The pin of a track of a server, by its number in `PinStore`.
      case pin
      /// A list that was put on a server, by its number.
      case sending

      var isCatalogued: Bool { [.root, .track, .file, .copy].contains(self) }
    }

    var kind: Kind
    var target: Int64
    var value: String?

    init(_ kind: Kind, _ target: Int64, _ value: String?) {
      (self.kind, self.target, self.value) = (kind, target, value)
    }
  }

  /// The number of changes that can be undone.
  private static let actLimit = 1000

  /// Records a change, in the same transaction.
  func recordAct(_ text: String, _ former: [Former]) throws(DatabaseError) {
    guard !former.isEmpty else { return }
    try listener.prepare("INSERT INTO act (at, text) VALUES (?, ?)").run(.integer(Self.now), .text(text))
    let act = listener.lastInsertedRow
    let insert = try listener.prepare("INSERT INTO former (act, kind, target, value) VALUES (?, ?, ?, ?)")
    for former in former {
      try insert.run(
        .integer(act), .text(former.kind.rawValue), .integer(former.target), DatabaseValue(former.value))
    }
    try listener.prepare("DELETE FROM act WHERE id<=?").run(.integer(act - Int64(Self.actLimit)))
  }

  func lastAct() throws(DatabaseError) -> Int64 { try listener.integer("SELECT max(id) FROM act") ?? 0 }

  /// Makes one change of all that were recorded after that one, in the same transaction.
  func joinActs(after last: Int64, as text: String) throws(DatabaseError) {
    guard let first = try listener.integer("SELECT min(id) FROM act WHERE id>?", .integer(last)) else { return }
    try listener.prepare("UPDATE former SET act=?1 WHERE act>?1").run(.integer(first))
    try listener.prepare("UPDATE act SET text=?2 WHERE id=?1").run(.integer(first), .text(text))
    try listener.prepare("DELETE FROM act WHERE id>?").run(.integer(first))
  }

  /// Undoes the last change. Returns its description, or `nil` if there is none.
  public func undo() throws(DatabaseError) -> String? {
    try listener.transaction { () throws(DatabaseError) -> String? in
      let last = try self.listener.prepare("SELECT id, text FROM act ORDER BY id DESC LIMIT 1")
      guard try last.step() else { return nil }
      let (act, text) = (last.integer(0), last.text(1) ?? "")
      last.reset()
      let values = try self.listener.prepare(
        "SELECT kind, target, value FROM former WHERE act=? ORDER BY rowid DESC"
      ).bind(.integer(act))
      var former: [Former] = []
      while try values.step() {
        guard let kind = values.text(0).flatMap(Former.Kind.init) else { continue }
        former.append(Former(kind, values.integer(1), values.text(2)))
      }
      // A rating does not wait for the catalogue, which a scan may hold.
      if former.contains(where: \.kind.isCatalogued) {
        try self.catalogue.transaction { () throws(DatabaseError) in
          for former in former { try self.restore(former) }
          try self.noteChangedCatalogue()
        }
      } else {
        for former in former { try self.restore(former) }
      }
      try self.listener.prepare("DELETE FROM act WHERE id=?").run(.integer(act))
      return text
    }
  }

  private func restore(_ former: Former) throws(DatabaseError) {
    let (target, value) = (DatabaseValue.integer(former.target), former.value.flatMap { Int64($0) })
    switch former.kind {
    case .root: try KeptRoots(library: self).restore(former.target, value.flatMap { RootState(rawValue: Int($0)) })
    case .track:
      try catalogue.prepare("UPDATE file SET state=? WHERE recording=? AND state=4").run(DatabaseValue(value), target)
      try listener.prepare("UPDATE recording SET forgotten=0 WHERE id=?").run(target)
    case .copy:
      let numbers = (former.value ?? "").split(separator: " ").compactMap { Int64($0) }
      guard numbers.count == 2 else { return }
      let removed = "recording=? AND state=4"
      let isThere =
        try catalogue.integer("SELECT 1 FROM file WHERE \(removed) AND id=?", target, .integer(numbers[1])) != nil
      // In a new catalogue the file has another number, and copies have other recordings.
      try catalogue.prepare("UPDATE file SET state=? WHERE \(removed)" + (isThere ? " AND id=\(numbers[1])" : ""))
        .run(.integer(numbers[0]), target)
      try listener.prepare("UPDATE recording SET forgotten=0 WHERE id=?").run(target)
    case .file:
      try catalogue.prepare("UPDATE file SET state=? WHERE id=?").run(DatabaseValue(value), target)
      guard let recording = try catalogue.integer("SELECT recording FROM file WHERE id=?", target) else { return }
      try listener.prepare("UPDATE recording SET forgotten=0 WHERE id=?").run(.integer(recording))
    case .rating:
      try listener.prepare("UPDATE recording SET rating=?, changed=? WHERE id=?")
        .run(DatabaseValue(value), .integer(nextChange()), target)
    case .love:
      try listener.prepare("UPDATE recording SET love=?, changed=? WHERE id=?")
        .run(.integer(value ?? 0), .integer(nextChange()), target)
    case .list, .entry: try PlaylistStore(self).restore(former)
    case .sending: try ServedLists(self).takeBack(former.target)
    case .pin:
      try listener.prepare("UPDATE pin SET wanted=? WHERE id=?").run(.integer(value ?? 0), target)
    }
  }
}
