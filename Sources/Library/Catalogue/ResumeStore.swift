public import ByteIO
public import Database

/// The places at which the listener left long tracks, in the database of the listener. On the thread of the library's
/// owner.
public struct ResumeStore {
  private let library: MusicLibrary
  private var database: Database { library.listener }
  /// The name of the property that each change counts up.
  static let revision = "places"

  public init(_ library: MusicLibrary) { self.library = library }

  /// Sets the place at which a track was left. A file that the library does not contain is remembered by its path.
  ///
  /// - Parameters:
  ///   - seconds: Seconds into the track; `nil` to play it from its start.
  ///   - time: Seconds since 1970.
  public func set(_ path: BytePath, to seconds: Double?, at time: Int64) throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      let place = seconds.map(DatabaseValue.real) ?? .null
      let recording = try RecordingLookup(library).recording(of: path)
      try database.prepare("UPDATE recording SET resume=?, resumed=? WHERE path=? OR id=?")
        .run(place, .integer(time), .blob(path.bytes), DatabaseValue(recording))
      try database.prepare(
        "INSERT INTO property VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value=CAST(value+1 AS TEXT)"
      ).run(.text(Self.revision))
      guard seconds != nil, recording == nil else { return }
      try database.prepare("INSERT INTO recording (path, added, resume, resumed, changed) VALUES (?, ?, ?, ?, 0)")
        .run(.blob(path.bytes), .integer(time), place, .integer(time))
    }
  }

  /// All places, at most 10,000: seconds into the tracks.
  public func all() throws(DatabaseError) -> [(path: BytePath, seconds: Double)] {
    let rows = try database.prepare(
      "SELECT path, resume FROM recording WHERE resume IS NOT NULL ORDER BY id DESC LIMIT 10000")
    var places: [(path: BytePath, seconds: Double)] = []
    while try rows.step() { places.append((BytePath(rows.blob(0)), rows.real(1))) }
    return places
  }

  /// The latest plays with their places, the last one first. They are few, so that it takes the same time for any size.
  func latestPlays() throws(DatabaseError) -> [LibraryView.LatestPlay] {
    let rows = try database.prepare(
      """
      SELECT recording.id, recording.resume, play.skipped
      FROM (SELECT id, recording, skipped FROM play ORDER BY id DESC LIMIT 300) AS play
      JOIN recording ON recording.id=play.recording ORDER BY play.id DESC
      """)
    var plays: [LibraryView.LatestPlay] = []
    while try rows.step() {
      let resume = rows.isNull(1) ? nil : rows.real(1)
      plays.append(.init(recording: rows.integer(0), resume: resume, isSkip: rows.integer(2) != 0))
    }
    return plays
  }
}
