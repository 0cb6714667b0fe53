public import ByteIO

// The entries of an address that returns a playlist although its name does not show it.
extension MediaCollector {
  /// True if bytes are the beginning of a playlist.
  public static func isPlaylist(_ bytes: [UInt8]) -> Bool { PlaylistFormat(content: bytes) != nil }

  public static func addresses(in playlist: RemotePlaylist) -> [WebAddress] {
    guard let format = PlaylistFormat(content: playlist.bytes) else { return [] }
    return PlaylistReader.items(in: playlist.bytes, format: format).map { item in
      playlist.address.resolving(item.address)
    }.filter(\.isHTTP)
  }
}
