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
    return isPlain(path.bytes) ? path.bytes : percentEncoded(path.bytes)
  }

  /// True if readers take these bytes unchanged.
  private static func isPlain(_ path: [UInt8]) -> Bool {
    // Readers may take a backslash for a slash, and drop a blank at the end.
    let isOrdinary = path.allSatisfy { $0 > 0x1f && $0 != 0x7f && $0 != UInt8(ascii: "\\") }
    return isOrdinary && path.last != UInt8(ascii: " ") && isUTF8(path)
  }

  /// Encodes all but unreserved characters and slashes (RFC 3986 §2.1).
  private static func percentEncoded(_ path: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return path.reduce(into: Array("file://".utf8)) { bytes, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }
}
