internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Streaming
internal import Threads

/// Asks servers of music for the lyrics of their tracks. Blocks.
struct ServerLyrics: Sendable {
  private let servers: KnownServers
  private let connection: ServerConnection
  /// The extensions of the servers that were asked in this run, by their names.
  private let extensions = Guarded<[String: Set<String>]>([:])

  init(_ servers: KnownServers, _ network: Network) {
    (self.servers, connection) = (servers, ServerConnection(network, patience: 0))
  }

  /// `nil` for a track that is on no server, and if the server has none, or does not answer.
  func lyrics(of track: LyricsInquiry) -> String? {
    let tags = track.information.tags
    guard let path = track.entry.location.libraryPath, let (account, id) = servers.account(of: path) else { return nil }
    switch account.kind {
    case .openSubsonic:
      let lyrics = SubsonicLyrics(account: account, ask: connection.ask)
      do throws(ServerFailure) {
        if extensions.withLock({ $0[account.name] }) == nil {
          let names = try lyrics.extensions()
          extensions.withLock { $0[account.name] = names }
        }
        let names = extensions.withLock { $0[account.name] ?? [] }
        return try lyrics.lyrics(ofTrack: id, title: tags.title, artist: tags.artist, names)
      } catch { return nil }
    }
  }
}
