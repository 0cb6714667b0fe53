package import ByteIO
internal import Database
internal import Library
package import Streaming

/// The interfaces of the servers of a library: the table of kinds.
package enum LibraryServers {
  /// Returns the address of the bytes of a track on a server, with what opens it: for `NetworkConfiguration`. Reads the
  /// file of servers each time.
  ///
  /// - Parameter folder: That of the library.
  package static func address(of track: WebAddress, in folder: BytePath) throws(NetworkError) -> WebAddress {
    let name = track.host ?? ""
    let accounts: ServerAccounts
    do throws(ByteIOError) { accounts = try ServerAccounts(folder: folder) } catch {
      throw NetworkError(.unusable, "the file of servers cannot be read: \(error.reason)")
    }
    guard let account = accounts[name] else {
      throw NetworkError(.unusable, "there is no server \(name): 'segue library add ADDRESS --user NAME' adds it")
    }
    let id = String(track.path.dropFirst()).removingPercentEscapes
    switch account.kind {
    case .openSubsonic: return SubsonicRequest.sound(ofTrack: id, of: account)
    }
  }

  /// Scans the servers among these roots of a library, without any all servers. `isQuick`: looks only for what is new.
  static func scan(
    _ paths: [BytePath], of library: MusicLibrary, isQuick: Bool, isCancelled: @escaping @Sendable () -> Bool,
    report: @escaping (ScanProgress) -> Void
  ) throws(DatabaseError) -> ScanTotals {
    var totals = ScanTotals()
    let roots = try library.roots().filter { root in
      let isNamed = paths.isEmpty || paths.contains { $0 == root.path || $0.isBelow(root.path) }
      return root.path.isOnServer && root.state != .forgotten && isNamed
    }
    guard !roots.isEmpty else { return totals }
    let accounts = (try? ServerAccounts(folder: library.folder))?.all ?? []
    let network = Network()
    defer { network.shutDown() }
    let connection = ServerConnection(network, isCancelled: isCancelled)
    for root in roots where !isCancelled() {
      let scan = ServerScan(library, of: root, isQuick: isQuick, isCancelled: isCancelled, report: report)
      guard let account = accounts.first(where: { $0.root == root.path }) else {
        totals.add(try scan.run(UnknownServer()))
        continue
      }
      switch account.kind {
      case .openSubsonic: totals.add(try scan.run(SubsonicCatalogue(account, connection.ask)))
      }
    }
    return totals
  }
}

/// A server of which the file of servers knows nothing.
private struct UnknownServer: ServerCatalogue {
  mutating func next() throws(ServerFailure) -> [ServerTrack]? {
    throw ServerFailure("what opens it is not known here: 'segue library add ADDRESS --user NAME' adds it again")
  }
}
