internal import ByteIO
internal import Library

/// The lyrics of a track on a server.
struct SubsonicLyrics: SubsonicPart {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask

  /// LRC, or text without times; `nil` if the server has none.
  func lyrics(
    ofTrack id: String, title: String?, artist: String?, _ extensions: Set<String>
  ) throws(ServerFailure) -> String? {
    if extensions.contains("songLyrics") {
      return try answer("getLyricsBySongId", [("id", id)]).lyrics
    }
    guard let title, let artist else { return nil }
    return try answer("getLyrics", [("artist", artist), ("title", title)]).lyrics
  }
}
