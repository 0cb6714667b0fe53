internal import ByteIO
internal import Library

/// The playlists of a server that speaks OpenSubsonic.
final class SubsonicPlaylists: ServerPlaylists {
  private let account: ServerAccount
  private let ask: SubsonicLogin.Ask
  private let post: SubsonicLogin.Ask?
  /// True for those that others see, of those that were asked for. A change that does not say it hides a playlist on LMS;
  /// one that replaces its tracks shows it on Ampache.
  private var arePublic: [String: Bool] = [:]

  /// - Parameter post: Asks by a form.
  init(account: ServerAccount, ask: @escaping SubsonicLogin.Ask, post: SubsonicLogin.Ask? = nil) {
    (self.account, self.ask, self.post) = (account, ask, post)
  }

  func all() throws(ServerFailure) -> [ServerPlaylist] {
    try SubsonicAnswer(ask(request("getPlaylists"))).playlists(of: account.user)
  }

  func playlist(_ id: String) throws(ServerFailure) -> ServerPlaylist? {
    do throws(ServerFailure) {
      let answer = try SubsonicAnswer(ask(request("getPlaylist", [("id", id)])))
      let playlist = answer.playlist(of: account.user)
      arePublic[id] = answer.isPublicPlaylist
      guard let playlist, playlist.count == 0 || !playlist.tracks.isEmpty else {
        throw ServerFailure("the server does not show a playlist", code: 0)
      }
      return playlist
    } catch {
      guard error.code == 70 else { throw error }
      return nil
    }
  }

  func create(_ name: String) throws(ServerFailure) -> String? {
    try SubsonicAnswer(ask(request("createPlaylist", [("name", name)]))).playlist(of: account.user)?.id
  }

  func replace(_ id: String, with tracks: [String]) throws(ServerFailure) {
    let way = SubsonicRequest.way(for: tracks, of: account, ask, post)
    var isPublic = try perform(replacements(id, with: tracks, way.byteLimit), way)?.isPublicPlaylist
    guard arePublic[id] == false else { return }
    if isPublic == nil { isPublic = try SubsonicAnswer(ask(request("getPlaylist", [("id", id)]))).isPublicPlaylist }
    guard isPublic == true else { return }
    _ = try SubsonicAnswer(ask(request("updatePlaylist", [("playlistId", id), ("public", "false")])))
  }

  func edit(_ id: String, _ change: PlaylistChange) throws(ServerFailure) {
    let way = SubsonicRequest.way(for: change.added, of: account, ask, post)
    _ = try perform(edits(id, change, way.byteLimit), way)
  }

  /// Returns the answer to the last one.
  private func perform(_ changes: [Change], _ way: SubsonicRequest.Way) throws(ServerFailure) -> SubsonicAnswer? {
    var answer: SubsonicAnswer?
    for (method, fields) in changes { answer = try SubsonicAnswer(way.ask(request(method, fields))) }
    return answer
  }

  func rename(_ id: String, to name: String) throws(ServerFailure) {
    _ = try SubsonicAnswer(ask(request("updatePlaylist", updated(id) + [("name", name)])))
  }

  func delete(_ id: String) throws(ServerFailure) {
    _ = try SubsonicAnswer(ask(request("deletePlaylist", [("id", id)])))
  }

  private func request(_ method: String, _ fields: [(String, String)] = []) -> WebAddress {
    SubsonicRequest.address(method, fields, of: account)
  }

  /// A request that changes a playlist.
  private typealias Change = (method: String, fields: [(String, String)])

  /// The requests that give a playlist these tracks: the first one replaces all, the others add to it.
  private func replacements(_ id: String, with tracks: [String], _ byteLimit: Int) -> [Change] {
    let parts = Self.parts(of: tracks, byteLimit)
    let first: Change = ("createPlaylist", [("playlistId", id)] + (parts.first ?? []).map { ("songId", $0) })
    return [first] + parts.dropFirst().map { addition($0, to: id) }
  }

  /// The requests that remove tracks, and then add others. Servers may remove one after the other, so the last one goes
  /// first.
  private func edits(_ id: String, _ change: PlaylistChange, _ byteLimit: Int) -> [Change] {
    let removed = change.removed.map { ("songIndexToRemove", String($0)) }
    let removal: Change = ("updatePlaylist", updated(id) + removed)
    return (removed.isEmpty ? [] : [removal]) + Self.parts(of: change.added, byteLimit).map { addition($0, to: id) }
  }

  private func addition(_ tracks: [String], to id: String) -> Change {
    ("updatePlaylist", updated(id) + tracks.map { ("songIdToAdd", $0) })
  }

  /// The playlist to change, which others go on seeing. LMS shows one that is to be hidden.
  private func updated(_ id: String) -> [(String, String)] {
    [("playlistId", id)] + (arePublic[id] == true ? [("public", "true")] : [])
  }

  /// The IDs of tracks for several requests, as many as fit in each.
  private static func parts(of tracks: [String], _ byteLimit: Int) -> [[String]] {
    var (parts, byteCount) = ([[String]](), 0)
    for track in tracks.map(\.removingPercentEscapes) {
      let size = WebAddress.encoded(track).utf8.count + "&songIdToAdd=".utf8.count
      byteCount += size
      if parts.isEmpty || byteCount > byteLimit {
        parts.append([])
        byteCount = size
      }
      parts[parts.count - 1].append(track)
    }
    return parts
  }
}
