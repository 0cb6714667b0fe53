/// Remainders of bytes divided by a polynomial of up to 32 bits, highest bit first, sixteen bytes at a time.
///
/// A remainder stands in the high bits of 32, whatever its width, so that one loop serves all. It is 0 after bytes that
/// end with their own checksum.
package struct CyclicRedundancyCheck: Sendable {
  /// Of Ogg pages (RFC 3533 6).
  package static let oggPage = CyclicRedundancyCheck(polynomial: 0x04c1_1db7)
  /// Of FLAC frames: CRC-16 (RFC 9639 9.3), x^16 + x^15 + x^2 + 1.
  static let flacFrame = CyclicRedundancyCheck(polynomial: 0x8005_0000)
  /// A factor of that: x^15 + x + 1.
  static let flacFrameFactor = CyclicRedundancyCheck(polynomial: 0x0006_0000)
  /// Of FLAC frame headers: CRC-8 (RFC 9639 9.1.8).
  static let flacHeader = CyclicRedundancyCheck(polynomial: 0x0700_0000)

  /// Sixteen tables of 256: what a byte with 0 to 15 bytes after it leaves.
  private let tables: [UInt32]

  private init(polynomial: UInt32) {
    var tables = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte) << 24) { rest, _ in rest << 1 ^ (rest >> 31 == 1 ? polynomial : 0) }
    }
    for index in 256..<0x1000 {
      let rest = tables[index - 256]
      tables.append(rest << 8 ^ tables[Int(rest >> 24)])
    }
    self.tables = tables
  }

  /// The remainder of what left `remainder`, followed by `bytes`.
  package func remainder(of bytes: RawSpan, after remainder: UInt32 = 0) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      bytes.withUnsafeBytes { bytes in
        // The remainder of eight bytes that end `distance` tables from the end. Indices have 12 bits.
        func rest(_ word: UInt64, _ distance: UInt64) -> UInt32 {
          @inline(__always)
          func rest(_ place: UInt64) -> UInt32 {
            tables[Int(truncatingIfNeeded: (distance + 7 - place) << 8 | (word >> (56 - 8 * place)) & 0xff)]
          }
          return rest(0) ^ rest(1) ^ rest(2) ^ rest(3) ^ rest(4) ^ rest(5) ^ rest(6) ^ rest(7)
        }
        func word(_ index: Int) -> UInt64 {
          UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
        var (remainder, index) = (remainder, 0)
        while index &+ 16 <= bytes.count {
          remainder = rest(word(index) ^ UInt64(remainder) << 32, 8) ^ rest(word(index &+ 8), 0)
          index &+= 16
        }
        while index < bytes.count {
          remainder = remainder << 8 ^ tables[Int(remainder >> 24 ^ UInt32(bytes[index]))]
          index &+= 1
        }
        return remainder
      }
    }
  }
}
