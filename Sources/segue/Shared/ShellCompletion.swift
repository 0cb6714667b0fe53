internal import Desk
internal import Library
internal import Player

/// Completes queries and names of playlists in shells.
enum ShellCompletion {
  static let query: @Sendable ([String], Int, String) -> [String] = { _, _, word in
    let index = UserFolders().data.flatMap { LibraryIndex(folder: $0) }
    let view = word.hasPrefix("playlist:") ? viewWithPlaylists : index.map { LibraryView($0) }
    let completion = QueryCompletion(word, in: view)
    return completion.candidates.map { word.prefix(completion.start) + $0 }
  }

  static let playlist: @Sendable ([String], Int, String) -> [String] = { _, _, _ in playlists }

  static var playlists: [String] { viewWithPlaylists?.playlists.map(\.name) ?? [] }

  private static var viewWithPlaylists: LibraryView? {
    guard let connection = UserFolders().data.map({ LibraryConnection($0) }), connection.has("listener.db") else {
      return nil
    }
    return try? connection.open().lastView()
  }
}
