package import ByteIO
internal import Library

/// The radio stations that servers of music offer: a playlist per server, as the last scan found them. Any thread.
package struct ServerStations {
  private let folder: BytePath

  /// - Parameter folder: That of the library.
  package init(folder: BytePath) { self.folder = folder }

  private func file(of server: String) -> BytePath { folder.appending(BytePath("stations-\(server).m3u8")) }

  var all: [StreamList.Stream] {
    let accounts = (try? ServerAccounts(folder: folder))?.all ?? []
    return accounts.flatMap { account in
      StreamList(kept: (try? SmallFile.read(file(of: account.name))) ?? [], recent: []).kept
    }
  }

  func save(_ stations: [StreamList.Stream], of account: ServerAccount) {
    let file = file(of: account.name)
    if stations.isEmpty { file.removeFile() } else { try? SmallFile.write(StreamList.bytes(of: stations), to: file) }
  }

  /// Removes those of a root that was forgotten, if it is a server.
  package func remove(root: BytePath) { if let server = root.server { file(of: server).removeFile() } }
}
