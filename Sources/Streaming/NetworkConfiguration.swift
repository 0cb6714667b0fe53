public import ByteIO

/// Time limits of the network, and sizes of its caches. Times in seconds.
public struct NetworkConfiguration: Sendable {
  /// Until a connection stands, TLS included.
  public var connectLimit = 10.0
  /// From the request to the end of the answer's head, redirects and all.
  public var headLimit = 20.0
  /// Between two pieces of the body.
  public var stallLimit = 15.0
  /// For all of something small, such as a playlist, with all tries: somebody waits for it.
  public var documentLimit = 20.0
  /// Redirects in a row.
  public var redirectLimit = 10
  /// Tries after a connection was lost.
  public var backOff = BackOff()
  /// Where what has arrived is kept for the next time; `nil`: in memory, as long as it is read.
  public var cacheFolder: BytePath?
  /// Bytes in that folder at most. One resource gets no more than half of it.
  public var cacheByteLimit: Int64 = 1 << 30
  /// Bytes in memory at most, for each resource that is not kept in the folder.
  public var memoryByteLimit: Int64 = 64 << 20
  /// Knows playlists; `nil`: none but those of HTTP live streaming are followed.
  public var playlists: PlaylistReading?
  /// The `User-Agent` of requests.
  public var userAgent = "segue"

  /// The player's, without a folder.
  public init() {}
}

/// The handling of an address that leads to a playlist. One of HTTP live streaming is always read as its stream, except
/// with `asIs`.
public enum PlaylistHandling: Hashable, Sendable {
  /// It is read as it is.
  case asIs
  /// The entries are read in its place: the first one that works.
  case follow
  /// Opening fails, and `playlistEntries` has the entries.
  case tell
}

/// Functions that know the formats of playlists.
public struct PlaylistReading: Sendable {
  /// Whether bytes are the beginning of one.
  public var begins: @Sendable (_ bytes: [UInt8]) -> Bool
  /// The addresses that one names, which lies itself at `address`: only such as can be reached by the network.
  public var addresses: @Sendable (_ bytes: [UInt8], _ address: WebAddress) -> [WebAddress]

  /// Two functions.
  public init(
    begins: @escaping @Sendable (_ bytes: [UInt8]) -> Bool,
    addresses: @escaping @Sendable (_ bytes: [UInt8], _ address: WebAddress) -> [WebAddress]
  ) {
    (self.begins, self.addresses) = (begins, addresses)
  }
}
