internal import ByteIO
internal import Database
internal import Glibc
internal import Library
internal import RemoteProtocols

/// The music library for questions of clients, over a connection of its own. On the thread of the questions.
final class RemoteLibrary {
  private let folder: BytePath
  private var library: MusicLibrary?

  /// - Parameter folder: The library's.
  init(folder: BytePath) { self.folder = folder }

  /// The library as it is now; `nil` if there is none.
  var picture: LibraryPicture? {
    do throws(DatabaseError) {
      guard let library = try open(),
        let music = LibraryPicture.commonFolder(
          of: try library.roots().filter { $0.state != .forgotten }.map(\.path))
      else { return nil }
      let view = try library.lastView(hasPlaylists: false)
      return LibraryPicture(music: music, revision: revision.number, change: view.change)
    } catch { return nil }
  }

  /// The answer to a question; `nil` if there is no library.
  func answer(to question: MPDQuestion) -> DiskAnswer? {
    do throws(DatabaseError) {
      guard let library = try open(), try library.roots().contains(where: { $0.state != .forgotten }) else {
        return nil
      }
      let view = try library.lastView(hasPlaylists: false)
      defer { view.index.release() }
      return question.answer(view, written: revision.time)
    } catch { return .failed(error.description) }
  }

  /// Opening makes the databases: only a listener who adds a folder wants them.
  private func open() throws(DatabaseError) -> MusicLibrary? {
    let path = folder.appending(BytePath("catalogue.db"))
    guard path.withCString({ access($0, F_OK) }) == 0 else {
      library = nil
      return nil
    }
    if library == nil { library = try MusicLibrary(folder: folder) }
    return library
  }

  /// The index file is replaced by each change: its number and its time tell one from another.
  private var revision: (number: Int, time: Int64) {
    var status = stat()
    guard LibraryIndex.path(in: folder).withCString({ stat($0, &status) }) == 0 else { return (0, 0) }
    var hasher = Hasher()
    hasher.combine(status.st_ino)
    hasher.combine(status.st_mtim.tv_sec)
    hasher.combine(status.st_mtim.tv_nsec)
    return (hasher.finalize(), Int64(status.st_mtim.tv_sec))
  }
}
