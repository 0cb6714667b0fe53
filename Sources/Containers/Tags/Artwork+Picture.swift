public import AudioModel

extension TrackTags.Artwork {
  /// The picture in the bytes that the file has at `byteOffset`; `nil` if they hold none. Any thread.
  ///
  /// - Parameter stored: `byteCount` bytes of the file.
  public func picture(in stored: [UInt8]) -> [UInt8]? {
    var bytes = stored
    if isBase64 || isBase64Block { bytes = decodedBase64(Self.withoutPageHeaders(bytes)[...]) }
    if isBase64Block {
      guard let block = FLACPicture(head: bytes.span.bytes, blockByteCount: bytes.count) else { return nil }
      bytes = Array(bytes[block.range])
    }
    if isUnsynchronised {
      bytes = bytes.indices.filter { $0 == 0 || bytes[$0] != 0 || bytes[$0 - 1] != 0xff }.map { bytes[$0] }
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// Base64 text without the headers of Ogg pages (RFC 3533 6), which begin with letters of base64 and a 00.
  private static func withoutPageHeaders(_ bytes: [UInt8]) -> [UInt8] {
    let capture = Array("OggS\0".utf8)
    var (text, start) = ([UInt8](), 0)
    text.reserveCapacity(bytes.count)
    for zero in bytes.indices where bytes[zero] == 0 && zero >= start + 4 {
      let header = zero - 4
      guard bytes[header...zero].elementsEqual(capture), header + 26 < bytes.count else { continue }
      text += bytes[start..<header]
      start = min(bytes.count, header + 27 + Int(bytes[header + 26]))
    }
    return text + bytes[start...]
  }
}
