public import ByteIO

/// Writes playlists (m3u8), one line per entry. Paths are absolute, in UTF-8 or, if they are not valid UTF-8, as
/// percent-encoded `file:` addresses. Addresses are written without name and password, which belong into `.netrc`.
/// `PlaylistReader` reads the same entries from it.
public struct PlaylistWriter {
  @inlinable  // Unspecialised it takes three times as long.
  public static func bytes(of locations: some Sequence<MediaLocation>) -> [UInt8] {
    var bytes = Array("#EXTM3U\n".utf8)
    for location in locations {
      bytes += line(for: location)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  public static func line(for location: MediaLocation) -> [UInt8] {
    switch location {
    // A malformed address with line breaks must not become two entries.
    case .url(let address): address.withoutUserInfo.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    case .file(let path): written(path)
    case .track(let path, let number): written(path) + Array("#\(number)".utf8)
    }
  }

  private static func written(_ path: BytePath) -> [UInt8] {
    let path = path.isAbsolute ? path : path.absolute
    if isPlain(path.bytes) { return path.bytes }
    return Array("file://".utf8) + path.bytes.percentEscaped { !$0.isUnreserved && $0 != UInt8(ascii: "/") }.utf8
  }

  /// True if readers take these bytes unchanged.
  private static func isPlain(_ path: [UInt8]) -> Bool {
    // Readers may take a backslash for a slash, and drop a blank at the end.
    let isOrdinary = path.allSatisfy { $0 > 0x1f && $0 != 0x7f && $0 != UInt8(ascii: "\\") }
    return isOrdinary && path.last != UInt8(ascii: " ") && isUTF8(path)
  }
}
