internal import ByteIO
internal import Database

/// Finds recordings by path and sound.
struct RecordingLookup {
  private let roots: [MusicLibrary.Root]
  private let withPathAndKey: Statement
  private let withKey: Statement
  private let withPath: Statement
  private let fileWithPlace: Statement
  private let fileAtPlace: Statement
  private let movedFrom: Statement
  private let pathOfRecording: Statement

  init(_ library: MusicLibrary) throws(DatabaseError) {
    roots = try library.roots()
    // The sign keeps SQLite from the index of keys: many tracks may have one sound.
    withPathAndKey = try library.listener.prepare("SELECT id FROM recording WHERE path=? AND +key=? ORDER BY id DESC")
    withKey = try library.listener.prepare("SELECT id FROM recording WHERE key=? ORDER BY id DESC")
    withPath = try library.listener.prepare("SELECT id FROM recording WHERE path=? ORDER BY id DESC")
    movedFrom = try library.catalogue.prepare("SELECT recording FROM moved WHERE path=?")
    pathOfRecording = try library.listener.prepare("SELECT path FROM recording WHERE id=?")
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
    if let found = try recording(named: path, key: key) { return found }
    let name = roots.named(path)
    return name == path ? nil : try recording(named: name, key: key)
  }

  private func recording(named path: BytePath, key: [UInt8]?) throws(DatabaseError) -> Int64? {
    if let key {
      let (path, key) = (DatabaseValue.blob(path.bytes), DatabaseValue.blob(key))
      if let found = try first(of: withPathAndKey.bind(path, key)) { return found.id }
      if let found = try first(of: withKey.bind(key)) { return found.id }
    }
    let found = try first(of: withPath.bind(.blob(path.bytes)))
    // The file at the path may have the recording of its twin (`TwinJoin`).
    if let found, found.hasPlace { return found.id }
    if let known = try recording(ofFileAt: path) ?? found?.id { return known }
    return try track(movedFrom: path)?.recording
  }

  /// The recording of a file that has left this path, and its present path.
  func track(movedFrom path: BytePath) throws(DatabaseError) -> (recording: Int64, path: BytePath)? {
    try movedFrom.bind(.blob(path.bytes))
    defer { movedFrom.reset() }
    guard try movedFrom.step() else { return nil }
    let recording = movedFrom.integer(0)
    try pathOfRecording.bind(.integer(recording))
    defer { pathOfRecording.reset() }
    return try pathOfRecording.step() ? (recording, BytePath(pathOfRecording.blob(0))) : nil
  }

  /// The first row whose file has its place; without one, the first row.
  private func first(of rows: Statement) throws(DatabaseError) -> (id: Int64, hasPlace: Bool)? {
    defer { rows.reset() }
    var first: Int64?
    while try rows.step() {
      let recording = rows.integer(0)
      first = first ?? recording
      try fileWithPlace.bind(.integer(recording))
      defer { fileWithPlace.reset() }
      if try fileWithPlace.step() { return (recording, true) }
    }
    return first.map { ($0, false) }
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
