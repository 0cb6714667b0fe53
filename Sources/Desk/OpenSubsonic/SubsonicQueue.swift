internal import ByteIO
internal import Library

/// The play queue of a server that speaks OpenSubsonic: one for each user.
struct SubsonicQueue {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask

  /// `nil` if there is none.
  func kept() throws(ServerFailure) -> ServerQueue? {
    try SubsonicAnswer(ask(SubsonicRequest.address("getPlayQueue", of: account))).queue
  }

  /// Keeps a queue that fits.
  func keep(_ queue: ServerQueue) throws(ServerFailure) {
    let tracks = queue.tracks.map(\.removingPercentEscapes)
    let place = [("current", tracks.first ?? ""), ("position", String(Int(min(max(0, queue.seconds), 1e6) * 1000)))]
    let address = SubsonicRequest.address("savePlayQueue", tracks.map { ("id", $0) } + place, of: account)
    _ = try SubsonicAnswer(ask(address))
  }

  /// The first tracks, as many as fit; one at least.
  static func fitting(_ tracks: [String]) -> [String] {
    var byteCount = 0
    let count = tracks.prefix { track in
      byteCount += track.utf8.count + "&id=".utf8.count
      return byteCount <= SubsonicRequest.fieldsLimit
    }.count
    return Array(tracks.prefix(max(1, count)))
  }
}
