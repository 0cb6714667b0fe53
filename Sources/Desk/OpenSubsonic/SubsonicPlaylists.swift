internal import ByteIO
internal import Library

/// The playlists of a server that speaks OpenSubsonic.
struct SubsonicPlaylists: ServerPlaylists {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask

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
    for (method, fields) in Self.replacements(id, with: tracks) {
      _ = try SubsonicAnswer(ask(request(method, fields)))
    }
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

  /// The requests that give a playlist these tracks: the first one replaces all, the others add to it. Each has as many
  /// as fit.
  static func replacements(
    _ id: String, with tracks: [String]
  ) -> [(method: String, fields: [(String, String)])] {
    var requests = [(method: "createPlaylist", fields: [("playlistId", id)])]
    var byteCount = 0
    for track in tracks.map(\.removingPercentEscapes) {
      byteCount += WebAddress.encoded(track).utf8.count + "&songIdToAdd=".utf8.count
      if byteCount > SubsonicRequest.fieldsLimit, requests[requests.count - 1].fields.count > 1 {
        requests.append(("updatePlaylist", [("playlistId", id)]))
        byteCount = WebAddress.encoded(track).utf8.count
      }
      requests[requests.count - 1].fields.append((requests.count == 1 ? "songId" : "songIdToAdd", track))
    }
    return requests
  }
}
