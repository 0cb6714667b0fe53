internal import ByteIO
internal import Library

/// The bookmarks of a server that speaks OpenSubsonic: places in tracks, one for each.
struct SubsonicPlaces: ServerPlaces {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask

  func all() throws(ServerFailure) -> [ServerPlace] {
    try SubsonicAnswer(ask(SubsonicRequest.address("getBookmarks", of: account))).places
  }

  func set(_ track: String, to seconds: Double?) throws(ServerFailure) {
    let id = ("id", track.removingPercentEscapes)
    let address =
      if let seconds {
        SubsonicRequest.address(
          "createBookmark", [id, ("position", String(Int(min(max(0, seconds), 1_000_000) * 1000)))], of: account)
      } else { SubsonicRequest.address("deleteBookmark", [id], of: account) }
    do throws(ServerFailure) { _ = try SubsonicAnswer(ask(address)) } catch {
      // It is gone there already.
      guard seconds == nil, error.code == 70 else { throw error }
    }
  }
}
