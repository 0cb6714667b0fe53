package import ByteIO
package import Library

/// Tries what a server takes: the version of its interface, and the kind of password.
package struct SubsonicLogin {
  /// Returns the body of the answer of an address.
  package typealias Ask = (WebAddress) throws(ServerFailure) -> [UInt8]

  private let ask: Ask
  private let folders: [String]
  /// Errors after which a token is not what the server wants: a parameter is missing, as where tokens are not known, or
  /// it says so.
  private static let codesAgainstTokens = [10, 41, 42]
  /// Errors of servers that do not know keys: the name or the password is missing, or this way is not known.
  private static let codesAgainstKeys = [10, 40, 41, 42]
  /// The first version with tokens.
  private static let versionOfTokens = [1, 13, 0]

  /// - Parameter folders: The names of the music folders to take; none, or `all`, takes all.
  package init(folders: [String] = [], _ ask: @escaping Ask) { (self.folders, self.ask) = (folders, ask) }

  /// The result of a login.
  package struct Found: Sendable, Hashable {
    package var account: ServerAccount
    /// `Navidrome 0.58.0, OpenSubsonic 1.16.1`
    package var description: String
    package var trackCount: Int
    package var folders: [ServerAccount.MusicFolder] = []
  }

  /// Logs in, and counts the tracks. The account has no name yet.
  package func login(
    to address: WebAddress, user: String, password: String, salt: String
  ) throws(ServerFailure) -> Found {
    let open = ServerAccount.Secret.password(password)
    var account = ServerAccount(
      name: "", kind: .openSubsonic, address: address, user: user,
      secret: SubsonicRequest.token(of: password, salt: salt) ?? open, version: SubsonicRequest.newestVersion)
    var answer: SubsonicAnswer?
    // The version may be refused, then the token.
    for _ in 1...3 where answer == nil {
      let bytes = try ask(SubsonicRequest.address("ping", of: account))
      do throws(ServerFailure) { answer = try SubsonicAnswer(bytes) } catch {
        guard let next = next(account, after: error, SubsonicAnswer.version(in: bytes), open) else { throw error }
        account = next
      }
    }
    guard let answer else { throw ServerFailure("the server refuses every way to log in") }
    return try found(account, answer)
  }

  /// Logs in by a key (the extension `apiKeyAuthentication`).
  package func login(to address: WebAddress, key: String) throws(ServerFailure) -> Found {
    var account = ServerAccount(
      name: "", kind: .openSubsonic, address: address, user: "", secret: .apiKey(key),
      version: SubsonicRequest.newestVersion)
    let answer: SubsonicAnswer
    do throws(ServerFailure) { answer = try SubsonicAnswer(ask(SubsonicRequest.address("ping", of: account))) } catch {
      guard let code = error.code, Self.codesAgainstKeys.contains(code) else { throw error }
      throw ServerFailure("the server takes no API keys: add it with your name and password", code: code)
    }
    let user = try? SubsonicAnswer(ask(SubsonicRequest.address("tokenInfo", of: account))).userOfKey
    account.user = user ?? ""
    return try found(account, answer)
  }

  private func found(_ account: ServerAccount, _ answer: SubsonicAnswer) throws(ServerFailure) -> Found {
    var account = account
    if let version = answer.version, Self.isKnown(version) { account.version = version }
    let folders = try musicFolders(of: account)
    account.folders = try chosen(among: folders)
    let count = try SubsonicCatalogue(account, ask).trackCount()
    let program = [answer.program ?? "a server", answer.programVersion].compactMap(\.self).joined(separator: " ")
    return Found(
      account: account, description: "\(program), Subsonic \(answer.version ?? account.version)", trackCount: count,
      folders: folders)
  }

  /// The music folders that the user may see; none of a server that does not say.
  private func musicFolders(of account: ServerAccount) throws(ServerFailure) -> [ServerAccount.MusicFolder] {
    do throws(ServerFailure) {
      return try SubsonicAnswer(ask(SubsonicRequest.address("getMusicFolders", of: account))).musicFolders
    } catch {
      guard error.code != nil || error.status != nil else { throw error }
      return []
    }
  }

  private func chosen(
    among all: [ServerAccount.MusicFolder]
  ) throws(ServerFailure) -> [ServerAccount.MusicFolder] {
    var chosen: [ServerAccount.MusicFolder] = []
    for name in folders {
      let named = all.filter { $0.name.lowercased() == name.lowercased() }
      if named.isEmpty, name == "all" { return [] }
      guard let folder = named.first else {
        let names = all.isEmpty ? "it tells none" : "it has " + all.map(\.name).joined(separator: ", ")
        throw ServerFailure("the server has no music folder \(name): \(names)")
      }
      if !chosen.contains(folder) { chosen.append(folder) }
    }
    return chosen
  }

  /// The account to try next, after an error; `nil` if no other can help.
  private func next(
    _ account: ServerAccount, after error: ServerFailure, _ version: String?, _ open: ServerAccount.Secret
  ) -> ServerAccount? {
    var account = account
    if let code = error.code, [20, 30].contains(code), let version, version != account.version, Self.isKnown(version) {
      account.version = version
      if Self.numbers(version).lexicographicallyPrecedes(Self.versionOfTokens) { account.secret = open }
      return account
    }
    guard let code = error.code, Self.codesAgainstTokens.contains(code), account.secret != open else { return nil }
    account.secret = open
    return account
  }

  private static func numbers(_ version: String) -> [Int] { version.split(separator: ".").map { Int($0) ?? 0 } }

  /// True from the oldest version that is enough to the last one before 2.
  private static func isKnown(_ version: String) -> Bool {
    let numbers = numbers(version)
    return numbers.first == 1 && !numbers.lexicographicallyPrecedes(Self.numbers(SubsonicRequest.oldestVersion))
  }
}

/// All tracks of a server, a few albums at a time: each kind of server lists its albums, while not every one finds
/// everything without a word to search for. Of several music folders, one album of each in turn, so that what is new comes
/// first. The episodes of podcasts come after them: a file that is in both belongs to its album.
package struct SubsonicCatalogue: ServerCatalogue {
  private let account: ServerAccount
  private let ask: SubsonicLogin.Ask
  private let askAll: AskAll
  /// Those that are not read to the end.
  private var lists: [AlbumList]
  private var turn = 0
  /// The channels of podcasts that were not read; `nil` before they are asked for.
  private var channels: ArraySlice<String>?
  private var episodeCount = 0
  package private(set) var isPartial = false
  /// A server that is far away answers so many in the time of one.
  private static let albumsAtOnce = 6
  private static let episodeLimit = 100_000

  /// Returns the bodies of the answers of a few addresses, which it asks for at once.
  package typealias AskAll = ([WebAddress]) -> [Result<[UInt8], ServerFailure>]

  /// - Parameter askAll: Without it, one address is asked for after the other.
  package init(_ account: ServerAccount, _ ask: @escaping SubsonicLogin.Ask, _ askAll: AskAll? = nil) {
    (self.account, self.ask) = (account, ask)
    self.askAll = askAll ?? { $0.map { address in Result { () throws(ServerFailure) in try ask(address) } } }
    let folders = account.folders.isEmpty ? [nil] : account.folders.map { $0.id as String? }
    lists = folders.map { AlbumList(account, folder: $0, ask) }
  }

  package mutating func next() throws(ServerFailure) -> [ServerTrack]? {
    let albums = try nextAlbums()
    guard !albums.isEmpty else { return nextEpisodes() }
    var tracks: [ServerTrack] = []
    for answer in askAll(albums.map { SubsonicRequest.album($0.id, of: account) }) {
      do throws(ServerFailure) { tracks += try SubsonicAnswer(answer.get()).tracks } catch {
        // The album was removed meanwhile.
        guard error.code == 70 else { throw error }
      }
    }
    return tracks
  }

  /// The episodes of a few podcasts; `nil` after the last one. A server may know no podcasts, or fail for one of them.
  private mutating func nextEpisodes() -> [ServerTrack]? {
    func address(_ fields: (String, String)...) -> WebAddress {
      SubsonicRequest.address("getPodcasts", fields, of: account)
    }
    if channels == nil {
      // An answer with all episodes can be too long.
      let list = Result { () throws(ServerFailure) in try ask(address(("includeEpisodes", "false"))) }
      channels = podcasts(list, isList: true)?.channels[...] ?? []
      if channels?.count ?? 0 >= SubsonicAnswer.channelLimit { isPartial = true }
    }
    guard let few = channels?.prefix(Self.albumsAtOnce), !few.isEmpty else { return nil }
    guard episodeCount < Self.episodeLimit else {
      isPartial = true
      return nil
    }
    channels?.removeFirst(few.count)
    var tracks: [ServerTrack] = []
    for (id, bytes) in zip(few, askAll(few.map { address(("id", $0), ("includeEpisodes", "true")) })) {
      let episodes = podcasts(bytes)?.episodes(ofChannel: id) ?? []
      if episodes.count >= SubsonicAnswer.episodeLimit { isPartial = true }
      tracks += episodes
    }
    episodeCount += tracks.count
    return tracks
  }

  /// An answer with podcasts; `nil` without one. A server that knows no podcasts, or does not show them to this user,
  /// answers the list with an error or a page; any other failure leaves out episodes that the server has.
  private mutating func podcasts(_ bytes: Result<[UInt8], ServerFailure>, isList: Bool = false) -> SubsonicAnswer? {
    do throws(ServerFailure) {
      let bytes = try bytes.get()
      do throws(ServerFailure) { return try SubsonicAnswer(bytes) } catch {
        // 70: the channel was removed meanwhile.
        if !isList, error.code != 70 { isPartial = true }
      }
    } catch {
      if !isList || ![404, 405, 410, 501].contains(error.status) { isPartial = true }
    }
    return nil
  }

  /// A few albums, without waiting for a page of a list if some are there; empty after the last one.
  private mutating func nextAlbums() throws(ServerFailure) -> [SubsonicAnswer.Album] {
    var albums: [SubsonicAnswer.Album] = []
    while albums.count < Self.albumsAtOnce, !lists.isEmpty {
      turn %= lists.count
      guard albums.isEmpty || lists[turn].isReady else { break }
      if let album = try lists[turn].next() {
        albums.append(album)
        turn += 1
      } else {
        lists.remove(at: turn)
      }
    }
    return albums
  }

  /// The number of tracks, as the lists of albums say.
  func trackCount() throws(ServerFailure) -> Int {
    var count = 0
    for var list in lists {
      while let album = try list.next() { count += album.trackCount }
    }
    return count
  }
}

/// The albums of a server, or of one of its music folders.
private struct AlbumList {
  private let account: ServerAccount
  private let folder: String?
  private let ask: SubsonicLogin.Ask
  private var albums: [SubsonicAnswer.Album] = []
  private var known: Set<String> = []
  private var offset = 0
  private var isOver = false
  /// More than any server has: a list without an end must end.
  private static let albumLimit = 1_000_000

  init(_ account: ServerAccount, folder: String?, _ ask: @escaping SubsonicLogin.Ask) {
    (self.account, self.folder, self.ask) = (account, folder, ask)
  }

  /// True if the next album is there already.
  var isReady: Bool { !albums.isEmpty }

  /// The next album; `nil` after the last one. A page without new albums is the last one: a server may repeat it for
  /// ever.
  mutating func next() throws(ServerFailure) -> SubsonicAnswer.Album? {
    if albums.isEmpty {
      guard !isOver else { return nil }
      let page = try SubsonicAnswer(ask(SubsonicRequest.albums(from: offset, folder: folder, of: account))).albums
      // Servers may send fewer than were asked for.
      offset += page.count
      albums = page.filter { known.insert($0.id).inserted }.reversed()
      isOver = albums.isEmpty
      guard known.count <= Self.albumLimit else { throw ServerFailure("the list of its albums does not end") }
    }
    return albums.popLast()
  }
}
