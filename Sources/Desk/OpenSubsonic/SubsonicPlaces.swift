internal import ByteIO
internal import Library

/// The bookmarks of a server that speaks OpenSubsonic: places in tracks, one for each.
struct SubsonicPlaces: SubsonicPart, ServerPlaces {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask

  func all() throws(ServerFailure) -> [ServerPlace] {
    try answer("getBookmarks").places
  }

  func set(_ track: String, to seconds: Double?) throws(ServerFailure) {
    let id = ("id", track.removingPercentEscapes)
    if let seconds {
      _ = try answer("createBookmark", [id, ("position", String(Int(min(max(0, seconds), 1_000_000) * 1000)))])
      return
    }
    do throws(ServerFailure) { _ = try answer("deleteBookmark", [id]) } catch {
      // It is gone there already.
      guard error.code == 70 else { throw error }
    }
  }
}
