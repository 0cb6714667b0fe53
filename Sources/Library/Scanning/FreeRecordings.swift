internal import ByteIO
internal import Database

/// Finds the recordings of new files among those without a file, as after an import or with a new catalogue.
final class FreeRecordings {
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

  private struct Recording {
    var id: Int64
    var path: BytePath
    var key: [UInt8]?
    var names: SoundMatch.Names
    var isForgotten: Bool
    /// The file at its path, if a scan finds that; looked up once.
    var occupant: FileIdentity??
  }

  private let roots: [BytePath]
  private let withPath: Statement
  private let withKey: Statement
  private let file: Statement
  private let otherFile: Statement
  /// The recordings of sounds with many recordings that are still free. Few recordings are looked up again instead.
  private var ofKey: [[UInt8]: [Int64: Recording]] = [:]
  private static let fewCount = 8

  init(_ library: MusicLibrary) throws(DatabaseError) {
    roots = try library.roots().filter { $0.state != .forgotten }.map(\.path)
    let columns = "SELECT id, path, key, title, album, forgotten FROM recording"
    withPath = try library.listener.prepare("\(columns) WHERE path=?")
    withKey = try library.listener.prepare("\(columns) WHERE key=?")
    file = try library.catalogue.prepare("SELECT 1 FROM file WHERE recording=? LIMIT 1")
    otherFile = try library.catalogue.prepare(
      """
      SELECT 1 FROM file JOIN folder ON folder.id=file.folder JOIN root ON root.id=folder.root
      WHERE recording=? AND file.id<>? AND file.state=0 AND root.state=0
        AND substr(root.path, 1, 8)<>CAST('\(WebAddress.serverScheme)://' AS BLOB) LIMIT 1
      """)
  }

  /// The free recording to which a new file has the strongest claim; of several, the one whose names and path fit best.
  func best(for file: PendingFile, _ facts: FileFacts) throws(DatabaseError) -> Match? {
    let (path, names) = (file.path, SoundMatch.Names(facts.tags))
    var best: Match?
    func consider(_ recording: Recording, _ claim: Claim) {
      let match = Match(
        recording: recording.id, isForgotten: recording.isForgotten, claim: claim,
        fit: SoundMatch.fit(path, recording.path, haveSameNames: recording.names == names))
      guard let old = best else { return best = match }
      let isBetter = (old.claim.rawValue, old.fit, match.recording) < (claim.rawValue, match.fit, old.recording)
      if isBetter { best = match }
    }
    for recording in try free(withPath.bind(.blob(path.bytes))).recordings.values {
      consider(recording, recording.key == nil ? .onlyPath : recording.key == facts.key ? .both : .path)
    }
    guard best?.claim != .both, let key = facts.key else { return best }
    // Taken out, so that changing it copies nothing.
    let known = ofKey.removeValue(forKey: key)
    var (recordings, isLarge) = if let known { (known, true) } else { try free(withKey.bind(.blob(key))) }
    for (id, recording) in recordings where recording.path != path {
      let occupant = recording.occupant ?? occupant(of: recording.path)
      if recording.occupant == nil { recordings[id]?.occupant = .some(occupant) }
      // The same file under another name does not occupy it.
      let isOccupied =
        occupant.map { $0 != file.file.stamp.identity || Whereabouts.areTwoNames(recording.path, path) } ?? false
      consider(recording, isOccupied ? .sound : .onlySound)
    }
    if isLarge { ofKey[key] = recordings }
    return best
  }

  func take(_ match: Match, _ key: [UInt8]?) { if let key { ofKey[key]?[match.recording] = nil } }

  /// The rows without a file, by number, and whether there are many rows with and without one.
  private func free(_ rows: Statement) throws(DatabaseError) -> (recordings: [Int64: Recording], areOfMany: Bool) {
    var (recordings, count) = ([Int64: Recording](), 0)
    while try rows.step() {
      count += 1
      // First, because the disk of the recording's path may be slow, and the databases are locked.
      if try hasFile(rows.integer(0)) { continue }
      recordings[rows.integer(0)] = Recording(
        id: rows.integer(0), path: BytePath(rows.blob(1)), key: rows.isNull(2) ? nil : rows.blob(2),
        names: SoundMatch.Names(title: rows.text(3), album: rows.text(4)), isForgotten: rows.integer(5) != 0)
    }
    return (recordings, count >= Self.fewCount)
  }

  private func hasFile(_ recording: Int64) throws(DatabaseError) -> Bool {
    try file.bind(.integer(recording))
    defer { file.reset() }
    return try file.step()
  }

  /// The file at a path, if a scan finds it there.
  private func occupant(of path: BytePath) -> FileIdentity? {
    guard roots.contains(where: path.isBelow), let file = MediaLocation(libraryPath: path).fileOnDisk,
      case .file(let identity, _)? = FileKind(file)
    else { return nil }
    return identity
  }

  /// True if a known file that is gone, or away, shares its recording with a file of a folder that is there.
  func hasSuccessor(_ old: KnownFile) throws(DatabaseError) -> Bool {
    guard let recording = old.recording else { return false }
    try otherFile.bind(.integer(recording), .integer(old.id))
    defer { otherFile.reset() }
    return try otherFile.step()
  }
}
