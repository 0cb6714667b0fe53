public import ByteIO
public import Database

// Resume points.
extension MusicLibrary {
  /// Sets the place at which a track was left. A file that the library does not contain is remembered by its path.
  ///
  /// - Parameters:
  ///   - seconds: Seconds into the track; `nil` to play it from its start.
  ///   - time: Seconds since 1970.
  public func setResumePoint(of path: BytePath, to seconds: Double?, at time: Int64) throws(DatabaseError) {
    try listener.transaction { () throws(DatabaseError) in
      let place = seconds.map(DatabaseValue.real) ?? .null
      try self.listener.prepare("UPDATE recording SET resume=? WHERE path=?").run(place, .blob(path.bytes))
      guard seconds != nil,
        try self.listener.integer("SELECT 1 FROM recording WHERE path=? LIMIT 1", .blob(path.bytes)) == nil
      else { return }
      try self.listener.prepare("INSERT INTO recording (path, added, resume, changed) VALUES (?, ?, ?, 0)")
        .run(.blob(path.bytes), .integer(time), place)
    }
  }

  /// All resume points, at most 10,000: seconds into the tracks.
  public func resumePoints() throws(DatabaseError) -> [(path: BytePath, seconds: Double)] {
    let rows = try listener.prepare(
      "SELECT path, resume FROM recording WHERE resume IS NOT NULL ORDER BY id DESC LIMIT 10000")
    var points: [(path: BytePath, seconds: Double)] = []
    while try rows.step() { points.append((BytePath(rows.blob(0)), rows.real(1))) }
    return points
  }
}
