public import ByteIO
public import Database

/// Reads the tags of tracks from the catalogue: the index has only those that lists and searches need.
public struct StoredTags {
  private let statement: Statement
  private let onServer: Statement

  /// The tags of a library. On the library's thread.
  public init(_ library: MusicLibrary) throws(DatabaseError) {
    statement = try library.catalogue.prepare("SELECT tags FROM file WHERE id=?")
    onServer = try library.catalogue.prepare(
      """
      SELECT tags, duration FROM root JOIN folder ON folder.root=root.id JOIN file ON file.folder=folder.id
      WHERE root.path=? AND folder.path=x'' AND file.name=?
      """)
  }

  /// The facts of a track on a server (`BytePath.isOnServer`): its tags, and its duration in seconds.
  public func facts(ofTrack path: BytePath) -> (tags: CatalogueTags, duration: Double?)? {
    do throws(DatabaseError) {
      guard try onServer.bind(.blob(path.parent.bytes), .blob(path.lastComponent.bytes)).step() else { return nil }
      defer { onServer.reset() }
      return (
        onServer.withBytes(0) { CatalogueTags(stored: $0) }, onServer.isNull(1) ? nil : onServer.real(1)
      )
    } catch { return nil }
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
