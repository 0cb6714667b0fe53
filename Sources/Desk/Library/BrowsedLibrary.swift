internal import ByteIO
internal import Commands
internal import Database
internal import Glibc
internal import Library

/// The music library for questions of clients, over a connection of its own. On the thread of the questions.
final class BrowsedLibrary {
  private let connection: LibraryConnection

  /// - Parameter folder: The library's.
  init(folder: BytePath) { connection = LibraryConnection(folder) }

  /// The library as it is now, `nil` without a folder, and a number that each change of its playlists changes.
  var state: (LibrarySnapshot?, playlists: Int) {
    do throws(DatabaseError) {
      guard let library = try open() else { return (nil, 0) }
      let playlists = try PlaylistStore(library).revision()
      guard
        let music = LibrarySnapshot.commonFolder(
          of: try library.roots().filter { $0.state != .forgotten && !$0.path.isOnServer }.map(\.path))
      else { return (nil, playlists) }
      let view = try library.lastView(hasPlaylists: false)
      return (LibrarySnapshot(music: music, revision: revision.number, change: view.change), playlists)
    } catch { return (nil, 0) }
  }

  /// The answer to a question; `nil` if there is no library, or no playlist of that name in it.
  func answer(to question: any LibraryQuestion) -> Answer? {
    withView(hasPlaylists: question.playlist != nil) { (library, view) throws(DatabaseError) in
      if let (place, _) = question.playlist {
        guard view.playlist(exactly: place.name) != nil else { return nil }
      } else {
        guard try library.roots().contains(where: { $0.state != .forgotten }) else { return nil }
      }
      let (stored, given) = (try StoredTags(library), StickerStore(library))
      var failure: DatabaseError?
      func stickers(_ query: StickerStore.Query) -> [Sticker] {
        do throws(DatabaseError) { return try given.stickers(query) } catch {
          failure = error
          return []
        }
      }
      let answer = question.answer(
        view, tags: { stored.tags(of: $0) }, stickers: stickers, written: revision.time, now: Int64(time(nil)))
      if let failure { throw failure }
      return answer
    }
  }

  /// What is known of a file.
  func track(at path: BytePath) -> Answer {
    let answer = withView(hasPlaylists: false) { (library, view) throws(DatabaseError) in
      .library(.track(view.track(at: try library.named(path)).map(HeardTrack.init), of: path))
    }
    return answer ?? .library(.track(nil, of: path))
  }

  var playlists: [PlaylistName] {
    let answer = withView(hasPlaylists: true) { (_, view) throws(DatabaseError) in
      .playlists(view.playlists.map { PlaylistName(name: $0.name, modified: $0.changed) })
    }
    guard case .playlists(let names)? = answer else { return [] }
    return names
  }

  /// The entries of a playlist of exactly this name; `nil` without one.
  func playlist(_ name: String) -> Answer? {
    withView(hasPlaylists: true) { (_, view) throws(DatabaseError) in
      guard let playlist = view.playlist(exactly: name) else { return nil }
      do throws(QueryError) {
        return .playlist(
          try view.items(of: playlist, now: Int64(time(nil))).map {
            DiskItem(kind: $0.state == .here ? .song : .other, location: $0.location)
          }, .library)
      } catch { return .failed(error.description) }
    }
  }

  private func withView(
    hasPlaylists: Bool, _ body: (MusicLibrary, LibraryView) throws(DatabaseError) -> Answer?
  ) -> Answer? {
    do throws(DatabaseError) {
      guard let library = try open() else { return nil }
      let view = try library.lastView(hasPlaylists: hasPlaylists)
      defer { view.index.release() }
      return try body(library, view)
    } catch { return .failed(error.description) }
  }

  /// Opening makes the databases: only a listener who adds a folder wants them.
  private func open() throws(DatabaseError) -> MusicLibrary? {
    guard connection.has("catalogue.db") else {
      connection.close()
      return nil
    }
    return try connection.open()
  }

  /// The index file is replaced by each change: its number and its time tell one from another.
  private var revision: (number: Int, time: Int64) {
    var status = stat()
    guard LibraryIndex.path(in: connection.folder).withCString({ stat($0, &status) }) == 0 else { return (0, 0) }
    var hasher = Hasher()
    hasher.combine(status.st_ino)
    hasher.combine(status.st_mtim.tv_sec)
    hasher.combine(status.st_mtim.tv_nsec)
    return (hasher.finalize(), Int64(status.st_mtim.tv_sec))
  }
}
