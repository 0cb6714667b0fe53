internal import ByteIO
internal import Library

/// Music that is like other music, as a server that speaks OpenSubsonic knows it.
struct SubsonicSimilarity: SubsonicPart {
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
        guard let artist = try artist(ofTrack: id) else { continue }
        subject = artist
      }
      do throws(ServerFailure) {
        let tracks = try answer(method, [("id", subject), Self.count]).similar
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
    let extensions = try extensions()
    let bySound = extensions.contains("sonicSimilarity") ? ["getSonicSimilarTracks"] : []
    return bySound + ["getSimilarSongs", "getSimilarSongs2"]
  }
}
