/// One page of Ogg (RFC 3533 6): a header that says how its body is laced into packets, and the body.
struct OggPage {
  // 0 "OggS"  4 version 0  5 flags  6 granule position s64  14 serial u32  18 sequence u32  22 CRC-32  26 segments u8
  // 27 the segments' sizes, u8 each: those of 255 continue in the next one.  All numbers little-endian.

  /// Bytes of the header without the sizes of segments.
  static let fixedByteCount = 27
  static let mark: StaticString = "OggS"
  /// No stream is that long; smaller numbers can be added without overflow.
  private static let maximumGranule: Int64 = 1 << 56

  /// True if its first packet began on a page before.
  let isContinued: Bool
  let beginsStream: Bool
  let endsStream: Bool
  /// The codec's position after the last packet that ends here; `nil` if none does, or it makes no sense.
  let granule: Int64?
  let serial: UInt32
  let sequence: UInt32
  /// Sizes of the segments.
  let lacing: [UInt8]

  /// The finding at some place.
  enum Look {
    case page(OggPage)
    case no
    /// More bytes are needed to decide.
    case needsBytes(Int)
  }

  /// Looks for a page at `index`. One that the stream cuts short is taken without its checksum if it is number
  /// `sequence` of stream `serial`, or `isExpected`.
  static func look(
    _ bytes: RawSpan, at index: Int, isLast: Bool, serial: UInt32? = nil, sequence: UInt32? = nil,
    isExpected: Bool = false
  ) -> Look {
    let rest = bytes.byteCount - index
    guard rest >= fixedByteCount else { return isLast ? .no : .needsBytes(fixedByteCount) }
    guard bytes.has(mark, at: index), bytes[index + 4] == 0 else { return .no }
    let headerByteCount = fixedByteCount + Int(bytes[index + 26])
    guard rest >= headerByteCount else { return isLast ? .no : .needsBytes(headerByteCount) }
    let page = OggPage(bytes, at: index, headerByteCount: headerByteCount)
    guard rest >= page.byteCount else {
      if !isLast { return .needsBytes(page.byteCount) }
      return isExpected || page.serial == serial && page.sequence == sequence ? .page(page) : .no
    }
    let check = OggPageCheck.checksum(of: bytes.extracting(index..<index + page.byteCount))
    return check == bytes.littleEndian32(at: index + 22) ? .page(page) : .no
  }

  private init(_ bytes: RawSpan, at index: Int, headerByteCount: Int) {
    let flags = bytes[index + 5]
    (isContinued, beginsStream, endsStream) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
    let position = Int64(bitPattern: bytes.littleEndian64(at: index + 6))
    granule = 0..<Self.maximumGranule ~= position ? position : nil
    serial = bytes.littleEndian32(at: index + 14)
    sequence = bytes.littleEndian32(at: index + 18)
    lacing = bytes.copy(index + Self.fixedByteCount..<index + headerByteCount)
  }

  /// Bytes of the header with the sizes of segments.
  var headerByteCount: Int { Self.fixedByteCount + lacing.count }
  /// Bytes of all segments.
  var bodyByteCount: Int { lacing.reduce(0) { $0 + Int($1) } }
  /// Bytes of the whole page.
  var byteCount: Int { headerByteCount + bodyByteCount }

  /// From segment `index` on, bytes of the packet that begins or continues there, the segment after it, and whether the
  /// packet ends on this page.
  func part(from index: Int) -> (byteCount: Int, endIndex: Int, isEnd: Bool) {
    var (byteCount, end) = (0, index)
    while end < lacing.count {
      byteCount += Int(lacing[end])
      end += 1
      if lacing[end - 1] < 255 { return (byteCount, end, true) }
    }
    return (byteCount, end, false)
  }

  /// The next possible start of a page after `index`.
  static func nextMark(_ bytes: RawSpan, behind index: Int, isLast: Bool) -> Int {
    var start = index + 1
    while let found = bytes.firstIndex(of: UInt8(ascii: "O"), from: start) {
      if bytes.has(mark, at: found) || bytes.byteCount - found < mark.utf8CodeUnitCount && !isLast { return found }
      start = found + 1
    }
    return bytes.byteCount
  }
}
