internal import AudioModel
public import ByteIO
public import Database

/// A place in a long track, at which the listener left it, as a server of music has it.
public struct ServerPlace: Sendable, Hashable {
  public var track: ServerTrack
  /// From the start of the track.
  public var seconds: Double
  /// The time at which it was set: seconds since 1970; `nil` if the server does not say it.
  public var changed: Int64?

  public init(track: ServerTrack, seconds: Double, changed: Int64?) {
    (self.track, self.seconds, self.changed) = (track, seconds, changed)
  }
}

/// The places of a server. Blocks. Throws the reason why it does not answer, or does not take a change.
public protocol ServerPlaces {
  func all() throws(ServerFailure) -> [ServerPlace]
  /// - Parameter seconds: `nil` to remove the place.
  func set(_ track: String, to seconds: Double?) throws(ServerFailure)
}

/// The step that makes a place the same here and on a server. If both have changed since the last comparison, the newer
/// one counts. Pure.
enum PlaceMerge: Hashable {
  case agree, take, send

  /// A place here, or there, now and at the last comparison: seconds; `nil` for none.
  struct Side: Hashable {
    var now, kept: Double?
    /// The time at which it was set: seconds since 1970.
    var time: Int64?

    fileprivate var isChanged: Bool { !PlaceMerge.isSame(now, kept) }
  }

  init(here: Side, there: Side) {
    if Self.isSame(here.now, there.now) {
      self = .agree
    } else if here.isChanged, there.isChanged {
      // The time of one that was removed there is not known.
      self = there.now != nil && there.time ?? 0 > here.time ?? 0 ? .take : .send
    } else {
      self = here.isChanged ? .send : there.isChanged ? .take : .agree
    }
  }

  /// Servers need not keep more than whole seconds.
  private static func isSame(_ a: Double?, _ b: Double?) -> Bool {
    if let a, let b { abs(a - b) < 1 } else { a == nil && b == nil }
  }
}

/// Makes the places of a server the same here and there, those at which the listener left long tracks
/// (docs/decisions/0064-playlists-places-and-queues-of-servers.md).
public struct PlaceSync {
  private let library: MusicLibrary
  private let root: BytePath
  private var listener: Database { library.listener }
  /// More than any listener has.
  private static let placeLimit = 10_000

  /// A place here.
  fileprivate struct Own {
    var seconds: Double?
    var time: Int64?

    /// Of a row with both from this column on.
    init(_ row: Statement, _ column: Int) {
      seconds = row.isNull(column) ? nil : row.real(column)
      time = row.isNull(column + 1) ? nil : row.integer(column + 1)
    }
  }

  /// - Parameter root: That of the server.
  public init(_ library: MusicLibrary, of root: BytePath) { (self.library, self.root) = (library, root) }

  /// Throws if the database cannot be used.
  ///
  /// - Parameters:
  ///   - sendsOnly: Asks the server only if a place here has changed since the last run.
  ///   - wants: True for a track that may have a place here.
  public func run(
    _ server: some ServerPlaces, sendsOnly: Bool, wants: (ServerTrack) -> Bool
  ) throws(DatabaseError) -> SyncOutcome {
    var outcome = SyncOutcome()
    let mark = "places \(root)"
    let revision = try listener.property(ResumeStore.revision)
    if sendsOnly {
      let compared = try listener.property(mark)
      if revision == nil || compared == revision { return outcome }
    }
    guard let lock = FolderLock(library.folder.appending(BytePath("places.lock"))) else {
      outcome.isBusy = true
      return outcome
    }
    defer { lock.unlock() }
    let theirs: [BytePath: ServerPlace]
    do throws(ServerFailure) { theirs = try places(of: server) } catch {
      // Not every server has places.
      if error.isRefusal {
        try listener.setProperty(mark, revision)
      } else {
        outcome.failure = error
      }
      return outcome
    }
    let sendings = try listener.transaction { () throws(DatabaseError) in
      try compare(theirs, wants, mark, revision, &outcome)
    }
    guard !sendings.isEmpty else { return outcome }
    for (path, own) in sendings {
      do throws(ServerFailure) { try server.set(path.lastComponent.description, to: own.seconds) } catch {
        if error.isRefusal {
          outcome.refusals.append("\(root) does not take a place: \(error)")
        } else {
          outcome.failure = error
        }
      }
      if outcome.failure != nil { break }
      try keep(path, theirs: own.seconds, own: own.seconds)
    }
    // A server that keeps no places removes none here.
    let now: [BytePath: ServerPlace]
    do throws(ServerFailure) {
      if let failure = outcome.failure { throw failure }
      now = try places(of: server)
    } catch {
      outcome.failure = error
      try listener.setProperty(mark, nil)
      return outcome
    }
    for (path, own) in sendings { try keep(path, theirs: now[path]?.seconds, own: own.seconds) }
    return outcome
  }

  private func places(of server: some ServerPlaces) throws(ServerFailure) -> [BytePath: ServerPlace] {
    var places: [BytePath: ServerPlace] = [:]
    for place in try server.all().prefix(Self.placeLimit) {
      places[root.appending(BytePath(place.track.id))] = place
    }
    return places
  }

  /// Takes the places that are newer there. Returns those to be sent.
  private func compare(
    _ theirs: [BytePath: ServerPlace], _ wants: (ServerTrack) -> Bool, _ mark: String, _ revision: String?,
    _ outcome: inout SyncOutcome
  ) throws(DatabaseError) -> [(path: BytePath, own: Own)] {
    // A change here meanwhile is compared in the next run.
    let isCurrent = try listener.property(ResumeStore.revision) == revision
    let kept = try keptPlaces()
    var own = try ownPlaces()
    let lookup = try RecordingLookup(library)
    for path in Set(theirs.keys).union(kept.keys) where own[path] == nil {
      guard let recording = try lookup.recording(of: path) else { continue }
      own[path] = try place(of: recording)
    }
    // A server that was made anew has none: that removes none here.
    let hasLostAll = theirs.isEmpty && kept.values.count { $0.theirs != nil } > 1
    var sendings: [(path: BytePath, own: Own)] = []
    for (path, own) in own {
      let (there, last) = (theirs[path], kept[path])
      let merge = PlaceMerge(
        here: .init(now: own.seconds, kept: last?.own, time: own.time),
        there: .init(now: there?.seconds, kept: last?.theirs, time: there?.changed))
      switch merge {
      case .send: sendings.append((path, own))
      case .take where hasLostAll: try keep(path, theirs: nil, own: own.seconds)
      case .take:
        if last == nil, own.seconds == nil, let there, !wants(there.track) { continue }
        try ResumeStore(library).set(path, to: there?.seconds, at: there?.changed ?? MusicLibrary.now)
        outcome.takenCount += 1
        try keep(path, theirs: there?.seconds, own: there?.seconds)
      case .agree:
        guard last?.own != own.seconds || last?.theirs != there?.seconds else { continue }
        try keep(path, theirs: there?.seconds, own: own.seconds)
      }
    }
    try listener.setProperty(mark, isCurrent ? listener.property(ResumeStore.revision) : revision)
    return sendings
  }

  private func keptPlaces() throws(DatabaseError) -> [BytePath: (theirs: Double?, own: Double?)] {
    let rows = try listener.prepare("SELECT path, theirs, own FROM servedPlace")
    var kept: [BytePath: (theirs: Double?, own: Double?)] = [:]
    while try rows.step() {
      let path = BytePath(rows.blob(0))
      guard path.isBelow(root) else { continue }
      kept[path] = (rows.isNull(1) ? nil : rows.real(1), rows.isNull(2) ? nil : rows.real(2))
    }
    return kept
  }

  /// A track without a place on either side needs no row.
  private func keep(_ path: BytePath, theirs: Double?, own: Double?) throws(DatabaseError) {
    guard theirs != nil || own != nil else {
      return try listener.prepare("DELETE FROM servedPlace WHERE path=?").run(.blob(path.bytes))
    }
    try listener.prepare("INSERT OR REPLACE INTO servedPlace (path, theirs, own) VALUES (?, ?, ?)").run(
      .blob(path.bytes), theirs.map(DatabaseValue.real) ?? .null, own.map(DatabaseValue.real) ?? .null)
  }

  private func place(of recording: Int64) throws(DatabaseError) -> Own? {
    let row = try listener.prepare("SELECT resume, resumed FROM recording WHERE id=?").bind(.integer(recording))
    guard try row.step() else { return nil }
    defer { row.reset() }
    return Own(row, 0)
  }

  /// The places here of tracks that the server has.
  private func ownPlaces() throws(DatabaseError) -> [BytePath: Own] {
    let rows = try listener.prepare(
      "SELECT id, resume, resumed FROM recording WHERE resume IS NOT NULL ORDER BY id DESC LIMIT \(Self.placeLimit)")
    let files = try library.catalogue.prepare(
      """
      SELECT file.name FROM file JOIN folder ON folder.id=file.folder JOIN root ON root.id=folder.root
      WHERE recording=? AND root.path=? AND file.state=0
      """)
    var own: [BytePath: Own] = [:]
    while try rows.step() {
      try files.bind(.integer(rows.integer(0)), .blob(root.bytes))
      while try files.step() { own[root.appending(BytePath(files.blob(0)))] = Own(rows, 1) }
    }
    return own
  }
}
