internal import ByteIO
internal import Library

/// Music that is like other music, as a server that speaks OpenSubsonic knows it.
struct SubsonicSimilarity {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask
  private static let count = ("count", "50")

  /// The names of tracks that are like a track, or like the music of its artist, the best first; none if the server
  /// knows none, `nil` if it does not offer this.
  func tracks(like id: String, byArtist: Bool) throws(ServerFailure) -> [String]? {
    var isOffered = false
    for method in try methods(byArtist: byArtist) {
      var subject = id
      if method == "getSimilarSongs2" {
        let song = try SubsonicAnswer(ask(SubsonicRequest.track(id, of: account)))
        guard let artist = song.artistID else { continue }
        subject = artist
      }
      let address = SubsonicRequest.address(method, [("id", subject), Self.count], of: account)
      do throws(ServerFailure) {
        let tracks = try SubsonicAnswer(ask(address)).similar
        if !tracks.isEmpty { return tracks }
        isOffered = true
      } catch {
        // Not every server has each method, nor each kind of ID.
        guard error.isRefusal || error.status == 404 else { throw error }
      }
    }
    return isOffered ? [] : nil
  }

  /// By the sound where the server offers that, by the track, and by the artist.
  private func methods(byArtist: Bool) throws(ServerFailure) -> [String] {
    guard !byArtist else { return ["getSimilarSongs2"] }
    let extensions = try SubsonicLyrics(account: account, ask: ask).extensions()
    let bySound = extensions.contains("sonicSimilarity") ? ["getSonicSimilarTracks"] : []
    return bySound + ["getSimilarSongs", "getSimilarSongs2"]
  }
}
