internal import Streaming

/// What a network stream says of itself.
public struct StreamFacts: Sendable, Hashable {
  /// Whether it has no end: a radio station.
  public var isLive: Bool
  /// What the station says is playing.
  public var title: String?
  /// The station's name.
  public var stationName: String?

  init(_ stream: NetworkByteSource) {
    (isLive, title, stationName) = (stream.isLive, stream.streamTitle, stream.stationName)
  }
}
