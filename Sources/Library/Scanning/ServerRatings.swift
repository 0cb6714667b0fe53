internal import AudioModel
public import ByteIO
public import Database

/// A track as a server of music rates it.
public struct ServerRating: Sendable, Hashable {
  /// From 1 to 5; 0 for none.
  public var rating: Int
  public var isLoved: Bool

  init(rating: Int, isLoved: Bool) { (self.rating, self.isLoved) = (rating, isLoved) }

  /// Of a rating from 0 to 10.
  init(_ rating: Int?, isLoved: Bool) {
    self.init(rating: rating.map { min(max(1, ($0 + 1) / 2), 5) } ?? 0, isLoved: isLoved)
  }
}

/// The ratings, the love and the plays of tracks, here and on servers. It keeps what both sides had when they were
/// compared last: a change on one side since then goes to the other; if both have changed, the one here counts
/// (docs/decisions/0061-ratings-of-servers.md).
public struct ServerRatings {
  /// The values of a track that a server needs; `nil` for those that it has.
  public struct Change: Sendable, Hashable {
    public var path: BytePath
    public var rating: Int?
    public var isLoved: Bool?
    fileprivate var own: ServerRating
  }

  private let library: MusicLibrary
  private let read: Statement
  private let write: Statement

  public init(_ library: MusicLibrary) throws(DatabaseError) {
    self.library = library
    read = try library.listener.prepare("SELECT \(Kept.columns) FROM served WHERE path=?")
    write = try library.listener.prepare("INSERT OR REPLACE INTO served (\(Kept.columns)) VALUES (?, ?, ?, ?, ?, ?)")
  }

  // MARK: To servers

  private static let mark = "served"

  /// The changes of the listener since the servers were told last. `end`: the last change of the library, for
  /// `finish`.
  public func changes() throws(DatabaseError) -> (all: [Change], end: Int64) {
    let start = try library.listener.property(Self.mark).flatMap { Int64($0) } ?? 0
    let end = try library.lastChange()
    guard start < end else { return ([], end) }
    let rows = try library.listener.prepare("SELECT id, rating, love FROM recording WHERE changed>?")
      .bind(.integer(start))
    let files = try library.catalogue.prepare(
      """
      SELECT root.path, file.name FROM file JOIN folder ON folder.id=file.folder JOIN root ON root.id=folder.root
      WHERE recording=? AND file.state<>4 AND root.state<>2 AND folder.path=x''
      """)
    var changes: [Change] = []
    while try rows.step() {
      let own = ServerRating(rows.isNull(1) ? nil : rows.int(1), isLoved: rows.int(2) != 0)
      try files.bind(.integer(rows.integer(0)))
      while try files.step() {
        let path = BytePath(files.blob(0)).appending(BytePath(files.blob(1)))
        guard path.isOnServer else { continue }
        let kept = try kept(path)
        guard own != ServerRating(rating: kept.rating.own, isLoved: kept.isLoved.own) else { continue }
        changes.append(
          Change(
            path: path, rating: kept.rating.needs(own.rating) ? own.rating : nil,
            isLoved: kept.isLoved.needs(own.isLoved) ? own.isLoved : nil, own: own))
      }
    }
    return (changes, end)
  }

  /// Notes that a server was told. It is not told again.
  ///
  /// - Parameter track: The track as the server has it now, which need not be what it was told; `nil` if that is not
  ///   known.
  public func noteTold(_ change: Change, _ track: ServerTrack?) throws(DatabaseError) {
    try note(change) { kept in
      if change.rating != nil { kept.rating.theirs = track?.rating }
      if change.isLoved != nil { kept.isLoved.theirs = track?.isLoved }
    }
  }

  /// Notes that a server does not take a change. It is not told again.
  public func noteRefusal(of change: Change) throws(DatabaseError) { try note(change) { _ in } }

  private func note(_ change: Change, _ body: (inout Kept) -> Void) throws(DatabaseError) {
    try library.listener.transaction { () throws(DatabaseError) in
      var kept = try self.kept(change.path)
      (kept.rating.own, kept.isLoved.own) = (change.own.rating, change.own.isLoved)
      body(&kept)
      try self.keep(kept, change.path)
    }
  }

  /// Notes that the servers were told all changes until `end`.
  public func finish(until end: Int64) throws(DatabaseError) {
    try library.listener.setProperty(Self.mark, String(end))
  }

  // MARK: From servers

  /// The tracks of a server that it rates in another way, or has played more often, than at the last comparison.
  struct News {
    private var known: [BytePath: Kept] = [:]
    fileprivate var tracks: [(path: BytePath, track: ServerTrack)] = []

    fileprivate init(_ known: [BytePath: Kept]) { self.known = known }

    mutating func note(_ track: ServerTrack, at path: BytePath) {
      let kept = known[path] ?? Kept()
      // Without a time, the plays are those of servers that count each request.
      let hasPlays = track.lastPlayed != nil && track.playCount != kept.plays
      guard track.rating != kept.rating.theirs || track.isLoved != kept.isLoved.theirs || hasPlays else { return }
      tracks.append((path, track))
    }
  }

  /// The known values of the tracks of a server, before a scan.
  func news(of root: BytePath) throws(DatabaseError) -> News {
    let rows = try library.listener.prepare("SELECT \(Kept.columns) FROM served")
    var known: [BytePath: Kept] = [:]
    while try rows.step() {
      let path = BytePath(rows.blob(0))
      if path.isBelow(root) { known[path] = Kept(rows) }
    }
    return News(known)
  }

  /// Takes the news of a server. Its ratings, and its love, are a change that can be undone; so is keeping a rating that
  /// has changed there, too.
  func take(_ news: News, of root: BytePath) throws(DatabaseError) {
    guard !news.tracks.isEmpty else { return }
    try library.listener.transaction { () throws(DatabaseError) in
      let lookup = try RecordingLookup(self.library)
      let row = try self.library.listener.prepare("SELECT rating, love FROM recording WHERE id=?")
      let set = try self.library.listener.prepare(
        """
        UPDATE recording SET rating=?1, love=?2, plays=max(plays, ?3), last=nullif(max(coalesce(last, 0), ?4), 0),
          changed=?5 WHERE id=?6
        """)
      var (change, former, count) = (try self.library.nextChange(), [MusicLibrary.Former](), 0)
      var contested: [MusicLibrary.Former] = []
      for (path, track) in news.tracks {
        guard let recording = try lookup.recording(of: path) else { continue }
        try row.bind(.integer(recording))
        guard try row.step() else { continue }
        let old = (rating: row.isNull(0) ? nil : row.int(0), isLoved: row.int(1) != 0)
        row.reset()
        var (new, kept) = (old, try self.kept(path))
        let own = ServerRating(old.rating, isLoved: old.isLoved)
        let theirs = track.rating == 0 ? nil : track.rating * 2
        if kept.rating.isContested(track.rating, own: own.rating) {
          contested.append(.init(.rating, recording, theirs.map { String($0) }))
        }
        if kept.rating.follows(track.rating, own: own.rating) { new.rating = theirs }
        if kept.isLoved.follows(track.isLoved, own: own.isLoved) { new.isLoved = track.isLoved }
        if new.rating != old.rating { former.append(.init(.rating, recording, old.rating.map { String($0) })) }
        if new.isLoved != old.isLoved { former.append(.init(.love, recording, old.isLoved ? "1" : "0")) }
        if new != old { count += 1 }
        let hasPlays = track.lastPlayed != nil
        if hasPlays { kept.plays = track.playCount }
        try self.keep(kept, path)
        guard new != old || hasPlays else { continue }
        try set.run(
          DatabaseValue(new.rating), .integer(new.isLoved ? 1 : 0), DatabaseValue(hasPlays ? track.playCount : 0),
          .integer(track.lastPlayed ?? 0), .integer(change), .integer(recording))
        change += 1
      }
      try self.library.recordAct(
        "keep own ratings, not those of \(root): \(counted(contested.count, "track"))", contested)
      try self.library.recordAct("take ratings from \(root): \(counted(count, "track"))", former)
    }
  }

  // MARK: Kept

  /// A value of a track at the last comparison.
  fileprivate struct Compared<Value: Equatable> {
    /// The value of the server; `nil` between telling it another one and its next answer.
    var theirs: Value?
    /// The value of the listener that the server was told last, or that came from it.
    var own: Value

    /// True if the server is to be told a value. One that has it already may refuse that.
    func needs(_ value: Value) -> Bool { value != own && value != theirs }

    /// True if both sides have changed, to different values.
    func isContested(_ new: Value, own now: Value) -> Bool {
      theirs != nil && theirs != new && now != own && now != new
    }

    /// Compares again. True if the value here is to follow that of the server.
    mutating func follows(_ new: Value, own now: Value) -> Bool {
      let follows = theirs != nil && theirs != new && now == own
      theirs = new
      if follows || now == new { own = new }
      return follows && now != new
    }
  }

  fileprivate struct Kept {
    static let columns = "path, rating, love, plays, ownRating, ownLove"

    var rating = Compared<Int>(theirs: 0, own: 0)
    var isLoved = Compared<Bool>(theirs: false, own: false)
    /// On the server.
    var plays = 0

    init() {}

    init(_ row: Statement) {
      rating = Compared(theirs: row.isNull(1) ? nil : row.int(1), own: row.int(4))
      isLoved = Compared(theirs: row.isNull(2) ? nil : row.int(2) != 0, own: row.int(5) != 0)
      plays = row.int(3)
    }
  }

  private func kept(_ path: BytePath) throws(DatabaseError) -> Kept {
    defer { read.reset() }
    return try read.bind(.blob(path.bytes)).step() ? Kept(read) : Kept()
  }

  private func keep(_ kept: Kept, _ path: BytePath) throws(DatabaseError) {
    try write.run(
      .blob(path.bytes), DatabaseValue(kept.rating.theirs), DatabaseValue(kept.isLoved.theirs.map { $0 ? 1 : 0 }),
      DatabaseValue(kept.plays), DatabaseValue(kept.rating.own), .integer(kept.isLoved.own ? 1 : 0))
  }
}
