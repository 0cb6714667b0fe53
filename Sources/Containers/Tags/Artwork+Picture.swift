public import AudioModel

extension TrackTags.Artwork {
  /// The picture in the bytes that the file has at `byteOffset`; `nil` if they hold none. Any thread.
  ///
  /// Unpacks in place: pictures may have many megabytes.
  ///
  /// - Parameter stored: `byteCount` bytes of the file.
  public func picture(in stored: consuming [UInt8]) -> [UInt8]? {
    if isBase64 || isBase64Block {
      Self.removePageHeaders(&stored)
      stored = decodedBase64(stored[...])
    }
    if isBase64Block {
      guard let block = FLACPicture(head: stored.span.bytes, blockByteCount: stored.count) else { return nil }
      stored.removeFirst(block.range.lowerBound)
    }
    if isUnsynchronised { Self.synchronise(&stored) }
    return stored.isEmpty ? nil : stored
  }

  /// Removes the headers of Ogg pages (RFC 3533 6) from base64 text: four letters, and a 00, which is none.
  private static func removePageHeaders(_ bytes: inout [UInt8]) {
    let capture = Array("OggS\0".utf8)
    var (end, index) = (0, 0)
    while index < bytes.count {
      if bytes[index] == capture[0], index + 26 < bytes.count, bytes[index..<(index + 5)].elementsEqual(capture) {
        index += 27 + Int(bytes[index + 26])
      } else {
        bytes[end] = bytes[index]
        (end, index) = (end + 1, index + 1)
      }
    }
    bytes.removeSubrange(end...)
  }

  /// Removes the 00 after each FF (ID3v2.3 5).
  private static func synchronise(_ bytes: inout [UInt8]) {
    var (end, last) = (0, 0 as UInt8)
    for index in bytes.indices {
      let byte = bytes[index]
      if byte != 0 || last != 0xff {
        bytes[end] = byte
        end += 1
      }
      last = byte
    }
    bytes.removeSubrange(end...)
  }
}
