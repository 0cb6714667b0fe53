internal import AudioModel
public import ByteIO
public import Database
public import SignalProcessing

/// The measured loudness of the library's tracks, in the database of the listener. On the thread of the library's owner.
public struct LoudnessStore {
  private let library: MusicLibrary

  public init(_ library: MusicLibrary) { self.library = library }

  /// A file without tags of loudness.
  public struct Track: Sendable, Hashable {
    /// The absolute path.
    public var path: BytePath
    /// The number of its recording.
    var recording: Int64
    /// The key of its sound.
    var key: [UInt8]?
  }

  public enum State: Sendable, Hashable {
    /// It is to be measured.
    case unknown
    case measured(MeasuredLoudness)
    case failed(reason: String)
  }

  /// Tracks on servers are not fetched to be measured: `BytePath.isOnServer`.
  private static let isOnDisk = "substr(root.path, 1, 8)<>CAST('segue://' AS BLOB)"

  /// Measuring a track ended the program so often that it is not tried again.
  private static let tryLimit: Int64 = 3

  /// The numbers of all files that are here, have no tags of loudness, and are not measured, folder by folder.
  public func filesToMeasure() throws(DatabaseError) -> [Int64] {
    let rows = try library.catalogue.prepare(
      """
      SELECT file.id, file.recording, file.key, file.tags FROM file JOIN folder ON folder.id=file.folder
      JOIN root ON root.id=folder.root WHERE file.state=0 AND root.state=0 AND file.recording IS NOT NULL
        AND \(Self.isOnDisk) ORDER BY root.path, folder.path, file.name
      """)
    var files: [Int64] = []
    let row = try stateRow()
    while try rows.step() {
      guard !rows.withBytes(3, CatalogueTags.haveGain) else { continue }
      let state = try state(ofRecording: rows.integer(1), key: rows.isNull(2) ? nil : rows.blob(2), row)
      if state == .unknown { files.append(rows.integer(0)) }
    }
    return files
  }

  /// The file of a track; `nil` if it is not here or has tags of loudness.
  public func track(_ track: LibraryTrack) throws(DatabaseError) -> Track? { try self.track(file: track.file) }

  /// The file with that number; `nil` if it is not here or has tags of loudness.
  public func track(file: Int64) throws(DatabaseError) -> Track? {
    let row = try library.catalogue.prepare(
      """
      SELECT root.path, folder.path, file.name, file.recording, file.key, file.tags FROM file
      JOIN folder ON folder.id=file.folder JOIN root ON root.id=folder.root
      WHERE file.id=? AND file.state=0 AND root.state=0 AND file.recording IS NOT NULL AND \(Self.isOnDisk)
      """
    ).bind(.integer(file))
    guard try row.step() else { return nil }
    defer { row.reset() }
    guard !row.withBytes(5, CatalogueTags.haveGain) else { return nil }
    let (root, folder) = (BytePath(row.blob(0)), BytePath(row.blob(1)))
    let path = (folder.bytes.isEmpty ? root : root.appending(folder)).appending(BytePath(row.blob(2)))
    return Track(path: path, recording: row.integer(3), key: row.isNull(4) ? nil : row.blob(4))
  }

  public func state(of track: Track) throws(DatabaseError) -> State {
    try state(ofRecording: track.recording, key: track.key, try stateRow())
  }

  private func stateRow() throws(DatabaseError) -> Statement {
    try library.listener.prepare("SELECT key, tries, peak, blocks, error FROM loudness WHERE recording=?")
  }

  private func state(
    ofRecording recording: Int64, key: [UInt8]?, _ row: Statement
  ) throws(DatabaseError) -> State {
    try row.bind(.integer(recording))
    guard try row.step() else { return .unknown }
    defer { row.reset() }
    // Another sound has taken the place of the one that was measured.
    guard (row.isNull(0) ? nil : row.blob(0)) == key else { return .unknown }
    if let error = row.text(4) { return .failed(reason: error) }
    if !row.isNull(2), let blocks = LoudnessBlocks(stored: row.blob(3)) {
      return .measured(MeasuredLoudness(blocks: blocks, peak: row.real(2)))
    }
    return row.integer(1) < Self.tryLimit
      ? .unknown : .failed(reason: "segue ended \(Self.tryLimit) times while it measured this file")
  }

  // MARK: Changes

  /// Notes that a track is about to be measured.
  public func begin(_ track: Track) throws(DatabaseError) {
    try library.listener.prepare(
      """
      INSERT INTO loudness (recording, key, tries) VALUES (?1, ?2, 1) ON CONFLICT (recording) DO UPDATE SET
        tries=CASE WHEN key IS ?2 THEN tries+1 ELSE 1 END, key=?2, peak=NULL, blocks=NULL, error=NULL
      """
    ).run(.integer(track.recording), track.key.map(DatabaseValue.blob) ?? .null)
  }

  /// Stores the result; `unknown` if the measurement was cancelled.
  public func finish(_ track: Track, _ state: State) throws(DatabaseError) {
    let values: (peak: DatabaseValue, blocks: DatabaseValue, error: DatabaseValue) =
      switch state {
      case .unknown: (.null, .null, .null)
      case .measured(let loudness): (.real(loudness.peak), .blob(loudness.blocks.stored), .null)
      case .failed(let reason): (.null, .null, .text(reason))
      }
    try library.listener.transaction { () throws(DatabaseError) in
      try library.listener.prepare("UPDATE loudness SET tries=0, peak=?, blocks=?, error=? WHERE recording=?")
        .run(values.peak, values.blocks, values.error, .integer(track.recording))
      if state != .unknown { try library.listener.setProperty("gains", "old") }
    }
  }

  // MARK: Totals

  /// The numbers of tracks that were measured, and that cannot be.
  public func counts() throws(DatabaseError) -> (measured: Int, failed: Int) {
    func count(_ condition: String) throws(DatabaseError) -> Int {
      Int(clamping: try library.listener.integer("SELECT count(*) FROM loudness WHERE \(condition)") ?? 0)
    }
    return (try count("peak IS NOT NULL"), try count("error IS NOT NULL"))
  }

  // MARK: Locking

  /// Runs `body` while no other program measures a track of this library; returns `nil` if one does.
  public func exclusively<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result? {
    guard let lock = FolderLock(library.folder.appending(BytePath("loudness.lock"))) else { return nil }
    defer { lock.unlock() }
    return try body()
  }

  // MARK: The file of gains

  /// Writes the gains of all measured tracks and their albums, and those that servers say, to the file that the player
  /// reads (`MeasuredGains`).
  /// Reads one album after another.
  public func writeGains() throws(DatabaseError) { try writeGains(of: try library.lastView(hasPlaylists: false)) }

  /// True if tracks were measured since the file was written.
  public func gainsAreOld() throws(DatabaseError) -> Bool {
    try library.listener.property("gains") != nil
  }

  /// The same for the tracks of an index. Without measured tracks there is no file.
  func writeGains(of view: LibraryView) throws(DatabaseError) {
    let isMeasured = try library.listener.integer("SELECT 1 FROM loudness LIMIT 1") != nil
    let roots = try library.roots()
    guard isMeasured || roots.contains(where: \.path.isOnServer) else { return }
    // Before the rows are read: tracks that are measured meanwhile make the file old again.
    try library.listener.setProperty("gains", nil)
    let (row, key) = (try stateRow(), try library.listener.prepare("SELECT key FROM recording WHERE id=?"))
    let tags = try library.catalogue.prepare("SELECT tags FROM file WHERE id=?")
    var gains = MeasuredGains.Draft()
    for number in 0..<view.index.albumCount {
      let album = view.album(number)
      // The loudness of an album is known with that of all its tracks, except those that cannot be decoded and those with
      // tags.
      var (isWhole, whole) = (album.rule != .noAlbum, MeasuredLoudness())
      var tracks: [(path: BytePath, loudness: MeasuredLoudness)] = []
      for track in album.tracks.lazy.map(view.track) where track.state != .missing {
        let isOnServer = track.path.isOnServer
        guard isMeasured || isOnServer else { continue }
        var state = State.unknown
        if isMeasured {
          try key.bind(.integer(track.recording))
          guard try key.step() else { continue }
          state = try self.state(ofRecording: track.recording, key: key.isNull(0) ? nil : key.blob(0), row)
        }
        switch state {
        case .measured(let loudness):
          tracks.append((track.path, loudness))
          whole.add(loudness)
        case .failed: break
        case .unknown:
          guard isWhole || isOnServer else { break }
          try tags.bind(.integer(track.file))
          let isKnown = try tags.step()
          isWhole = isKnown && isWhole && tags.withBytes(0, CatalogueTags.haveGain)
          if isOnServer, isKnown, let gain = tags.withBytes(0, CatalogueTags.gain) { gains.add(track.path, gain) }
        }
      }
      for (path, loudness) in tracks { gains.add(path, loudness, album: isWhole ? whole : nil) }
    }
    try gains.write(to: MeasuredGains.path(in: library.folder))
  }
}

extension CatalogueTags {
  static func haveGain(stored bytes: UnsafeRawBufferPointer) -> Bool {
    var isFound = false
    forEach(stored: bytes) { field, _ in isFound = isFound || field == .trackGain || field == .albumGain }
    return isFound
  }

  /// The gain of the stored tags; `nil` if they have none.
  static func gain(stored bytes: UnsafeRawBufferPointer) -> TrackTags.Gain? {
    var gain = TrackTags.Gain()
    forEach(stored: bytes) { field, value in
      let number = Double(String(decoding: value, as: UTF8.self))
      switch field {
      case .trackGain: gain.track = number
      case .trackPeak: gain.trackPeak = number
      case .albumGain: gain.album = number
      case .albumPeak: gain.albumPeak = number
      default: break
      }
    }
    return gain.track == nil && gain.album == nil ? nil : gain
  }
}
