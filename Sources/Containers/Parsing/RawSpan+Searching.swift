internal import Glibc

extension RawSpan {
  /// The next place of `byte` from `start` on (`memchr(3)`, which looks at 32 bytes at a time); `nil` if there is none.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + start, CInt(byte), bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  /// The next place of two bytes in a row, the first in the high half of `pair`, from `start` on; `nil` without one.
  func firstIndex(ofPair pair: UInt16, from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      let ones: UInt64 = 0x0101_0101_0101_0101
      let (first, second) = (ones &* UInt64(pair >> 8), ones &* UInt64(pair & 0xff))
      var index = start
      // At 64 places at a time: a byte of `difference` is 0 if both are.
      while bytes.count - index > 64 {
        var zeros: UInt64 = 0
        for word in 0..<8 {
          let place = index &+ word &* 8
          let difference =
            (bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ first)
            | (bytes.loadUnaligned(fromByteOffset: place &+ 1, as: UInt64.self) ^ second)
          zeros |= (difference &- ones) & ~difference
        }
        if zeros & (ones << 7) != 0 { break }
        index &+= 64
      }
      while bytes.count - index >= 2 {
        if UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt16.self)) == pair { return index }
        index &+= 1
      }
      return nil
    }
  }
}
