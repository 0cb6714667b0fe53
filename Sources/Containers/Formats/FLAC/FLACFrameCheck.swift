/// Checks the CRC-16 at the end of bytes (RFC 9639 9.3), at the speed of memory.
///
/// The polynomial is (x + 1)(x^15 + x + 1). Bytes are divisible by the first factor if the number of their bits is
/// even. Squaring x^15 = x + 1 six times gives x^960 = x^64 + 1: so, for the second factor, each word of 8 bytes may be
/// added to those 14 and 15 words further on instead, until only 15 words are left to be divided. Zeros before and
/// after change nothing.
enum FLACFrameCheck {
  private static let span = 15
  private static let blockWordCount = 512

  static func isRight(_ bytes: RawSpan) -> Bool {
    bytes.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: span + blockWordCount) { words in
        words[..<span].initialize(repeating: 0)
        var parity: UInt64 = 0
        var index = 0
        while bytes.count - index >= 8 {
          let count = min(blockWordCount, (bytes.count - index) / 8)
          for place in 0..<count {
            let word = bytes.loadUnaligned(fromByteOffset: index &+ place &* 8, as: UInt64.self)
            parity ^= word
            words[place &+ span] = word ^ words[place] ^ words[place &+ 1]
          }
          index += count * 8
          for place in 0..<span { words[place] = words[place + count] }
        }
        var last: UInt64 = 0
        withUnsafeMutableBytes(of: &last) { $0.copyBytes(from: bytes[index...]) }
        parity ^= last
        words[span] = last ^ words[0]
        let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(words)[8..<8 + span * 8])
        return parity.nonzeroBitCount % 2 == 0 && CyclicRedundancyCheck.flacFrameFactor.remainder(of: rest.bytes) == 0
      }
    }
  }
}
