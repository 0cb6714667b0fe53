public import ByteIO
public import Database

/// The file of another player with ratings, play counts and playlists.
public enum ForeignLibrary: Sendable, Hashable {
  /// `rhythmdb.xml` of Rhythmbox.
  case rhythmbox
  /// The XML file of iTunes and of Music.
  case iTunes
  /// A database: MPD's stickers, or the library of Strawberry or Clementine.
  case database
  case cmus
  /// A playlist of cmus, or another plain list of paths.
  case cmusPlaylist

  /// The kind of a file by its first bytes; `nil` for any other file.
  public init?(firstBytes: some Sequence<UInt8>) {
    let bytes = Array(firstBytes.prefix(1024))
    if bytes.starts(with: "SQLite format 3\0".utf8) {
      self = .database
    } else if bytes.starts(with: "<?xml".utf8), case let text = String(decoding: bytes, as: UTF8.self) {
      guard text.contains("<rhythmdb") || text.contains("<plist") else { return nil }
      self = text.contains("<rhythmdb") ? .rhythmbox : .iTunes
    } else if bytes.starts(with: CmusCache.mark) {
      self = .cmus
    } else if PlaylistRecord.isCmus(bytes) {
      self = .cmusPlaylist
    } else {
      return nil
    }
  }

  public struct Contents: Sendable, Hashable {
    public private(set) var records: [ListenerRecord] = []
    public internal(set) var playlists: [PlaylistRecord] = []

    public init(_ records: [ListenerRecord] = []) { self.records = records }

    /// Adds a track that has more than its names.
    mutating func add(_ record: ListenerRecord) {
      if record.plays > 0 || record.skips > 0 || record.rating != nil || record.love { records.append(record) }
    }
  }
}

extension ForeignLibrary {
  public enum Reading: Sendable, Hashable {
    case contents(Contents)
    /// The place of the music must be given, for this reason.
    case needsMusic(String)
  }

  /// Reads a file of this kind, which has these bytes.
  ///
  /// - Parameters:
  ///   - music: The folder of the music that the file names; `nil` if it is not given.
  ///   - now: The time of addition where the file has none, in seconds since 1970.
  public func read(
    _ file: BytePath, _ bytes: [UInt8], music: BytePath?, now: Int64
  ) throws(DatabaseError) -> Reading {
    switch self {
    case .rhythmbox: return .contents(Contents(ListenerRecord.rhythmbox(bytes, now: now)))
    case .cmus:
      var contents = Contents(ListenerRecord.cmus(bytes, now: now))
      contents.playlists = PlaylistRecord.besideCache(file)
      return .contents(contents)
    case .cmusPlaylist:
      var contents = Contents()
      contents.playlists = [.cmus(file, bytes)]
      return .contents(contents)
    case .iTunes:
      let library = ITunesLibrary(bytes)
      if music == nil, let folder = library.musicFolder, FileKind(folder) == nil {
        return .needsMusic("its music was in \(folder), which is not on this computer")
      }
      return .contents(library.contents(music: music, now: now))
    case .database:
      if let contents = try Self.songDatabase(file, now: now) { return .contents(contents) }
      guard let music else { return .needsMusic("MPD's stickers name files below its music_directory") }
      return .contents(Contents(try ListenerRecord.stickers(file, music: music, now: now)))
    }
  }
}

extension ListenerRecord {
  /// The tracks of Rhythmbox's database with a rating or plays. Its ratings are 0 to 5. Damaged entries are skipped.
  ///
  /// - Parameter now: The time of addition where the file has none, in seconds since 1970.
  public static func rhythmbox(_ document: [UInt8], now: Int64) -> [ListenerRecord] {
    var scanner = TagScanner(document)
    var records: [ListenerRecord] = []
    var values: [String: String]?
    var text = ""
    while let token = scanner.next() {
      switch token {
      case .text(let more): text += more
      case .begin("entry", let attributes, _): values = attributes["type"] == "song" ? [:] : nil
      case .begin: text = ""
      case .end("entry"):
        if let record = values.flatMap({ ListenerRecord(rhythmbox: $0, now: now) }) { records.append(record) }
        values = nil
      case .end(let name): values?[name] = text
      }
    }
    return records
  }

  private init?(rhythmbox values: [String: String], now: Int64) {
    guard case .file(let path)? = values["location"].map({ MediaLocation(written: Array($0.utf8), in: BytePath("/")) })
    else { return nil }
    func number(_ name: String) -> Int64? { values[name].flatMap { Int64($0) } }
    self.init(path: path, added: number("first-seen") ?? now)
    (title, artist, album) = (values["title"], values["artist"], values["album"])
    plays = Int(clamping: max(0, number("play-count") ?? 0))
    last = number("last-played").flatMap { $0 > 0 ? $0 : nil }
    rating = values["rating"].flatMap { Double($0) }.flatMap { 0 < $0 && $0 <= 5 ? Int(($0 * 2).rounded()) : nil }
    guard plays > 0 || rating != nil else { return nil }
  }

  /// The songs of MPD's sticker database with the stickers that clients use: `rating` (0 to 10), `playCount`, `skipCount`,
  /// `lastPlayed`, `like` (2: loved), and `elapsed`, the place at which a song was left. Case does not count.
  ///
  /// - Parameters:
  ///   - music: The folder `music_directory` of MPD, to which names are relative.
  ///   - now: The time of addition, in seconds since 1970.
  public static func stickers(_ file: BytePath, music: BytePath, now: Int64) throws(DatabaseError) -> [ListenerRecord] {
    let database = try Database(reading: file)
    let rows = try database.prepare("SELECT uri, lower(name), value FROM sticker WHERE type='song' ORDER BY uri")
    var records: [ListenerRecord] = []
    while try rows.step() {
      let path = music.appending(BytePath(rows.blob(0)))
      if records.last?.path != path { records.append(ListenerRecord(path: path, added: now)) }
      guard let value = rows.text(2).flatMap({ Double($0) }), value >= 0, value < 1e15 else { continue }
      let last = records.count - 1
      switch rows.text(1) {
      case "rating": records[last].rating = value <= 10 ? Int(value.rounded()) : nil
      case "playcount": records[last].plays = Int(value)
      case "skipcount": records[last].skips = Int(value)
      case "lastplayed": records[last].last = value > 0 ? Int64(value) : nil
      case "like": records[last].love = value == 2
      case "elapsed": records[last].resume = value > 0 ? value : nil
      default: break
      }
    }
    return records.filter { $0 != ListenerRecord(path: $0.path, added: $0.added) }
  }
}
