internal import ByteIO
internal import Library

/// The lyrics of a track on a server.
struct SubsonicLyrics {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask

  /// The names of the extensions of the server; none of an older one.
  func extensions() throws(ServerFailure) -> Set<String> {
    let bytes: [UInt8]
    do throws(ServerFailure) {
      bytes = try ask(SubsonicRequest.address("getOpenSubsonicExtensions", of: account))
    } catch {
      guard error.code != nil || error.status != nil else { throw error }
      return []
    }
    return (try? SubsonicAnswer(bytes))?.extensions ?? []
  }

  /// LRC, or text without times; `nil` if the server has none.
  func lyrics(
    ofTrack id: String, title: String?, artist: String?, _ extensions: Set<String>
  ) throws(ServerFailure) -> String? {
    if extensions.contains("songLyrics") {
      return try SubsonicAnswer(ask(SubsonicRequest.address("getLyricsBySongId", [("id", id)], of: account))).lyrics
    }
    guard let title, let artist else { return nil }
    let fields = [("artist", artist), ("title", title)]
    return try SubsonicAnswer(ask(SubsonicRequest.address("getLyrics", fields, of: account))).lyrics
  }
}
