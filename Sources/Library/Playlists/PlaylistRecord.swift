internal import ByteIO
public import Database

/// A playlist as it is exported to another library.
public struct PlaylistRecord: Sendable, Hashable {
  /// An entry.
  public struct Entry: Sendable, Hashable {
    /// A path or an address, as in a playlist file (m3u8).
    public var location: [UInt8]
    /// The key of the audio in hexadecimal digits; `nil` if the entry is no file, or was never read.
    public var key: String?
    /// A title in place of the track's own.
    public var title: String?

    /// An entry.
    public init(location: [UInt8], key: String?, title: String?) {
      (self.location, self.key, self.title) = (location, key, title)
    }
  }

  /// The name.
  public var name: String
  /// The query of a smart playlist.
  public var query: String?
  /// The entries in their order.
  public var entries: [Entry]

  /// A playlist.
  public init(name: String, query: String? = nil, entries: [Entry] = []) {
    (self.name, self.query, self.entries) = (name, query, entries)
  }
}

extension PlaylistStore {
  /// All playlists, for export.
  public func records() throws(DatabaseError) -> [PlaylistRecord] {
    let lists = try listener.prepare("SELECT id, name, query FROM list ORDER BY name")
    var records: [(id: Int64, record: PlaylistRecord)] = []
    while try lists.step() {
      records.append((lists.integer(0), PlaylistRecord(name: lists.text(1) ?? "", query: lists.text(2))))
    }
    let rows = try listener.prepare(
      """
      SELECT location, path, lower(hex(key)), entry.title FROM entry LEFT JOIN recording ON recording.id=entry.recording
      WHERE list=? ORDER BY position, entry.id
      """)
    for index in records.indices {
      try rows.bind(.integer(records[index].id))
      while try rows.step() {
        let location = rows.text(0).map { Array($0.utf8) } ?? PlaylistWriter.line(for: .file(BytePath(rows.blob(1))))
        let key = rows.text(2).flatMap { $0.isEmpty ? nil : $0 }
        records[index].record.entries.append(.init(location: location, key: key, title: rows.text(3)))
      }
    }
    return records.map(\.record)
  }

  /// Imports a playlist, unless there is one of this name. Files are recognised by their audio or their path.
  ///
  /// - Returns: False if there is one of this name, or the name is not possible.
  public func importRecord(_ record: PlaylistRecord) throws(DatabaseError) -> Bool {
    var store = self
    var entries: [CollectedEntry] = []
    for entry in record.entries {
      let location = MediaLocation(written: entry.location, in: BytePath("/"))
      if case .file(let path) = location { store.keys[path] = entry.key.flatMap(bytes(ofHex:)) }
      entries.append(CollectedEntry(location: location, title: entry.title))
    }
    let edit = record.query.map { PlaylistEdit.save(record.name, query: $0) } ?? .create(record.name, entries)
    guard try listener.integer("SELECT 1 FROM list WHERE name=?", .text(record.name)) == nil,
      case .done = try store.perform(edit)
    else { return false }
    return true
  }
}
