public import AudioModel
public import ByteIO

/// Time limits of the network, and sizes of its caches.
public struct NetworkConfiguration: Sendable {
  /// To connect, TLS included.
  public var connectLimit = TimeSpan.seconds(10)
  /// From the request to the end of the answer's head, redirects included.
  public var headLimit = TimeSpan.seconds(20)
  /// Between two pieces of the body.
  public var stallLimit = TimeSpan.seconds(15)
  /// For a whole playlist, with all attempts: the user waits for it.
  public var documentLimit = TimeSpan.seconds(20)
  /// The largest number of redirects in a row.
  public var redirectLimit = 10
  /// Attempts after a connection was lost.
  public var backOff = BackOff()
  /// Attempts until a server answers, if others than `backOff`.
  public var openingBackOff: BackOff?
  /// Is called at once with each notice on an address, on the network's thread; `nil`: only readers are notified.
  public var announce: (@Sendable (WebAddress, NetworkNotice) -> Void)?
  /// The folder that keeps arrived bytes for the next time; `nil` keeps them in memory while they are read.
  public var cacheFolder: BytePath?
  /// The folder of tracks on servers that are kept whole (`PinnedTracks`).
  public var pinnedFolder: BytePath?
  /// Limit of bytes in the cache folder. One resource gets at most half of it.
  public var cacheByteLimit: Int64 = 1 << 30
  /// Limit of bytes in memory for each resource that is not kept in the folder.
  public var memoryByteLimit: Int64 = 64 << 20
  /// Reads playlists; `nil` follows only those of HTTP live streaming.
  public var playlists: PlaylistReading?
  /// Returns the address of the bytes of a track on a server of music (`WebAddress.isOnServer`), with what opens it.
  /// Called on the network's thread for each request; the result is not kept, and not shown.
  public var serverAddress: (@Sendable (_ track: WebAddress) throws(NetworkError) -> WebAddress)?
  /// Returns the certificate that the listener accepted for the server of an `https` address; `nil` for all that need one
  /// that the system trusts. Called on the network's thread for each request.
  public var certificate: (@Sendable (_ address: WebAddress) -> ServerCertificate?)?
  /// Resolves addresses that lead to pages, not to sound; `nil` fetches all addresses as they are.
  public var resolver: AddressResolver?
  /// The `User-Agent` of requests.
  public var userAgent = "segue"

  /// The player's defaults, without a folder.
  public init() {}
}

/// The handling of an address that leads to a playlist. A playlist of HTTP live streaming is always read as its stream,
/// except with `asIs`.
public enum PlaylistHandling: Hashable, Sendable {
  /// Read the playlist itself.
  case asIs
  /// Read an entry in its place: the first one that works.
  case follow
  /// Opening fails, and `playlistEntries` contains the entries.
  case list
}

/// Functions that know the formats of playlists.
public struct PlaylistReading: Sendable {
  /// Returns true if bytes are the beginning of a playlist.
  public var begins: @Sendable (_ bytes: [UInt8]) -> Bool
  /// Returns the addresses in a playlist from `address`: only those on the network.
  public var addresses: @Sendable (_ bytes: [UInt8], _ address: WebAddress) -> [WebAddress]

  /// Stores the two functions.
  public init(
    begins: @escaping @Sendable (_ bytes: [UInt8]) -> Bool,
    addresses: @escaping @Sendable (_ bytes: [UInt8], _ address: WebAddress) -> [WebAddress]
  ) {
    (self.begins, self.addresses) = (begins, addresses)
  }
}
