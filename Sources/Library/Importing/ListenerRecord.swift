public import ByteIO
public import Database
internal import Glibc

/// The listener's data of one track, for export.
public struct ListenerRecord: Sendable, Hashable {
  /// The key of the audio in hexadecimal digits.
  public var key: String?
  public var path: BytePath
  /// Names, for human readers.
  public var title, artist, album: String?
  /// The time of its addition, in seconds since 1970.
  public var added: Int64
  public var plays, skips: Int
  /// The time of the last play, in seconds since 1970.
  public var last: Int64?
  /// From 0 to 10.
  public var rating: Int?
  public var love: Bool
  /// The place at which it was left, in seconds; `nil` if it was not left in the middle.
  public var resume: Double?

  /// Without ratings and plays.
  public init(path: BytePath, added: Int64) {
    (self.path, self.added, plays, skips, love) = (path, added, 0, 0, false)
  }
}

// Export and import.
extension ListenerRecord {
  /// Calls `body` with the listener's data of each track of a library, including missing ones.
  public static func forEach(of library: MusicLibrary, _ body: (ListenerRecord) -> Void) throws(DatabaseError) {
    let rows = try library.listener.prepare(
      """
      SELECT lower(hex(key)), path, title, artist, album, added, plays, skips, last, rating, love, resume
      FROM recording ORDER BY id
      """)
    while try rows.step() {
      var record = ListenerRecord(path: BytePath(rows.blob(1)), added: rows.integer(5))
      record.key = rows.text(0).flatMap { $0.isEmpty ? nil : $0 }
      (record.title, record.artist, record.album) = (rows.text(2), rows.text(3), rows.text(4))
      (record.plays, record.skips) = (rows.int(6), rows.int(7))
      record.last = rows.isNull(8) ? nil : rows.integer(8)
      record.rating = rows.isNull(9) ? nil : rows.int(9)
      record.love = rows.integer(10) != 0
      record.resume = rows.isNull(11) ? nil : rows.real(11)
      body(record)
    }
  }

  /// Imports tracks of another library or of a backup: for the recordings with the same audio or path
  /// (`RecordAssignment`), otherwise for files that are added later. Existing ratings stay; counts become the larger of
  /// both. Importing twice changes nothing: after a failure, the same import continues.
  ///
  /// - Returns: The number of tracks that were known.
  public static func add(_ records: [ListenerRecord], to library: MusicLibrary) throws(DatabaseError) -> Int {
    let listener = library.listener
    let tracks = records.map(RecordAssignment.Track.init)
    var assignment = try RecordAssignment(library)
    try assignment.assign(zip(tracks, records))
    let insert = try listener.prepare("INSERT INTO recording (key, path, added, changed) VALUES (?, ?, ?, 0)")
    let update = try listener.prepare(
      """
      UPDATE recording SET added=min(added, ?2), plays=max(plays, ?3), skips=max(skips, ?4),
        last=nullif(max(coalesce(last, 0), ?5), 0), rating=coalesce(rating, ?6), love=max(love, ?7),
        resume=coalesce(resume, ?9), changed=?8, key=coalesce(key, ?10), title=coalesce(title, ?11),
        artist=coalesce(artist, ?12), album=coalesce(album, ?13)
      WHERE id=?1
      """)
    var known = 0
    // A record without a sound means any track with its path, also one of this import.
    let order = tracks.indices.filter { tracks[$0].key != nil } + tracks.indices.filter { tracks[$0].key == nil }
    for start in stride(from: 0, to: order.count, by: batchCount) {
      // Those who wait for the lock look for it every tenth of a second.
      if start > 0 { usleep(110_000) }
      try listener.transaction { () throws(DatabaseError) in
        var change = try library.nextChange()
        for place in order[start..<min(start + batchCount, order.count)] {
          let (track, record) = (tracks[place], records[place])
          let key = track.key.map(DatabaseValue.blob) ?? .null
          let recording: Int64
          if let found = try assignment.recording(of: track) {
            recording = found
            known += 1
          } else {
            try insert.run(key, .blob(record.path.bytes), .integer(record.added))
            recording = listener.lastInsertedRow
            assignment.note(recording, for: track)
          }
          try update.run(
            .integer(recording), .integer(record.added), DatabaseValue(limited(record.plays)),
            DatabaseValue(limited(record.skips)), .integer(record.last ?? 0),
            DatabaseValue(TrackRating.limited(record.rating)), .integer(record.love ? 1 : 0), .integer(change),
            record.resume.map(DatabaseValue.real) ?? .null, key, DatabaseValue(record.title),
            DatabaseValue(record.artist), DatabaseValue(record.album))
          change += 1
        }
      }
    }
    return known
  }

  /// A count that can still grow: anyone may have written the file.
  private static func limited(_ count: Int) -> Int { Int(UInt32(clamping: count)) }

  /// The number of records in one transaction, which takes about a quarter of a second: ratings and plays wait for it.
  static let batchCount = 5000
}
