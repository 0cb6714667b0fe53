internal import ByteIO
internal import Library

/// The playlists of a server that speaks OpenSubsonic.
struct SubsonicPlaylists: ServerPlaylists {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask
  /// Asks by a form.
  var post: SubsonicLogin.Ask?

  func all() throws(ServerFailure) -> [ServerPlaylist] {
    try SubsonicAnswer(ask(request("getPlaylists"))).playlists(of: account.user)
  }

  func playlist(_ id: String) throws(ServerFailure) -> ServerPlaylist? {
    do throws(ServerFailure) {
      let playlist = try SubsonicAnswer(ask(request("getPlaylist", [("id", id)]))).playlist(of: account.user)
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
    try perform(Self.replacements(id, with: tracks, way.byteLimit), way)
  }

  func edit(_ id: String, _ change: PlaylistChange) throws(ServerFailure) {
    let way = SubsonicRequest.way(for: change.added, of: account, ask, post)
    try perform(Self.edits(id, change, way.byteLimit), way)
  }

  private func perform(_ changes: [Change], _ way: SubsonicRequest.Way) throws(ServerFailure) {
    for (method, fields) in changes { _ = try SubsonicAnswer(way.ask(request(method, fields))) }
  }

  func rename(_ id: String, to name: String) throws(ServerFailure) {
    _ = try SubsonicAnswer(ask(request("updatePlaylist", [("playlistId", id), ("name", name)])))
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
  private static func replacements(_ id: String, with tracks: [String], _ byteLimit: Int) -> [Change] {
    let parts = parts(of: tracks, byteLimit)
    let first: Change = ("createPlaylist", [("playlistId", id)] + (parts.first ?? []).map { ("songId", $0) })
    return [first] + parts.dropFirst().map { addition($0, to: id) }
  }

  /// The requests that remove tracks, and then add others. Servers may remove one after the other, so the last one goes
  /// first.
  private static func edits(_ id: String, _ change: PlaylistChange, _ byteLimit: Int) -> [Change] {
    let removed = change.removed.map { ("songIndexToRemove", String($0)) }
    let removal: Change = ("updatePlaylist", [("playlistId", id)] + removed)
    return (removed.isEmpty ? [] : [removal]) + parts(of: change.added, byteLimit).map { addition($0, to: id) }
  }

  private static func addition(_ tracks: [String], to id: String) -> Change {
    ("updatePlaylist", [("playlistId", id)] + tracks.map { ("songIdToAdd", $0) })
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
