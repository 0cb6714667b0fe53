public import Database

/// Reads the tags of tracks from the catalogue: the index has only those that lists and searches need.
public struct StoredTags {
  private let statement: Statement

  /// The tags of a library. On the library's thread.
  public init(_ library: MusicLibrary) throws(DatabaseError) {
    statement = try library.catalogue.prepare("SELECT tags FROM file WHERE id=?")
  }

  /// The tags of a track; none if it has left the catalogue since the index was written, or the database fails.
  public func tags(of track: LibraryTrack) -> CatalogueTags {
    do throws(DatabaseError) {
      guard try statement.bind(.integer(track.file)).step() else { return CatalogueTags() }
      defer { statement.reset() }
      return statement.withBytes(0) { CatalogueTags(stored: $0) }
    } catch { return CatalogueTags() }
  }
}
