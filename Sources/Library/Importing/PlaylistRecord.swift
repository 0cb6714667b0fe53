internal import ByteIO
public import Database

/// A playlist as it is exported to another library.
public struct PlaylistRecord: Sendable, Hashable {
  public struct Entry: Sendable, Hashable {
    /// A path or an address, as in a playlist file (m3u8).
    public var location: [UInt8]
    /// The key of the audio in hexadecimal digits; `nil` if the entry is no file, or was never read.
    public var key: String?
    /// A title in place of the track's own.
    public var title: String?

    public init(location: [UInt8], key: String?, title: String?) {
      (self.location, self.key, self.title) = (location, key, title)
    }
  }

  public var name: String
  /// The query of a smart playlist.
  public var query: String?
  public var entries: [Entry]

  public init(name: String, query: String? = nil, entries: [Entry] = []) {
    (self.name, self.query, self.entries) = (name, query, entries)
  }
}

extension PlaylistRecord {
  public static func all(of library: MusicLibrary) throws(DatabaseError) -> [PlaylistRecord] {
    let lists = try library.listener.prepare("SELECT id, name, query FROM list ORDER BY name")
    var records: [(id: Int64, record: PlaylistRecord)] = []
    while try lists.step() {
      records.append((lists.integer(0), PlaylistRecord(name: lists.text(1) ?? "", query: lists.text(2))))
    }
    let rows = try library.listener.prepare(
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

  /// Imports the playlist, unless there is one of this name. Files are recognised by their audio or their path.
  ///
  /// - Returns: False if there is one of this name, or the name is not possible.
  public func add(to library: MusicLibrary) throws(DatabaseError) -> Bool {
    var store = PlaylistStore(library)
    var collected: [CollectedEntry] = []
    for entry in entries {
      let location = MediaLocation(written: entry.location, in: BytePath("/"))
      if case .file(let path) = location { store.keys[path] = entry.key.flatMap(bytes(ofHex:)) }
      collected.append(CollectedEntry(location: location, title: entry.title))
    }
    guard try library.listener.integer("SELECT 1 FROM list WHERE name=?", .text(name)) == nil,
      case .done = try store.perform(query.map { .save(name, query: $0) } ?? .create(name, collected))
    else { return false }
    return true
  }
}
