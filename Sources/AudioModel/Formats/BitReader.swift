/// Reads bits, most significant first. After the end it returns zeros, and `isExhausted` is true.
///
/// The bytes must not move while it is in use, and `padding` zeros must follow them. Inlined into other
/// targets, because decoders call it for every sample.
@frozen
public struct BitReader {
  /// The number of readable zeros after the last byte.
  public static let padding = 8

  @usableFromInline let bytes: UnsafeRawPointer
  @usableFromInline let byteCount: Int
  /// Bits read so far; may be past the end.
  @inlinable public var position: Int { offset }
  @usableFromInline var offset = 0

  /// Reads `byteCount` bytes, which the padding follows.
  @inlinable
  public init(_ bytes: UnsafeRawPointer, byteCount: Int) { (self.bytes, self.byteCount) = (bytes, byteCount) }

  /// True if more bits were read than there are.
  @inlinable
  public var isExhausted: Bool { offset > byteCount * 8 }

  /// The number of unread bits; negative if exhausted.
  @inlinable
  public var remainingCount: Int { byteCount * 8 - offset }

  /// The next bits, in the upper bits: at least 57.
  @inlinable @inline(__always)
  public var upcoming: UInt64 {
    let word = bytes.loadUnaligned(fromByteOffset: min(offset >> 3, byteCount), as: UInt64.self)
    return UInt64(bigEndian: word) << UInt64(offset & 7)
  }

  /// Skips bits. `count` must not be negative.
  @inlinable @inline(__always)
  public mutating func skip(_ count: Int) { offset += count }

  /// Skips the rest of a partly read byte.
  @inlinable
  public mutating func alignToByte() { offset = (offset + 7) & ~7 }

  /// An unsigned number of 0 to 32 bits.
  @inlinable @inline(__always)
  public mutating func read(_ count: Int) -> UInt32 {
    let value = (upcoming &>> 32) &>> UInt64(32 - count)
    offset += count
    return UInt32(truncatingIfNeeded: value)
  }

  /// A number of 1 to 32 bits in two's complement.
  @inlinable @inline(__always)
  public mutating func readSigned(_ count: Int) -> Int32 {
    let value = Int64(bitPattern: upcoming) >> Int64(64 - count)
    offset += count
    return Int32(truncatingIfNeeded: value)
  }

  /// An unsigned number of 0 to 32 bits. Returns `nil` and reads nothing if there are fewer.
  @inlinable
  public mutating func readIfPresent(_ count: Int) -> Int? { remainingCount >= count ? Int(read(count)) : nil }
}
