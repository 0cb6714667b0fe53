internal import ByteIO
package import Database
package import Library

// Playlists.
extension LibraryServers {
  /// Takes what is new in the playlists of a server. A failure comes again when something is sent.
  static func takeLists(
    of account: ServerAccount, isQuick: Bool, _ library: MusicLibrary, _ connection: ServerConnection
  ) throws(DatabaseError) {
    _ = try sync(account, library, connection, isQuick ? .listed : .all)
  }

  /// Tells servers all that the listener has changed since they were told last: ratings, love and playlists. Blocks.
  package static func tell(_ library: MusicLibrary, _ connection: ServerConnection) throws(DatabaseError) -> Told {
    var told = try tellRatings(of: library, connection)
    let accounts = (try? ServerAccounts(folder: library.folder))?.all ?? []
    for root in try library.roots() where root.path.isOnServer && root.state != .forgotten {
      guard let account = accounts.first(where: { $0.root == root.path }) else { continue }
      let outcome = try sync(account, library, connection, .changedHere)
      told.refusals += outcome.refusals
      told.hasTaken = told.hasTaken || outcome.takenCount > 0
      told.isBusy = told.isBusy || outcome.isBusy
      guard let failure = outcome.failure else { continue }
      if failure.isLogin {
        told.refusals.append("\(root.path) gets no playlists: \(failure)")
      } else {
        told.delays.append("\(root.path) gets playlists later: \(failure)")
      }
    }
    return told
  }

  private static func sync(
    _ account: ServerAccount, _ library: MusicLibrary, _ connection: ServerConnection, _ extent: PlaylistSync.Extent
  ) throws(DatabaseError) -> PlaylistSync.Outcome {
    let sync = PlaylistSync(library, of: account.root)
    return switch account.kind {
    case .openSubsonic: try sync.run(SubsonicPlaylists(account: account, ask: connection.ask), extent)
    }
  }
}
