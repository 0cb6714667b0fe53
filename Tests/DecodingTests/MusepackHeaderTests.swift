import Testing

@testable import Decoding

/// The range of the music by Musepack's header.
@Suite struct MusepackHeaderTests {
  /// SH with so many samples and so much silence, as groups of seven bits.
  private func header(_ samples: Int64, _ silence: Int64) -> [UInt8] {
    func groups(_ number: Int64) -> [UInt8] {
      var bytes = (0..<8).map { place in
        let group = number >> Int64(49 - 7 * place)
        return UInt8(group & 0x7f) | 0x80
      }
      bytes[7] &= 0x7f
      return bytes
    }
    return Array("MPCKSH".utf8) + [27, 1, 2, 3, 4, 8] + groups(samples) + groups(silence) + [0x1b, 0x1b]
  }

  @Test(
    arguments: [
      (454_230, 0, 481..<454_711), (100_000, 10_000, 10_481..<100_481), (0, 0, 481..<Int64.max), (5, 6, nil),
      (1 << 55, 1152 << 14, (481 + 1152 << 14)..<(481 + 1 << 55)), (1 << 55, 1 + 1152 << 14, nil),
      ((1 << 56) - 1, (1 << 56) - 1, nil),
    ] as [(Int64, Int64, Range<Int64>?)])
  func `music lies behind the filter's delay and the silence`(samples: Int64, silence: Int64, music: Range<Int64>?) {
    #expect(MusepackHeader.music(header(samples, silence)) == music)
  }

  @Test func `a header that is cut or of another version is none`() {
    var bytes = header(454_230, 0)
    for count in 0..<(bytes.count - 2) { #expect(MusepackHeader.music(Array(bytes.prefix(count))) == nil, "\(count)") }
    bytes[11] = 7
    #expect(MusepackHeader.music(bytes) == nil)
    #expect(MusepackHeader.music([UInt8](repeating: 0xff, count: 64)) == nil)
  }
}
