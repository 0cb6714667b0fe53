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
  /// The names of covers of tracks that the server does not know by the track.
  private let names = Guarded<[BytePath: BytePath]>([:])
  private static let nameLimit = 10_000
  private static let patience = TimeSpan.seconds(2)

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
      guard let address = try address(of: names.withLock { $0[path] } ?? path, side: side) else { return nil }
      do {
        if let cover = try cover(at: address) { return cover }
      } catch {
        guard .now - start <= Self.patience else { throw error }
      }
      guard let name = try name(ofCoverOf: path) else { return nil }
      return try cover(at: LibraryServers.cover(of: name, side: side))
    } catch {
      if .now - start > Self.patience { pauses.withLock { $0[server] = .now + .seconds(30) } }
      return nil
    }
  }

  private func cover(at address: String) throws(ByteIOError) -> Cover? {
    Cover(fromServer: try network.document(address, byteLimit: Cover.byteLimit).bytes)
  }

  /// The name that the server gives the cover of a track; `nil` if it gives none.
  private func name(ofCoverOf path: BytePath) throws(ServerFailure) -> BytePath? {
    guard !LibraryServers.isArtist(path), let servers else { return nil }
    let name = try LibraryServers.name(ofCoverOf: path, in: servers, connection)
    names.withLock { names in
      if names.count >= Self.nameLimit { names = [:] }
      names[path] = name
    }
    return name
  }

  private func address(of path: BytePath, side: Int) throws(ServerFailure) -> String? {
    guard LibraryServers.isArtist(path) else { return LibraryServers.cover(of: path, side: side) }
    guard let servers else { return nil }
    return try LibraryServers.address(ofArtist: path, side: side, in: servers, connection)
  }
}
