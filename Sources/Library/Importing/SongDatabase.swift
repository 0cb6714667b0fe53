public import ByteIO
public import Database

extension ForeignLibrary {
  /// The tracks and playlists of the database of Strawberry or Clementine; `nil` for a database without songs. Tracks of
  /// cue sheets are left out: they have no files of their own.
  ///
  /// - Parameter now: The time of addition, in seconds since 1970.
  public static func songDatabase(_ file: BytePath, now: Int64) throws(DatabaseError) -> Contents? {
    let database = try Database(reading: file)
    // Strawberry calls the address of a file `url`, Clementine, from which it comes, `filename`.
    let columns = try columns(of: "songs", in: database)
    guard let place = ["url", "filename"].first(where: columns.contains) else { return nil }
    let rows = try database.prepare(
      """
      SELECT \(place), title, artist, album, playcount, skipcount, lastplayed, rating FROM songs
      WHERE coalesce(cue_path, '')=''
      """)
    var contents = Contents()
    while try rows.step() {
      guard case let address = rows.blob(0), isLocation(address),
        case .file(let path) = MediaLocation(written: address, in: BytePath("/"))
      else { continue }
      var record = ListenerRecord(path: path, added: now)
      (record.title, record.artist, record.album) = (rows.text(1), rows.text(2), rows.text(3))
      (record.plays, record.skips) = (max(0, rows.int(4)), max(0, rows.int(5)))
      record.last = rows.integer(6) > 0 ? rows.integer(6) : nil
      // From 0 to 1; -1 without a rating.
      if case let rating = rows.real(7), 0 < rating, rating <= 1 { record.rating = Int((rating * 10).rounded()) }
      contents.add(record)
    }
    contents.playlists = try playlists(of: database, place)
    return contents
  }

  private static func playlists(of database: Database, _ place: String) throws(DatabaseError) -> [PlaylistRecord] {
    let columns = try columns(of: "playlist_items", in: database)
    guard let song = ["collection_id", "library_id"].first(where: columns.contains), columns.contains("url") else {
      return []
    }
    // A song is named by its number, a file outside the collection and a station by its address.
    let rows = try database.prepare(
      """
      SELECT list.ROWID, name, coalesce(songs.\(place), nullif(item.\(place), ''), nullif(item.url, ''))
      FROM playlists AS list JOIN playlist_items AS item ON item.playlist=list.ROWID
      LEFT JOIN songs ON songs.ROWID=item.\(song) ORDER BY list.ROWID, item.ROWID
      """)
    var (lists, latest): ([PlaylistRecord], Int64?) = ([], nil)
    while try rows.step() {
      guard let name = rows.text(1), !name.isEmpty, isLocation(rows.blob(2)) else { continue }
      if rows.integer(0) != latest { lists.append(PlaylistRecord(name: name)) }
      latest = rows.integer(0)
      lists[lists.count - 1].entries.append(.init(location: rows.blob(2), key: nil, title: nil))
    }
    return lists
  }

  /// False for the tracks of services, such as `qobuz:77`.
  private static func isLocation(_ address: [UInt8]) -> Bool {
    address.first == UInt8(ascii: "/") || String(decoding: address.prefix(20), as: UTF8.self).contains("://")
  }

  private static func columns(of table: String, in database: Database) throws(DatabaseError) -> Set<String> {
    let rows = try database.prepare("SELECT name FROM pragma_table_info('\(table)')")
    var names: Set<String> = []
    while try rows.step() { if let name = rows.text(0) { names.insert(name) } }
    return names
  }
}
