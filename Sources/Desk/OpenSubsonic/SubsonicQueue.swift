internal import ByteIO
internal import Library

/// The play queue of a server that speaks OpenSubsonic: one for each user.
struct SubsonicQueue: SubsonicPart {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask
  /// Asks by a form.
  var post: SubsonicLogin.Ask?

  /// `nil` if there is none.
  func kept() throws(ServerFailure) -> ServerQueue? {
    try answer("getPlayQueue").queue
  }

  /// Keeps a queue, as far as it fits. Returns that part.
  @discardableResult
  func keep(_ queue: ServerQueue) throws(ServerFailure) -> ServerQueue {
    var queue = queue
    let way = SubsonicRequest.way(for: queue.tracks, of: account, ask, post)
    queue.tracks = Self.fitting(queue.tracks, way.byteLimit)
    let tracks = queue.tracks.map(\.removingPercentEscapes)
    let place = [("current", tracks.first ?? ""), ("position", String(Int(min(max(0, queue.seconds), 1e6) * 1000)))]
    let address = SubsonicRequest.address("savePlayQueue", tracks.map { ("id", $0) } + place, of: account)
    _ = try SubsonicAnswer(way.ask(address))
    return queue
  }

  /// The first tracks, as many as fit; one at least.
  static func fitting(_ tracks: [String], _ byteLimit: Int = SubsonicRequest.fieldsLimit) -> [String] {
    var byteCount = 0
    let count = tracks.prefix { track in
      byteCount += track.utf8.count + "&id=".utf8.count
      return byteCount <= byteLimit
    }.count
    return Array(tracks.prefix(max(1, count)))
  }
}
