/// Reads bits, most significant first. Past the end there are zeros, and `isExhausted` tells.
///
/// The bytes must stay where they are while it is in use, and `padding` zeros must lie behind them.
struct BitReader {
  /// Bytes behind the last that must be readable, and 0.
  static let padding = 8

  private let bytes: UnsafeRawPointer
  private let byteCount: Int
  /// Bits read so far; may be past the end.
  private(set) var position = 0

  /// Reads `byteCount` bytes, behind which there is the padding.
  init(_ bytes: UnsafeRawPointer, byteCount: Int) { (self.bytes, self.byteCount) = (bytes, byteCount) }

  /// Whether more was read than there is.
  var isExhausted: Bool { position > byteCount * 8 }

  /// Bits that are left; less than 0 if exhausted.
  var remainingCount: Int { byteCount * 8 - position }

  /// The bits to come, in the upper bits: at least 57.
  @inline(__always)
  var upcoming: UInt64 {
    let word = bytes.loadUnaligned(fromByteOffset: min(position >> 3, byteCount), as: UInt64.self)
    return UInt64(bigEndian: word) << UInt64(position & 7)
  }

  /// Passes over bits. `count` must not be negative.
  @inline(__always)
  mutating func skip(_ count: Int) { position += count }

  /// Passes over the rest of a byte that has been begun.
  mutating func alignToByte() { position = (position + 7) & ~7 }

  /// An unsigned number of 0 to 32 bits.
  @inline(__always)
  mutating func read(_ count: Int) -> UInt32 {
    let value = (upcoming &>> 32) &>> UInt64(32 - count)
    position += count
    return UInt32(truncatingIfNeeded: value)
  }

  /// A number of 1 to 32 bits in two's complement.
  @inline(__always)
  mutating func readSigned(_ count: Int) -> Int32 {
    let value = Int64(bitPattern: upcoming) >> Int64(64 - count)
    position += count
    return Int32(truncatingIfNeeded: value)
  }
}
