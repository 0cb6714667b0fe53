internal import Glibc

extension RawSpan {
  /// Where `byte` is next found from `start` on (`memchr(3)`, which looks at 32 bytes at a time); `nil` if nowhere.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + start, CInt(byte), bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}
