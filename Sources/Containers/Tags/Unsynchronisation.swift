/// ID3v2's guard against false sync words: a 00 that does not count after each FF that needs one (ID3v2.4 §6.1).
enum Unsynchronisation {
  /// Passes up to `count` bytes that count; an FF at the end is left, because it takes the next byte to know.
  static func pass(_ count: Int, of bytes: RawSpan) -> (plain: Int, raw: Int) {
    var (plain, raw) = (0, 0)
    while plain < count, raw < bytes.byteCount {
      if bytes[raw] == 0xff {
        guard raw + 1 < bytes.byteCount else { break }
        if bytes[raw + 1] == 0 { raw += 1 }
      }
      raw += 1
      plain += 1
    }
    return (plain, raw)
  }

  /// The bytes that count.
  static func undone(_ bytes: [UInt8]) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      if byte != 0 || previous != 0xff { plain.append(byte) }
      previous = byte
    }
    return plain
  }
}
