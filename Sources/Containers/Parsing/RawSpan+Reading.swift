/// Bounds-checked reads for parsers: check `byteCount` first, a read outside ends the program.
extension RawSpan {
  @inline(__always)
  subscript(index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index, as: UInt8.self) }

  @inline(__always)
  func bigEndian16(at index: Int) -> UInt16 {
    UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt16.self))
  }

  @inline(__always)
  func bigEndian24(at index: Int) -> UInt32 { UInt32(self[index]) << 16 | UInt32(bigEndian16(at: index + 1)) }

  @inline(__always)
  func bigEndian32(at index: Int) -> UInt32 {
    UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
  }

  @inline(__always)
  func bigEndian64(at index: Int) -> UInt64 {
    UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  @inline(__always)
  func littleEndian32(at index: Int) -> UInt32 {
    UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
  }

  @inline(__always)
  func littleEndian64(at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// A 28-bit number in four bytes of seven bits (ID3v2.4 structure §6.2); `nil` if a high bit is set.
  func synchsafe32(at index: Int) -> Int? {
    let raw = bigEndian32(at: index)
    guard raw & 0x8080_8080 == 0 else { return nil }
    return Int(raw >> 3 & 0xfe0_0000 | raw >> 2 & 0x1f_c000 | raw >> 1 & 0x3f80 | raw & 0x7f)
  }

  /// True if these ASCII characters are at `index`; false if the bytes end before.
  func has(_ magic: StaticString, at index: Int = 0) -> Bool {
    guard index >= 0, byteCount - index >= magic.utf8CodeUnitCount else { return false }
    return magic.withUTF8Buffer { expected in
      expected.indices.allSatisfy { self[index + $0] == expected[$0] }
    }
  }

  /// A copy of some bytes.
  func copy(_ range: Range<Int>) -> [UInt8] { extracting(range).withUnsafeBytes { Array($0) } }
}
