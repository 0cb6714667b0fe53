internal import ByteIO
internal import Database

/// Finds recordings by path and sound.
struct RecordingLookup {
  private let roots: [MusicLibrary.Root]
  private let recordings: Statement
  private let fileWithPlace: Statement
  private let fileAtPlace: Statement

  init(_ library: MusicLibrary) throws(DatabaseError) {
    roots = try library.roots()
    recordings = try library.listener.prepare(
      """
      SELECT id, 2*coalesce(key=?2, 0)+coalesce(path=?1, 0) AS fit FROM recording WHERE path=?1 OR key=?2
      ORDER BY fit DESC, id DESC
      """)
    fileWithPlace = try library.catalogue.prepare("SELECT 1 FROM file WHERE recording=? AND folder IS NOT NULL LIMIT 1")
    fileAtPlace = try library.catalogue.prepare(
      """
      SELECT recording FROM folder JOIN file ON file.folder=folder.id
      WHERE folder.root=? AND folder.path=? AND file.name=? AND recording IS NOT NULL
      """)
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
    guard let first = found.first else { return try recording(ofFileAt: path) }
    guard found.count > 1 else { return first }
    for recording in found {
      try fileWithPlace.bind(.integer(recording))
      let hasPlace = try fileWithPlace.step()
      fileWithPlace.reset()
      if hasPlace { return recording }
    }
    return first
  }

  /// The recording of the file with this place. A recording has one path, but may have a file in two roots.
  private func recording(ofFileAt path: BytePath) throws(DatabaseError) -> Int64? {
    for root in roots where path.isBelow(root.path) {
      let start = root.path.bytes.last == UInt8(ascii: "/") ? root.path.bytes.count : root.path.bytes.count + 1
      let place = BytePath(path.bytes.dropFirst(start))
      let folder = place.bytes.contains(UInt8(ascii: "/")) ? place.parent : BytePath("")
      try fileAtPlace.bind(.integer(root.id), .blob(folder.bytes), .blob(place.lastComponent.bytes))
      defer { fileAtPlace.reset() }
      if try fileAtPlace.step() { return fileAtPlace.integer(0) }
    }
    return nil
  }
}
