internal import Streaming

/// What a network stream says of itself.
public struct StreamFacts: Sendable, Hashable {
  /// Whether it has no end: a radio station.
  public var isLive: Bool
  /// What the station says is playing.
  public var title: String?
  /// The station's name.
  public var stationName: String?

  /// Facts.
  public init(isLive: Bool, title: String? = nil, stationName: String? = nil) {
    (self.isLive, self.title, self.stationName) = (isLive, title, stationName)
  }

  init(_ stream: NetworkByteSource) {
    (isLive, title, stationName) = (stream.isLive, stream.streamTitle, stream.stationName)
  }
}
