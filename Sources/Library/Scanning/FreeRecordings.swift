internal import ByteIO
internal import Database

/// Finds the recordings of new files among those without a file, as after an import or with a new catalogue.
struct FreeRecordings {
  /// The claim of a file to a recording, the weakest first.
  enum Claim: Int {
    /// The same path, but another sound.
    case path
    /// The same sound, but a file is at the recording's path.
    case sound
    /// The same path, and the recording's sound is not known.
    case onlyPath
    /// The same sound, and no file is at the recording's path.
    case onlySound
    /// The same sound and path.
    case both

    /// While files are read, weaker claims wait: another file may have a stronger one, of which this file is a copy, or
    /// whose name it has taken.
    static let certain = Claim.onlyPath
  }

  struct Match {
    var recording: Int64
    /// True if the listener removed the track from the library.
    var isForgotten: Bool
    var claim: Claim
    fileprivate var fit: Int
  }

  private let roots: [BytePath]
  private let recordings: Statement
  private let file: Statement
  private let otherFile: Statement

  init(_ library: MusicLibrary) throws(DatabaseError) {
    roots = try library.roots().filter { $0.state != .forgotten }.map(\.path)
    recordings = try library.listener.prepare(
      "SELECT id, path, key, title, album, forgotten FROM recording WHERE key=? OR path=?")
    file = try library.catalogue.prepare("SELECT 1 FROM file WHERE recording=? LIMIT 1")
    otherFile = try library.catalogue.prepare(
      """
      SELECT 1 FROM file JOIN folder ON folder.id=file.folder JOIN root ON root.id=folder.root
      WHERE recording=? AND file.id<>? AND file.state=0 AND root.state=0 LIMIT 1
      """)
  }

  /// The free recording to which a new file has the strongest claim; of several, the one whose names and path fit best.
  func best(for file: PendingFile, _ facts: FileFacts) throws(DatabaseError) -> Match? {
    let path = file.path
    try recordings.bind(facts.key.map(DatabaseValue.blob) ?? .null, .blob(path.bytes))
    var matches: [Match] = []
    while try recordings.step() {
      // First, because the disk of the recording's path may be slow, and the databases are locked.
      if try hasFile(recordings.integer(0)) { continue }
      let place = BytePath(recordings.blob(1))
      let key = recordings.isNull(2) ? nil : recordings.blob(2)
      let claim: Claim =
        switch (place == path, key != nil && key == facts.key) {
        case (true, true): .both
        case (true, false): key == nil ? .onlyPath : .path
        case (false, _): hasAnotherFile(place, than: file.file.stamp) ? .sound : .onlySound
        }
      let haveSameNames =
        recordings.text(3) == facts.tags.first(.title) && recordings.text(4) == facts.tags.first(.album)
      matches.append(
        Match(
          recording: recordings.integer(0), isForgotten: recordings.integer(5) != 0, claim: claim,
          fit: SoundMatch.fit(path, place, haveSameNames: haveSameNames)))
    }
    return matches.min { ($1.claim.rawValue, $1.fit, $0.recording) < ($0.claim.rawValue, $0.fit, $1.recording) }
  }

  private func hasFile(_ recording: Int64) throws(DatabaseError) -> Bool {
    try file.bind(.integer(recording))
    defer { file.reset() }
    return try file.step()
  }

  /// True if a scan finds something at a path, other than this file under another name.
  private func hasAnotherFile(_ path: BytePath, than stamp: FileStamp) -> Bool {
    guard roots.contains(where: path.isBelow), case .file(let identity, _)? = FileKind(path) else { return false }
    return identity != stamp.identity
  }

  /// True if a known file that is gone, or away, shares its recording with a file that is there.
  func hasSuccessor(_ old: KnownFile) throws(DatabaseError) -> Bool {
    guard let recording = old.recording else { return false }
    try otherFile.bind(.integer(recording), .integer(old.id))
    defer { otherFile.reset() }
    return try otherFile.step()
  }
}
