public import Encoding

/// The settings of the sound, and of the page for browsers, that are served over HTTP.
public struct StreamSettings: Sendable, Hashable {
  /// The address to serve at; `nil` for that of the page, if there is one.
  public var address: ListenAddress?
  /// True if browsers get a page that controls the player.
  public var hasPage = false
  /// The password of those who listen or open the page; empty for none. Never shown.
  public var password = ""
  public var format = StreamFormat.opus
  /// Kilobits per second, 32...320.
  public var bitRate = 128

  public init() {}

  /// The address at which something is served.
  package var place: ListenAddress? { address ?? (hasPage ? ListenAddress("8000") : nil) }
}
