internal import AudioModel

/// A piece of a file with a name: WAVE, AIFF and CAF are rows of them.
struct Chunk {
  var id: FourCharCode
  /// The start of its content, in the stream.
  var contentOffset: Int64
  /// Bytes of content as the header claims, at most `maximumByteCount`; CAF has -1 for "until the end".
  var byteCount: Int64

  /// More is not believed (16 TiB): so that such numbers can be added, and times 2^18 frames, without a check.
  static let maximumByteCount: Int64 = 1 << 44

  /// The end of its content.
  var end: Int64 { contentOffset + max(0, byteCount) }
}

/// The chunk headers of a format: a name and a size.
enum ChunkLayout {
  /// RIFF: sizes of 32 bits, a byte of padding after odd ones; little-endian but for RIFX and AIFF.
  case padded(ByteOrder)
  /// CAF: sizes of 64 bits, big-endian, no padding.
  case wide
  /// Wave64: names of 16 bytes, sizes of 64 bits that count the header, little-endian; chunks begin at multiples of 8.
  case aligned

  var headerByteCount: Int {
    switch self {
    case .padded: 8
    case .wide: 12
    case .aligned: 24
    }
  }

  /// Bytes of padding that belong after so many bytes of content.
  func paddingByteCount(after byteCount: Int64) -> Int {
    switch self {
    case .padded: Int(byteCount & 1)
    case .wide: 0
    case .aligned: Int(-byteCount & 7)
    }
  }

  /// The header at `index`, which is `offset` in the stream.
  func chunk(in bytes: RawSpan, at index: Int, offset: Int64) -> Chunk {
    let byteCount =
      switch self {
      case .padded(let order): Int64(bytes.unsigned32(at: index + 4, order))
      case .wide: Int64(bitPattern: bytes.unsigned64(at: index + 4, .big))
      case .aligned: max(0, Int64(clamping: bytes.unsigned64(at: index + 16, .little)) - Int64(headerByteCount))
      }
    return Chunk(
      id: id(in: bytes, at: index), contentOffset: offset + Int64(index + headerByteCount),
      byteCount: min(byteCount, Chunk.maximumByteCount))
  }

  private func id(in bytes: RawSpan, at index: Int) -> FourCharCode {
    let id = FourCharCode(rawValue: bytes.bigEndian32(at: index))
    guard case .aligned = self else { return id }
    return Wave64.name(in: bytes, at: index) ?? FourCharCode(rawValue: 0)
  }

  /// The start of the next chunk in `bytes`, which follow a chunk and its bytes of padding; `nil` if there is none.
  ///
  /// RIFF's byte of padding, of any value to be safe, is forgotten by some writers, and others have zeros where none
  /// belong. Where it is forgotten in Wave64, the next chunk has to have a name that is known.
  func start(in bytes: RawSpan, padding: Int) -> Int? {
    guard case .padded = self else {
      let isForgotten = padding > 0 && isNamed(in: bytes, at: 0) && !isNamed(in: bytes, at: padding)
      let start = isForgotten ? 0 : padding
      return isHeader(in: bytes, at: start) ? start : nil
    }
    let isPaddingForgotten = isHeader(in: bytes, at: 0) && !(isHeader(in: bytes, at: 1) && isSmall(in: bytes, at: 1))
    var start = isPaddingForgotten ? 0 : padding
    while start < Self.maximumPaddingByteCount, start < bytes.byteCount, bytes[start] == 0 { start += 1 }
    return isHeader(in: bytes, at: start) ? start : nil
  }

  /// Bytes that may lie between two chunks.
  static let maximumPaddingByteCount = 4

  /// The number of bytes that show the start of a chunk.
  func lookaheadByteCount(in bytes: RawSpan, padding: Int) -> Int {
    guard case .padded = self else { return headerByteCount + padding }
    let isPlain = padding == 0 && isHeader(in: bytes, at: 0)
    return headerByteCount + (isPlain ? 0 : Self.maximumPaddingByteCount)
  }

  /// True if a name and a size are at `index`.
  private func isHeader(in bytes: RawSpan, at index: Int) -> Bool {
    guard bytes.byteCount - index >= headerByteCount else { return false }
    if case .aligned = self {
      return isNamed(in: bytes, at: index) || bytes.unsigned64(at: index + 16, .little) >= UInt64(headerByteCount)
    }
    return bytes[index] != 0x20 && (index..<index + 4).allSatisfy { 0x20..<0x7f ~= bytes[$0] }
  }

  /// True if a name of Wave64 that is known is at `index`, and a size.
  private func isNamed(in bytes: RawSpan, at index: Int) -> Bool {
    bytes.byteCount - index >= headerByteCount && Wave64.name(in: bytes, at: index) != nil
  }

  /// True if the size could be one: where there is a byte too many or too few, a character is in it.
  private func isSmall(in bytes: RawSpan, at index: Int) -> Bool {
    chunk(in: bytes, at: index, offset: 0).byteCount < 0x2000_0000
  }
}
