package import ByteIO
package import Streaming
internal import Threads

/// The servers of a library, in memory until their file changes. Any thread.
package final class KnownServers: Sendable {
  private let folder: BytePath
  private let kept = Guarded<(version: FileVersion?, accounts: ServerAccounts)>((nil, ServerAccounts(text: "")))

  /// - Parameter folder: That of the library.
  package init(_ folder: BytePath) { self.folder = folder }

  /// The servers now.
  package func accounts() throws(ByteIOError) -> ServerAccounts {
    // Before the file is read: a change meanwhile is seen the next time.
    let version = version
    return try kept.withLock { kept throws(ByteIOError) in
      if kept.version != version { kept = (version, try ServerAccounts(folder: folder)) }
      return kept.accounts
    }
  }

  /// The server of a track, and the track's ID there; `nil` for any other address, and for an unknown server.
  package func account(of track: WebAddress) throws(ByteIOError) -> (account: ServerAccount, id: String)? {
    guard track.isOnServer, let account = try accounts()[track.host ?? ""] else { return nil }
    return (account, String(track.path.dropFirst()).removingPercentEscapes)
  }

  /// The same for the name of a track in the library; `nil` also if the file of servers cannot be read.
  package func account(of track: BytePath) -> (account: ServerAccount, id: String)? {
    try? account(of: WebAddress(track.description))
  }

  /// The certificate that the listener accepted for the server of an address (`NetworkConfiguration.certificate`).
  package func certificate(for address: WebAddress) -> ServerCertificate? {
    (try? accounts())?.all.first { $0.address.isSameServer(as: address) }?.certificate
  }

  /// A network that trusts these certificates, for questions only.
  package var network: Network {
    var configuration = NetworkConfiguration()
    configuration.certificate = { self.certificate(for: $0) }
    return Network(configuration)
  }

  private var version: FileVersion? { FileVersion(folder.appending(ServerAccounts.file)) }
}
