public import AudioModel
public import ByteIO

/// Says where the bytes of some addresses are, such as those of pages with a video. What it says expires, so it is asked
/// whenever such an address is opened.
public struct AddressResolver: Sendable {
  /// True for an address that it resolves. Any thread; does not block.
  public var applies: @Sendable (WebAddress) -> Bool
  /// Resolves an address; blocks. Gives up when `isWanted` returns false.
  public var resolve: @Sendable (WebAddress, _ isWanted: () -> Bool) throws(NetworkError) -> Resolution

  /// Stores the two functions.
  public init(
    applies: @escaping @Sendable (WebAddress) -> Bool,
    resolve: @escaping @Sendable (WebAddress, _ isWanted: () -> Bool) throws(NetworkError) -> Resolution
  ) {
    (self.applies, self.resolve) = (applies, resolve)
  }
}

/// The bytes of an address that had to be resolved, and what else is said about it.
public struct Resolution: Sendable, Hashable {
  /// Addresses to fetch, the best first.
  public var addresses: [WebAddress]
  /// Title, artist, chapters and the like, for sound that has none of its own.
  public var tags = TrackTags()
  /// In seconds; `nil` if it is not known.
  public var duration: Double?

  /// Addresses without a description.
  public init(_ addresses: [WebAddress]) { self.addresses = addresses }
}
