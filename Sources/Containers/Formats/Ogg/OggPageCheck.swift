/// The checksum of an Ogg page (RFC 3533 6), several times as fast as tables give it.
///
/// By search: x^66 + x^57 + x^37 + x^32 + x^19 + x^18 + x^3 + x^2 + 1 is a multiple of the polynomial. Squared six
/// times it says so of words of 8 bytes: instead of one of them, that word may be added to those 9, 29, 34, ... and 66
/// words further on, until only 66 are left to be divided.
enum OggPageCheck {
  private static let exponents = [57, 37, 32, 19, 18, 3, 2, 0]
  private static let span = 66
  private static let blockWordCount = 512

  /// Of a page with at least the fixed part of its header; its own checksum counts as zeros.
  static func checksum(of page: RawSpan) -> UInt32 {
    let (check, start) = (CyclicRedundancyCheck.oggPage, 26)
    let wordCount = (page.byteCount - start) / 8
    let end = wordCount >= 2 * span ? page.byteCount - wordCount * 8 : page.byteCount
    var remainder = check.remainder(of: page.extracting(first: start - 4))
    remainder = check.remainder(of: noChecksum.span.bytes, after: remainder)
    remainder = check.remainder(of: page.extracting(start..<end), after: remainder)
    return end < page.byteCount ? fold(page.extracting(end...), after: remainder) : remainder
  }

  /// The remainder of whole words, twice the span or more.
  private static func fold(_ bytes: RawSpan, after remainder: UInt32) -> UInt32 {
    bytes.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: span + blockWordCount) { words in
        words[..<span].initialize(repeating: 0)
        // The remainder so far is added to the first four bytes.
        words[0] = UInt64(remainder.byteSwapped)
        var index = 0
        let end = bytes.count - span * 8
        while index < end {
          let count = min(blockWordCount, (end - index) / 8)
          for place in 0..<count {
            let word = bytes.loadUnaligned(fromByteOffset: index &+ place &* 8, as: UInt64.self)
            words[place &+ span] =
              word ^ words[place] ^ words[place &+ 2] ^ words[place &+ 3] ^ words[place &+ 18] ^ words[place &+ 19]
              ^ words[place &+ 32] ^ words[place &+ 37] ^ words[place &+ 57]
          }
          index += count * 8
          for place in 0..<span { words[place] = words[place + count] }
        }
        for place in 0..<span {
          words[span + place] = bytes.loadUnaligned(fromByteOffset: end + place * 8, as: UInt64.self)
        }
        for exponent in exponents {
          for place in 0..<(span - exponent) { words[span + place] ^= words[place + exponent] }
        }
        let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(words)[(span * 8)..<(span * 16)])
        return CyclicRedundancyCheck.oggPage.remainder(of: rest.bytes)
      }
    }
  }
}

/// In place of a page's checksum when it is computed.
private let noChecksum: [UInt8] = [0, 0, 0, 0]
