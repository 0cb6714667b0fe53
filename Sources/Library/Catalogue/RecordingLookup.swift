internal import ByteIO
internal import Database

/// Finds recordings by path and sound.
struct RecordingLookup {
  private let recordings: Statement
  private let fileWithPlace: Statement

  init(_ library: MusicLibrary) throws(DatabaseError) {
    recordings = try library.listener.prepare(
      """
      SELECT id, 2*coalesce(key=?2, 0)+coalesce(path=?1, 0) AS fit FROM recording WHERE path=?1 OR key=?2
      ORDER BY fit DESC, id DESC
      """)
    fileWithPlace = try library.catalogue.prepare("SELECT 1 FROM file WHERE recording=? AND folder IS NOT NULL LIMIT 1")
  }

  /// The recording with this sound or path. Of several with the same sound, path or both, the one whose file has its
  /// place: another file may have taken the place of a missing one.
  func recording(of path: BytePath, key: [UInt8]? = nil) throws(DatabaseError) -> Int64? {
    try recordings.bind(.blob(path.bytes), key.map(DatabaseValue.blob) ?? .null)
    var (found, best): ([Int64], Int64) = ([], 0)
    while try recordings.step() {
      if found.isEmpty { best = recordings.integer(1) }
      if recordings.integer(1) == best { found.append(recordings.integer(0)) }
    }
    guard found.count > 1 else { return found.first }
    for recording in found {
      try fileWithPlace.bind(.integer(recording))
      let hasPlace = try fileWithPlace.step()
      fileWithPlace.reset()
      if hasPlace { return recording }
    }
    return found.first
  }
}
