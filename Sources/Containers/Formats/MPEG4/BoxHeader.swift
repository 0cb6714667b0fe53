/// The header of every box (ISO/IEC 14496-12 4.2): its size in 32 bits, its type; if the size is 1, the size in 64
/// bits; where it is 0, the box ends with what it is in.
struct BoxHeader {
  /// An end past the end of any stream.
  static let farEnd: Int64 = 1 << 62

  /// Four Latin-1 characters.
  let type: String
  /// Bytes of the header.
  let byteCount: Int
  /// The end of the box: never after the box around it.
  let end: Int64

  /// Bytes that a header at the start of `bytes` needs; `nil` if they are all there.
  static func missing(_ bytes: RawSpan) -> Int? {
    if bytes.byteCount < 8 { return 8 }
    return bytes.bigEndian32(at: 0) == 1 && bytes.byteCount < 16 ? 16 : nil
  }

  /// A header that is all there; `nil` if its size is less than its own.
  init?(_ bytes: RawSpan, at offset: Int64, parentEnd: Int64) {
    type = bytes.fourCharacters(at: 4)
    var size = Int64(bytes.bigEndian32(at: 0))
    byteCount = size == 1 ? 16 : 8
    if size == 1 {
      size = Int64(clamping: UInt64(bytes.bigEndian32(at: 8)) << 32 | UInt64(bytes.bigEndian32(at: 12)))
    } else if size == 0 {
      size = Self.farEnd
    }
    guard size >= Int64(byteCount) else { return nil }
    end = min(parentEnd, size.addingReportingOverflow(offset).overflow ? Self.farEnd : size + offset)
  }
}

extension RawSpan {
  /// Four Latin-1 characters; fits in a `String` without an allocation.
  func fourCharacters(at index: Int) -> String { TagText.latin1(copy(index..<index + 4)) }

  /// Calls `body` for consecutive boxes from `start` on, as far as they are available.
  func forEachBox<Failure: Error>(
    from start: Int = 0, _ body: (_ type: String, _ content: RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    var position = start
    while byteCount - position >= 8 {
      let rest = extracting(droppingFirst: position)
      guard BoxHeader.missing(rest) == nil,
        let header = BoxHeader(rest, at: 0, parentEnd: Int64(rest.byteCount))
      else { return }
      try body(header.type, rest.extracting(header.byteCount..<Int(header.end)))
      position += Int(header.end)
    }
  }
}
