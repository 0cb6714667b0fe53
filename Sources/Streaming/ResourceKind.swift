/// The kinds of resources, each with the state that only this kind has.
enum ResourceKind {
  /// Bytes with an end, on a server. `canRange`: the server sends parts. Each resource on a server begins as a file, until
  /// the answer says otherwise.
  case file(canRange: Bool)
  /// A radio station: no end, and no way back on the server.
  case station(Station)
  /// HTTP live streaming: a thread feeds segments.
  case feed(SegmentFeed)
  /// Standard input or a FIFO: bytes come once, in order.
  case pipe

  /// State of a radio station.
  struct Station {
    /// Separates sound and titles; begins anew with each connection.
    var splitter: ICYSplitter
    /// Connections in a row that the station ended soon after they were made.
    var briefConnectionCount = 0
  }

  /// Whether there is no end: a station, or HTTP live streaming that goes on.
  var isLive: Bool {
    switch self {
    case .file, .pipe: false
    case .station: true
    case .feed(let feed): feed.isLive
    }
  }

  /// The state of a feed.
  var feed: SegmentFeed? { if case .feed(let feed) = self { feed } else { nil } }

  /// Changes the state of a feed in place. Returns nil where there is none.
  mutating func withFeed<Result>(_ body: (inout SegmentFeed) -> Result) -> Result? {
    guard case .feed(var feed) = self else { return nil }
    self = .pipe  // Leaves `feed` as the only owner of its arrays, so that changing them copies nothing.
    defer { self = .feed(feed) }
    return body(&feed)
  }

  /// Changes the state of a station in place. Returns nil where there is none.
  mutating func withStation<Result>(_ body: (inout Station) -> Result) -> Result? {
    guard case .station(var station) = self else { return nil }
    self = .pipe  // As in `withFeed`.
    defer { self = .station(station) }
    return body(&station)
  }
}
