internal import ByteIO

/// The address that is read, and how playlists led to it. Pure.
struct AddressTrail: Hashable {
  private static let playlistLimit = 8
  /// Entries that are tried: a playlist of addresses that all fail must end, too.
  private static let alternativeLimit = 64

  let wanted: WebAddress
  /// The address that is read now: the wanted one, or one that a playlist named.
  private(set) var address: WebAddress
  /// The address of the first answer, after redirects.
  var origin: WebAddress?
  let handling: PlaylistHandling
  /// True if the requested address is not fetched: it is resolved first.
  let isResolved: Bool
  private var playlistCount = 0
  /// Entries of playlists that were not tried yet.
  private var alternatives: [WebAddress] = []

  init(_ address: WebAddress, handling: PlaylistHandling = .asIs, isResolved: Bool = false) {
    (wanted, self.address, self.handling, self.isResolved) = (address, address, handling, isResolved)
  }

  /// Counts one more playlist. Returns false if there were too many.
  mutating func enterPlaylist() -> Bool {
    guard playlistCount < Self.playlistLimit else { return false }
    playlistCount += 1
    origin = nil
    return true
  }

  /// Puts the entries of a playlist ahead of those of earlier playlists.
  mutating func add(_ entries: [WebAddress]) {
    alternatives = Array((entries + alternatives).prefix(Self.alternativeLimit))
  }

  /// Reads the same bytes at another address from now on.
  mutating func renew(_ address: WebAddress) { self.address = address }

  /// Moves to the next entry. Returns `nil` if there is none.
  mutating func advance() -> WebAddress? {
    guard !alternatives.isEmpty else { return nil }
    address = alternatives.removeFirst()
    return address
  }

  /// True if a request for `address` leads to the same bytes: the same request, or, once it is known to be no playlist
  /// (`isOpen`), the address that this trail ended at.
  func leads(from address: WebAddress, _ handling: PlaylistHandling, isOpen: Bool) -> Bool {
    address == wanted && (handling == self.handling || isResolved && handling != .asIs)
      || address == self.address && self.handling != .asIs && isOpen
  }
}

/// The two kinds of playlists that the first bytes of a resource can begin.
enum PlaylistKind: Hashable {
  /// HTTP live streaming: read as the stream that it describes.
  case hls
  /// Any other kind: its entries are read in its place.
  case entries
}
