internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Streaming
internal import Threads

/// The covers of tracks on servers of music, kept as streams are. Blocks. Any thread.
final class ServerCovers: Sendable {
  private let network: Network
  /// The times until which servers are not asked, because they took long to fail.
  private let pauses = Guarded<[BytePath: MonotonicTime]>([:])

  init(_ network: Network) { self.network = network }

  /// The cover, of about that many pixels; `nil` for a track that is on no server, and if the server has none.
  func cover(of location: MediaLocation, side: Int = Inquiry.largeCoverSide) -> Cover? {
    guard let path = location.libraryPath, path.isOnServer else { return nil }
    let (server, start) = (path.parent, MonotonicTime.now)
    guard pauses.withLock({ $0[server] ?? .zero }) <= start else { return nil }
    do throws(ByteIOError) {
      let address = LibraryServers.cover(of: path, side: side)
      return Cover(fromServer: try network.document(address, byteLimit: Cover.byteLimit).bytes)
    } catch {
      if .now - start > .seconds(2) { pauses.withLock { $0[server] = .now + .seconds(30) } }
      return nil
    }
  }
}
