internal import Glibc

extension [UInt8] {
  /// The first place of `byte` in `range` (`memchr(3)`, which looks at 32 bytes at a time).
  public func firstOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
    withUnsafeBytes { bytes in
      let searched = UnsafeRawBufferPointer(rebasing: bytes[range])
      guard let start = searched.baseAddress, let found = memchr(start, CInt(byte), searched.count) else { return nil }
      return range.lowerBound + (UnsafeRawPointer(found) - start)
    }
  }
}
