public import AudioModel

extension TrackTags.Artwork {
  /// The picture in the bytes that the file has at `byteOffset`; `nil` if they hold none. Any thread.
  ///
  /// Unpacks in place: pictures may have many megabytes.
  ///
  /// - Parameter stored: `byteCount` bytes of the file.
  public func picture(in stored: consuming [UInt8]) -> [UInt8]? {
    if isBase64 || isBase64Block || isPaged { Self.removePageHeaders(&stored) }
    if isBase64 || isBase64Block { stored = decodedBase64(stored[...]) }
    if isBase64Block {
      guard let block = FLACPicture(head: stored.span.bytes, blockByteCount: stored.count) else { return nil }
      stored.removeFirst(block.range.lowerBound)
    }
    if isUnsynchronised { Self.synchronise(&stored) }
    return stored.isEmpty ? nil : stored
  }

  /// Removes the headers of Ogg pages (RFC 3533 6) from a packet, and pages of other streams within it. The first
  /// header is searched, and leads to the next ones.
  private static func removePageHeaders(_ bytes: inout [UInt8]) {
    guard var page = firstPage(bytes) else { return }
    let serial = Array(bytes[(page + 14)..<(page + 18)])
    var end = page
    while let body = pageBody(bytes, at: page) {
      if bytes[(page + 14)..<(page + 18)].elementsEqual(serial) {
        for index in body.lowerBound..<min(body.upperBound, bytes.count) {
          bytes[end] = bytes[index]
          end += 1
        }
      }
      page = body.upperBound
    }
    bytes.removeSubrange(end...)
  }

  /// The first page that continues a packet; bytes of a picture that only look like one lead to no other page.
  private static func firstPage(_ bytes: [UInt8]) -> Int? {
    var start = 0
    while let page = bytes[start...].firstIndex(of: UInt8(ascii: "O")) {
      if let body = pageBody(bytes, at: page), bytes[page + 5] & 1 == 1,
        body.upperBound >= bytes.count || pageBody(bytes, at: body.upperBound) != nil
      {
        return page
      }
      start = page + 1
    }
    return nil
  }

  /// The body of the page at `index`, which may end behind the last byte; `nil` if there is no page.
  private static func pageBody(_ bytes: [UInt8], at index: Int) -> Range<Int>? {
    let lacing = index + OggPage.fixedByteCount
    guard lacing <= bytes.count, bytes[index..<(index + 5)].elementsEqual("OggS\0".utf8), bytes[index + 5] < 8,
      case let start = lacing + Int(bytes[lacing - 1]), start <= bytes.count
    else { return nil }
    return start..<bytes[lacing..<start].reduce(start) { $0 + Int($1) }
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
