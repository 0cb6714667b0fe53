public import ByteIO
public import Database

// Ratings and plays.
extension MusicLibrary {
  /// Rates tracks from 0 to 10, or removes their ratings, as one change that can be undone.
  public func rate(_ tracks: [LibraryTrack], _ rating: Int?) throws(DatabaseError) {
    try rate(tracks.map(Recording.init), TrackRating.limited(rating))
  }

  private func rate(_ tracks: [Recording], _ rating: Int?) throws(DatabaseError) {
    try change(tracks.map { ($0, .init(rating)) }, .rating) { name in
      rating.map { "rate \(name) \($0)" } ?? "unrate \(name)"
    }
  }

  public func love(_ tracks: [LibraryTrack], _ isLoved: Bool) throws(DatabaseError) {
    try love(tracks.map(Recording.init), isLoved)
  }

  private func love(_ tracks: [Recording], title: String? = nil, _ isLoved: Bool) throws(DatabaseError) {
    try change(tracks.map { ($0, .integer(isLoved ? 1 : 0)) }, title: title, .love) {
      (isLoved ? "love " : "unlove ") + $0
    }
  }

  /// Changes the ratings and the love of the files at these paths; each of both is undone on its own. Returns the new
  /// values and the titles of the files that the library contains.
  public func changeRatings(
    of paths: [BytePath], _ change: (inout [TrackRating]) -> Void
  ) throws(DatabaseError) -> [(new: TrackRating, title: String?)] {
    var (recordings, titles, old): ([Recording], [String?], [TrackRating]) = ([], [], [])
    let lookup = try RecordingLookup(self)
    let row = try listener.prepare("SELECT rating, love, title FROM recording WHERE id=?")
    for path in paths {
      guard let recording = try lookup.recording(of: path) else { continue }
      try row.bind(.integer(recording))
      guard try row.step() else { continue }
      recordings.append(Recording(recording, path))
      titles.append(row.text(2))
      old.append(TrackRating(row.isNull(0) ? nil : row.int(0), isLoved: row.int(1) != 0))
      row.reset()
    }
    var new = old
    change(&new)
    let rated = new.indices.filter { new[$0].rating != old[$0].rating }
    let rating = Set(rated.map { new[$0].rating }).count == 1 ? rated.first.flatMap { new[$0].rating } : nil
    if !rated.isEmpty {
      let values = rated.map { (recordings[$0], DatabaseValue(new[$0].rating)) }
      try self.change(values, title: titles[rated[0]], .rating) { name in
        rating.map { "rate \(name) \($0)" } ?? (new[rated[0]].rating == nil ? "unrate \(name)" : "rate \(name)")
      }
    }
    let loved = new.indices.filter { new[$0].isLoved != old[$0].isLoved }
    if let first = loved.first {
      try love(loved.map { recordings[$0] }, title: titles[first], new[first].isLoved)
    }
    return zip(new, titles).map { ($0, $1) }
  }

  /// The kind is also the name of the column. A single track is named by its title if that is given.
  private func change(
    _ tracks: [(Recording, DatabaseValue)], title: String? = nil, _ kind: Former.Kind, _ text: (String) -> String
  ) throws(DatabaseError) {
    let name = tracks.count == 1 ? title ?? tracks[0].0.path.description : "\(tracks.count) tracks"
    try listener.transaction { () throws(DatabaseError) in
      let read = try self.listener.prepare("SELECT \(kind.rawValue) FROM recording WHERE id=?")
      let write = try self.listener.prepare("UPDATE recording SET \(kind.rawValue)=?, changed=? WHERE id=?")
      var former: [Former] = []
      var change = try self.nextChange()
      for (track, value) in tracks {
        try read.bind(.integer(track.id))
        guard try read.step() else { continue }
        former.append(Former(kind, track.id, read.isNull(0) ? nil : String(read.integer(0))))
        read.reset()
        try write.run(value, .integer(change), .integer(track.id))
        change += 1
      }
      try self.recordAct(text(name), former)
    }
  }

  /// Removes tracks from the library, not from the disk, as one change that can be undone. Their ratings and plays stay
  /// in the database. With its last row a track leaves its other places, too.
  public func forget(_ tracks: [LibraryTrack]) throws(DatabaseError) {
    guard !tracks.isEmpty else { return }
    let name = tracks.count == 1 ? tracks[0].path.description : "\(tracks.count) tracks"
    let numbers = Set(tracks.lazy.map(\.number))
    let others = tracks.lazy.filter { track in
      track.view.index.tracks(ofRecording: track.recording).allSatisfy(numbers.contains)
    }.flatMap { $0.otherPlaces.map(\.file) }
    let files = Set(tracks.map(\.file) + others).sorted()
    try listener.transaction { () throws(DatabaseError) in
      var former: [Former] = []
      try self.catalogue.transaction { () throws(DatabaseError) in
        let read = try self.catalogue.prepare("SELECT state, recording FROM file WHERE id=?")
        let write = try self.catalogue.prepare("UPDATE file SET state=4 WHERE id=?")
        for file in files {
          try read.bind(.integer(file))
          guard try read.step() else { continue }
          let state = String(read.integer(0))
          former.append(
            read.isNull(1) ? Former(.file, file, state) : try self.former(file, of: read.integer(1), state))
          read.reset()
          try write.run(.integer(file))
        }
        for former in former where former.kind != .file { try self.noteForgotten(former.target) }
        try self.noteChangedCatalogue()
      }
      try self.recordAct("forget \(name)", former)
    }
  }

  private func former(_ file: Int64, of recording: Int64, _ state: String) throws(DatabaseError) -> Former {
    let other = try catalogue.integer(
      "SELECT 1 FROM file WHERE recording=? AND id<>? LIMIT 1", .integer(recording), .integer(file))
    return other == nil ? Former(.track, recording, state) : Former(.copy, recording, "\(state) \(file)")
  }

  /// Notes that a recording was removed, unless another file of it is still in the library.
  private func noteForgotten(_ recording: Int64) throws(DatabaseError) {
    let other = try catalogue.integer(
      """
      SELECT 1 FROM file LEFT JOIN folder ON folder.id=file.folder LEFT JOIN root ON root.id=folder.root
      WHERE recording=? AND file.state<>4 AND coalesce(root.state, 0)<>2 LIMIT 1
      """, .integer(recording))
    guard other == nil else { return }
    try listener.prepare("UPDATE recording SET forgotten=1 WHERE id=?").run(.integer(recording))
  }

  /// Removes a folder and all its tracks from the library. Can be undone.
  ///
  /// - Returns: False if the folder was not added.
  public func forgetRoot(_ path: BytePath) throws(DatabaseError) -> Bool {
    guard let root = try roots().first(where: { $0.path == path.absolute && $0.state != .forgotten }) else {
      return false
    }
    try listener.transaction { () throws(DatabaseError) in
      try self.catalogue.transaction { () throws(DatabaseError) in
        try self.catalogue.prepare("UPDATE root SET state=2 WHERE id=?").run(.integer(root.id))
        try KeptRoots(library: self).handOver(root.path)
        try self.noteChangedCatalogue()
      }
      let id = try KeptRoots(library: self).keep(root.path, isForgotten: true)
      try self.recordAct("forget \(root.path)", [Former(.root, id, String(root.state.rawValue))])
    }
    return true
  }

  /// Counts a change of the catalogue that the index does not contain yet, in the same transaction.
  func noteChangedCatalogue() throws(DatabaseError) {
    try catalogue.execute(LibrarySchema.countChange)
  }

  /// Records that a file was played or skipped.
  ///
  /// - Parameter isSkip: True if too little was heard to count as a play.
  /// - Returns: False if the library does not know the file.
  @discardableResult
  public func recordPlay(
    of path: BytePath, heard: Double, duration: Double?, isSkip: Bool, at time: Int64
  ) throws(DatabaseError) -> Bool {
    try listener.transaction { () throws(DatabaseError) -> Bool in
      guard let recording = try RecordingLookup(self).recording(of: path) else { return false }
      try self.listener.prepare("INSERT INTO play (recording, at, heard, duration, skipped) VALUES (?, ?, ?, ?, ?)")
        .run(
          .integer(recording), .integer(time), .real(heard), duration.map(DatabaseValue.real) ?? .null,
          .integer(isSkip ? 1 : 0))
      try self.listener.prepare(
        """
        UPDATE recording SET skips=skips+?3, plays=plays+?4, last=nullif(max(coalesce(last, 0), ?5), 0), changed=?1
        WHERE id=?2
        """
      ).run(
        .integer(try self.nextChange()), .integer(recording), .integer(isSkip ? 1 : 0), .integer(isSkip ? 0 : 1),
        .integer(isSkip ? 0 : time))
      return true
    }
  }

  /// The present path of a track whose file has left this one; `nil` if no scan has seen that.
  public func newPath(of path: BytePath) throws(DatabaseError) -> BytePath? {
    try RecordingLookup(self).track(movedFrom: named(path))?.path
  }
}

public struct TrackRating: Sendable, Hashable {
  /// From 0 to 10; `nil` without a rating.
  public var rating: Int? { didSet { rating = Self.limited(rating) } }
  public var isLoved: Bool

  init(_ rating: Int?, isLoved: Bool) { (self.rating, self.isLoved) = (Self.limited(rating), isLoved) }

  static func limited(_ rating: Int?) -> Int? { rating.map { min(10, max(0, $0)) } }
}

/// A track in the listener's database.
private struct Recording {
  var id: Int64
  var path: BytePath

  init(_ id: Int64, _ path: BytePath) { (self.id, self.path) = (id, path) }
  init(_ track: LibraryTrack) { self.init(track.recording, track.path) }
}
