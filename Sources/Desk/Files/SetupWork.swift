package import ByteIO
internal import Commands
internal import Library

/// Looks for the listener's music, and for files of other players. On the thread of the disk.
struct SetupWork {
  /// The number of folders that one answer counts, and of files after which none is counted.
  private static let folderCount = 50, fileLimit = 1_000_000

  let folders: UserFolders
  let extensions: Set<String>

  func facts(after last: SetupFacts?) -> SetupFacts {
    guard var facts = last else {
      var first = SetupFacts()
      first.music = folders.ownMusic?.absolute
      first.openFolders = [first.music].compactMap(\.self)
      first.otherPlayers = folders.otherPlayers
      return first
    }
    for _ in 0..<Self.folderCount where !facts.openFolders.isEmpty {
      let folder = facts.openFolders.removeFirst()
      let items = FolderContents(reading: folder, playableExtensions: extensions).items
      let count = items.count { $0.kind == .playable }
      facts.fileCount += count
      // A book may begin the folder only because its name sorts first.
      if count > 0, folder != facts.music {
        let first = facts.firstAlbum ?? folder
        facts.firstAlbum = isSpokenPath(first) && !isSpokenPath(folder) ? folder : first
      }
      // Below a folder before beside it: the first album is the one that is first in Files.
      facts.openFolders.insert(contentsOf: items.filter { $0.kind == .folder }.map(\.path), at: 0)
      if facts.fileCount > Self.fileLimit { facts.openFolders = [] }
    }
    // Without folders of albums, all is one.
    if facts.openFolders.isEmpty, facts.fileCount > 0 { facts.firstAlbum = facts.firstAlbum ?? facts.music }
    if let album = facts.firstAlbum, album != last?.firstAlbum {
      let view = folders.data.flatMap { LibraryIndex(folder: $0) }.map { LibraryView($0) }
      facts.isInLibrary = view?.tracks(inFolder: album).isEmpty == false
    }
    return facts
  }
}

/// True for a path that says that it is a book or a podcast: of a file `.m4b`, or in a folder of such a name.
package func isSpokenPath(_ path: BytePath) -> Bool {
  let words = ["audiobook", "audio book", "podcast", "spoken", "hörbuch", "hörbücher", "hörspiel"]
  let name = path.description.lowercased()
  return path.fileExtension == "m4b" || words.contains { name.contains($0) }
}
