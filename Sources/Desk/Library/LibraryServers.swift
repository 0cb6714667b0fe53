internal import AudioModel
package import ByteIO
internal import Database
package import Library
package import Streaming

/// The interfaces of the servers of a library: the table of kinds.
package enum LibraryServers {
  /// Returns the address of the bytes of a track on a server, or of its cover, with what opens it: for
  /// `NetworkConfiguration`.
  package static func address(of track: WebAddress, in servers: KnownServers) throws(NetworkError) -> WebAddress {
    let found: (account: ServerAccount, id: String)?
    do throws(ByteIOError) { found = try servers.account(of: track) } catch {
      throw NetworkError(.unusable, "the file of servers cannot be read: \(error.reason)")
    }
    guard let (account, id) = found else {
      let name = track.host ?? ""
      throw NetworkError(.unusable, "there is no server \(name): 'segue library add ADDRESS --user NAME' adds it")
    }
    let side = track.query.flatMap { $0.hasPrefix(coverField) ? Int($0.dropFirst(coverField.utf8.count)) : nil }
    switch account.kind {
    case .openSubsonic:
      return side.map { SubsonicRequest.cover(ofTrack: id, side: $0, of: account) }
        ?? SubsonicRequest.sound(ofTrack: id, of: account)
    }
  }

  /// The address of the cover of a track on a server, of about that many pixels, without what opens it.
  static func cover(of track: BytePath, side: Int) -> String { "\(track)?\(coverField)\(side)" }

  private static let coverField = "cover="

  /// The name of the cover of a track, if that is not the track. Blocks.
  static func name(
    ofCoverOf path: BytePath, in servers: KnownServers, _ connection: ServerConnection
  ) throws(ServerFailure) -> BytePath? {
    guard case (let account, let id)?? = try? servers.account(of: WebAddress(path.description)) else { return nil }
    switch account.kind {
    case .openSubsonic:
      let cover = try SubsonicAnswer(connection.ask(SubsonicRequest.track(id, of: account))).coverID
      return cover.flatMap { $0 == id ? nil : account.root.appending(BytePath(WebAddress.encoded($0))) }
    }
  }

  /// The name of the picture of the artist of a track on a server.
  static func picture(ofArtistOf track: BytePath) -> BytePath { BytePath("\(track)?\(artistField)") }

  /// True for such a name.
  static func isArtist(_ path: BytePath) -> Bool { WebAddress(path.description).query == artistField }

  private static let artistField = "artist"

  /// The address of a picture with such a name, of about that many pixels, without what opens the server; `nil` if the
  /// server knows none. Blocks.
  static func address(
    ofArtist path: BytePath, side: Int, in servers: KnownServers, _ connection: ServerConnection
  ) throws(ServerFailure) -> String? {
    guard let (account, id) = servers.account(of: path) else { return nil }
    switch account.kind {
    case .openSubsonic:
      switch try SubsonicArtist(account: account, ask: connection.ask).picture(ofTrack: id) {
      case .cover(let id)?: return cover(of: account.root.appending(BytePath(WebAddress.encoded(id))), side: side)
      case .address(let address)?: return address.text
      case nil: return nil
      }
    }
  }

  /// The address of a server as a person wrote it, in the form in which it is kept.
  package static func address(written: WebAddress) -> WebAddress {
    var address = written
    (address.query, address.fields) = (nil, [:])
    while address.path.hasSuffix("/") { address.path.removeLast() }
    return address
  }

  /// Logs in to a server by a password, or without a user by an API key, and keeps what opens it. Returns its root, and
  /// what was found. Blocks.
  ///
  /// - Parameters:
  ///   - certificate: The only one that is trusted; `nil` for one that the system trusts.
  ///   - folders: The names of its music folders to take; `all` for all, none for those that were taken before.
  package static func add(
    _ address: WebAddress, user: String?, secret: String, to library: MusicLibrary,
    certificate: ServerCertificate? = nil, folders: [String] = [],
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(ServerFailure) -> (root: BytePath, findings: [String]) {
    let address = Self.address(written: address)
    var configuration = NetworkConfiguration()
    configuration.certificate = { $0.isSameServer(as: address) ? certificate : nil }
    let network = Network(configuration)
    defer { network.shutDown() }
    let login = SubsonicLogin(folders: folders, ServerConnection(network, isCancelled: isCancelled).ask)
    let found: SubsonicLogin.Found
    if let user {
      var random = SystemRandomNumberGenerator()
      found = try login.login(to: address, user: user, password: secret, salt: String(random.next(), radix: 16))
    } else {
      found = try login.login(to: address, key: secret)
    }
    var (account, findings) = (found.account, ["\(found.description), \(counted(found.trackCount, "track"))"])
    account.certificate = certificate
    if found.folders.count > 1 {
      let names = found.folders.map(\.name).joined(separator: ", ")
      findings.append("its music folders are \(names): --folder NAME takes the tracks of one")
    }
    if address.scheme == "http" {
      findings.append("the connection is not encrypted: others on the way can read what opens the server")
    }
    do throws(ByteIOError) {
      var accounts = try ServerAccounts(folder: library.folder)
      let root = accounts.add(account, keepsFolders: folders.isEmpty).root
      try accounts.save(in: library.folder)
      return (root, findings)
    } catch { throw ServerFailure("what opens it cannot be kept: \(error)") }
  }

  /// The outcome of `tell`: sentences on servers that refuse, and on those that may take it later.
  package struct Told: Sendable, Hashable {
    package var refusals: [String] = []
    package var delays: [String] = []
    /// True if something here has changed.
    package var hasTaken = false
    /// True if another program tells them now.
    package var isBusy = false
  }

  /// Tells servers what the listener has rated and loved since they were told last. Blocks.
  static func tellRatings(
    of library: MusicLibrary, _ connection: ServerConnection
  ) throws(DatabaseError) -> Told {
    let ratings = try ServerRatings(library)
    let (changes, end) = try ratings.changes()
    let servers = KnownServers(library.folder)
    var (told, silent, isComplete) = (Told(), Set<String>(), true)
    for change in changes {
      guard let (account, id) = servers.account(of: change.path), !silent.contains(account.name) else {
        isComplete = false
        continue
      }
      let track: ServerTrack?
      do throws(ServerFailure) {
        switch account.kind {
        case .openSubsonic:
          let ask = SubsonicRequest.checking(connection.ask, of: account)
          track = try SubsonicRequest.tell(change, ofTrack: id, of: account, ask)
        }
      } catch {
        if error.isRefusal {
          told.refusals.append("\(account.root) does not take a rating: \(error)")
          try ratings.noteRefusal(of: change)
          continue
        }
        isComplete = false
        // A fault of the server (500) may be one of this track.
        if error.status != 500 { silent.insert(account.name) }
        if error.isLogin {
          told.refusals.append("\(account.root) gets no ratings: \(error)")
        } else {
          told.delays.append("\(account.root) gets ratings later: \(error)")
        }
        continue
      }
      try ratings.noteTold(change, track)
    }
    if isComplete { try ratings.finish(until: end) }
    return told
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
    let network = KnownServers(library.folder).network
    defer { network.shutDown() }
    let connection = ServerConnection(network, isCancelled: isCancelled)
    for root in roots where !isCancelled() {
      let scan = ServerScan(library, of: root, isQuick: isQuick, isCancelled: isCancelled, report: report)
      guard let account = accounts.first(where: { $0.root == root.path }) else {
        totals.add(try scan.run(UnknownServer()))
        continue
      }
      let found: ScanTotals
      switch account.kind {
      case .openSubsonic: found = try scan.run(SubsonicCatalogue(account, connection.ask, connection.ask(all:)))
      }
      totals.add(found)
      let isAway = try library.roots().contains { $0.id == root.id && $0.state == .away }
      if !isAway, !found.isCancelled { try take(from: account, isQuick: isQuick, library, connection) }
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
