internal import AudioModel

/// The kinds of resources, each with the state that only this kind has.
enum ResourceKind {
  /// Bytes with an end, on a server. `canRange`: the server sends parts. Each resource on a server begins as a file,
  /// until the answer shows another kind.
  case file(canRange: Bool)
  /// A radio station: no end, and no way back on the server.
  case station(Station)
  /// HTTP live streaming: a thread feeds segments.
  case feed(SegmentFeed)
  /// Standard input or a FIFO: bytes arrive once, in order.
  case pipe

  struct Station {
    /// Separates audio and titles; each connection has a new one.
    var splitter: ICYSplitter
    /// Connections in a row that the station ended soon after they began.
    var briefConnectionCount = 0
  }

  /// True if there is no end: a station, or a live stream of HTTP live streaming.
  var isLive: Bool {
    switch self {
    case .file, .pipe: false
    case .station: true
    case .feed(let feed): feed.isLive
    }
  }

  /// True if the server sends parts.
  var canRange: Bool { if case .file(let canRange) = self { canRange } else { false } }

  /// True if each byte arrives only after all bytes before it.
  var comesInOrder: Bool {
    switch self {
    case .file(let canRange): !canRange
    case .pipe: true
    case .station, .feed: false
    }
  }

  /// A shorter connection has brought only the bytes that a station sends in a burst at its start.
  private static let briefTime = TimeSpan.seconds(2)

  /// Records the end of a connection after `time`. Bytes of brief connections to a station do not count as progress.
  mutating func countConnection(of time: TimeSpan, _ retries: inout Retries) {
    _ = withStation { station in
      let isBrief = time < Self.briefTime
      retries.raise(to: isBrief ? station.briefConnectionCount : 0)
      station.briefConnectionCount = isBrief ? retries.attempt + 1 : 0
    }
  }

  /// The state of a feed.
  var feed: SegmentFeed? { if case .feed(let feed) = self { feed } else { nil } }

  /// Changes the state of a feed in place, without a copy of its arrays. Returns `nil` for other kinds.
  mutating func withFeed<Result>(
    _ contents: inout SpoolContents, _ body: (inout SegmentFeed, inout SpoolContents) -> Result
  ) -> Result? {
    switch consume self {
    case .feed(var feed):
      let result = body(&feed, &contents)
      self = .feed(feed)
      return result
    case let other:
      self = other
      return nil
    }
  }

  /// Changes the state of a station in place. Returns `nil` for other kinds.
  mutating func withStation<Result>(_ body: (inout Station) -> Result) -> Result? {
    switch consume self {
    case .station(var station):
      let result = body(&station)
      self = .station(station)
      return result
    case let other:
      self = other
      return nil
    }
  }
}
