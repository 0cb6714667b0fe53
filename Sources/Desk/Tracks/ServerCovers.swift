internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Streaming
internal import Threads

/// The covers of tracks on servers of music, and the pictures of their artists, kept as streams are. Blocks. Any thread.
final class ServerCovers: Sendable {
  private let network: Network
  /// `nil` without a folder.
  private let servers: KnownServers?
  private let connection: ServerConnection
  /// The times until which servers are not asked, because they took long to fail.
  private let pauses = Guarded<[BytePath: MonotonicTime]>([:])

  init(_ network: Network, _ servers: KnownServers?) {
    (self.network, self.servers, connection) = (network, servers, ServerConnection(network, patience: 0))
  }

  /// The cover, of about that many pixels; `nil` for a track that is on no server, and if the server has none.
  func cover(of location: MediaLocation, side: Int = Inquiry.largeCoverSide) -> Cover? {
    guard let path = location.libraryPath, path.isOnServer else { return nil }
    // Pictures of artists may be on another host, which says nothing about this one.
    let server = LibraryServers.isArtist(path) ? path.parent.appending(BytePath("?artist")) : path.parent
    let start = MonotonicTime.now
    guard pauses.withLock({ $0[server] ?? .zero }) <= start else { return nil }
    do {
      guard let address = try address(of: path, side: side) else { return nil }
      return Cover(fromServer: try network.document(address, byteLimit: Cover.byteLimit).bytes)
    } catch {
      if .now - start > .seconds(2) { pauses.withLock { $0[server] = .now + .seconds(30) } }
      return nil
    }
  }

  private func address(of path: BytePath, side: Int) throws(ServerFailure) -> String? {
    guard LibraryServers.isArtist(path) else { return LibraryServers.cover(of: path, side: side) }
    guard let servers else { return nil }
    return try LibraryServers.address(ofArtist: path, side: side, in: servers, connection)
  }
}
