public import Encoding

/// The settings of the sound that is served over HTTP.
public struct StreamSettings: Sendable, Hashable {
  /// The address to serve at; `nil` for none.
  public var address: ListenAddress?
  /// The password of those who listen; empty for none. Never shown.
  public var password = ""
  public var format = StreamFormat.opus
  /// Kilobits per second, 32...320.
  public var bitRate = 128

  public init() {}
}
