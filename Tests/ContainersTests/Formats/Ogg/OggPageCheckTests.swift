import Testing

@testable import Containers

@Suite("The checksum of an Ogg page (RFC 3533 6)")
struct OggPageCheckTests {
  /// Around the sizes from which on words are folded, around a block of them, and the largest there is.
  static let sizes = [27, 33, 500] + Array(1070...1110) + [2000, 4600, 4649, 4650, 5179, 8761, 65307]

  @Test("is that of dividing bit by bit, its own field taken for zeros", arguments: sizes)
  func checksum(size: Int) {
    var page = (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 0x9e37_79b9) >> 11) }
    for _ in 0..<2 {
      let blank = page[..<22] + [0, 0, 0, 0] + page[26...]
      #expect(
        OggPageCheck.checksum(of: page.span.bytes) == FLACSynthesis.crc(blank, bits: 32, polynomial: 0x04c1_1db7))
      page[size * 2 / 3] ^= 0x10
    }
  }
}
