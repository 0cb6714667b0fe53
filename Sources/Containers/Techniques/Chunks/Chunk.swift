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

/// The chunk headers of a format: four characters and a size.
enum ChunkLayout {
  /// RIFF: sizes of 32 bits, a byte of padding after odd ones; little-endian but for RIFX and AIFF.
  case padded(ByteOrder)
  /// CAF: sizes of 64 bits, big-endian, no padding.
  case wide

  var headerByteCount: Int { if case .wide = self { 12 } else { 8 } }

  var isPadded: Bool { if case .wide = self { false } else { true } }

  /// The header at `index`, which is `offset` in the stream.
  func chunk(in bytes: RawSpan, at index: Int, offset: Int64) -> Chunk {
    let byteCount =
      switch self {
      case .padded(let order): Int64(bytes.unsigned32(at: index + 4, order))
      case .wide: Int64(bitPattern: bytes.unsigned64(at: index + 4, .big))
      }
    return Chunk(
      id: FourCharCode(rawValue: bytes.bigEndian32(at: index)),
      contentOffset: offset + Int64(index + headerByteCount), byteCount: min(byteCount, Chunk.maximumByteCount))
  }

  /// The start of the next chunk in `bytes`, which follow a chunk; `nil` if there is none.
  ///
  /// After a chunk of odd size should be one byte, of any value to be safe, but there are writers who forget it, and
  /// others with zeros where none belong.
  func start(in bytes: RawSpan, isAfterOddSize: Bool) -> Int? {
    guard isPadded else { return isHeader(in: bytes, at: 0) ? 0 : nil }
    let isPaddingForgotten = isHeader(in: bytes, at: 0) && !(isHeader(in: bytes, at: 1) && isSmall(in: bytes, at: 1))
    var start = isAfterOddSize && !isPaddingForgotten ? 1 : 0
    while start < Self.maximumPaddingByteCount, start < bytes.byteCount, bytes[start] == 0 { start += 1 }
    return isHeader(in: bytes, at: start) ? start : nil
  }

  /// Bytes that may lie between two chunks.
  static let maximumPaddingByteCount = 4

  /// The number of bytes that show the start of a chunk.
  func lookaheadByteCount(in bytes: RawSpan, isAfterOddSize: Bool) -> Int {
    let isPlain = !isPadded || !isAfterOddSize && isHeader(in: bytes, at: 0)
    return headerByteCount + (isPlain ? 0 : Self.maximumPaddingByteCount)
  }

  /// True if four ASCII characters and a size are at `index`.
  private func isHeader(in bytes: RawSpan, at index: Int) -> Bool {
    bytes.byteCount - index >= headerByteCount && bytes[index] != 0x20
      && (index..<index + 4).allSatisfy { 0x20..<0x7f ~= bytes[$0] }
  }

  /// True if the size could be one: where there is a byte too many or too few, a character is in it.
  private func isSmall(in bytes: RawSpan, at index: Int) -> Bool {
    chunk(in: bytes, at: index, offset: 0).byteCount < 0x2000_0000
  }
}
