internal import ByteIO
public import Database

// The index: derived from the databases, read by searches and views.
extension MusicLibrary {
  /// The current library. Writes the index first if it is missing or older than the last scan.
  public func view() throws(DatabaseError) -> LibraryView {
    if try isIndexed(), let index = LibraryIndex(folder: folder) { return try view(of: index) }
    let index = try makeIndex()
    let view = try view(of: index)
    do throws(DatabaseError) { if index.isFile { try LoudnessStore(self).writeGains(of: view) } } catch {
      if !error.allowsReading { throw error }
    }
    return view
  }

  /// Writes a new index; where that is not possible it is in memory.
  private func makeIndex() throws(DatabaseError) -> LibraryIndex {
    let draft = try draftIndex()
    do throws(DatabaseError) {
      try TwinJoin(library: self).perform(draft.twins)
      try install(draft)
      if let index = LibraryIndex(folder: folder) { return index }
    } catch { if !error.allowsReading { throw error } }
    guard let index = LibraryIndex(bytes: draft.bytes) else {
      throw DatabaseError(.full, operation: "read", path: draft.path, reason: "no memory for the index")
    }
    return index
  }

  /// True if the index is as new as the databases. Writing it takes seconds for a million tracks.
  public func isIndexed() throws(DatabaseError) -> Bool { try catalogue.property("index") == revision() }

  /// The library of the last index, without waiting for a scan that is running. Takes the same time for any size.
  ///
  /// - Parameter hasPlaylists: False to omit the playlists, the search for their files outside the library, and the
  ///   latest plays.
  public func lastView(hasPlaylists: Bool = true) throws(DatabaseError) -> LibraryView {
    guard let index = LibraryIndex(folder: folder) else { return try view() }
    return try view(of: index, hasPlaylists: hasPlaylists)
  }

  /// An index, the playlists, and the listener's changes since the index was written.
  private func view(of index: LibraryIndex, hasPlaylists: Bool = true) throws(DatabaseError) -> LibraryView {
    var view = LibraryView(index)
    if hasPlaylists {
      view.playlists = try PlaylistStore(self).playlists(in: index)
      view.latestPlays = try ResumeStore(self).latestPlays()
      view.queueOffers = try ServerQueues(self).offers()
    }
    guard try lastChange() > view.change else { return view }
    let rows = try listener.prepare(
      "SELECT id, added, plays, skips, last, rating, love, changed FROM recording WHERE changed>?"
    ).bind(.integer(view.change))
    while try rows.step() {
      view.note(ListenerFacts(rows), ofRecording: rows.integer(0), change: rows.integer(7))
    }
    return view
  }

  private func revision() throws(DatabaseError) -> String { try catalogue.property("revision") ?? "0" }

  func draftIndex() throws(DatabaseError) -> IndexDraft {
    // Read before the rows: a concurrent change by another connection is indexed twice rather than never.
    let (revision, change) = (try revision(), try lastChange())
    var builder = IndexBuilder()
    let twins = try IndexSource(library: self).fill(&builder)
    let contents = builder.finish(change: change)
    return IndexDraft(
      revision: revision, path: LibraryIndex.path(in: folder), twins: twins, forEachPiece: contents.write)
  }

  /// Replaces the index file, unless another connection has already written a later one.
  func install(_ draft: IndexDraft) throws(DatabaseError) {
    try draft.write { () throws(DatabaseError) in
      try self.catalogue.transaction { () throws(DatabaseError) in
        let known = try self.catalogue.property("index").flatMap { Int($0) } ?? 0
        guard known <= Int(draft.revision) ?? 0 else { return }
        try draft.moveIntoPlace()
        try self.catalogue.setProperty("index", draft.revision)
      }
    }
  }
}

extension ListenerFacts {
  /// Columns 1 to 6: added, plays, skips, last, rating, love.
  init(_ row: Statement) {
    self.init(
      added: row.integer(1), plays: Int(UInt32(clamping: row.integer(2))),
      skips: Int(UInt32(clamping: row.integer(3))), last: row.integer(4),
      rating: row.isNull(5) ? nil : min(10, max(0, row.int(5))), love: row.integer(6) != 0)
  }
}
