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

  /// Version 7: so many frames, the last of them with so many samples, if that is known.
  static func header7(frames: UInt32, last: UInt32?, bands: UInt32 = 0) -> [UInt8] {
    let ending: UInt32 = last.map { 0x8000_0000 | $0 << 20 } ?? 0
    let words: [UInt32] = [frames, bands << 24, 0, 0, ending, 0]
    let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    return Array("MP+\u{7}".utf8) + bytes
  }

  @Test(
    arguments: [
      (100, 1152, 481..<115_681), (100, 1, 481..<114_530), (100, nil, 481..<115_200), (100, 0, 481..<115_200),
      (0, 1, nil), (.max, 1152, 481..<(481 + 1152 * Int64(UInt32.max))), (1, 100, 481..<581),
    ] as [(UInt32, UInt32?, Range<Int64>?)])
  func `in version 7 it ends in the last frame, as that says`(frames: UInt32, last: UInt32?, music: Range<Int64>?) {
    let header = Self.header7(frames: frames, last: last)
    #expect(MusepackHeader.music(header) == music)
    for count in 0..<header.count { #expect(MusepackHeader.music(Array(header.prefix(count))) == nil) }
  }

  @Test func `a packet of silence has no samples in any band`() {
    #expect(MusepackTail.silence(bandCount: 0) == [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(MusepackTail.silence(bandCount: 3) == [0, 0, 0, 0, 0, 0, 0b1111_1100, 0])
    #expect(MusepackTail.silence(bandCount: 31).count == 16)
    #expect(MusepackHeader.bandCount(Self.header7(frames: 1, last: 1, bands: 31)) == 31)
    #expect(MusepackHeader.bandCount(header(5, 0)) == nil)
  }

  /// Packets end anywhere in a file; a frame whose length is wrong is none.
  @Test func `no frame is taken that is not whole`() {
    // 20 bits of length before bit 20: 5 bits of a frame.
    let packet: [UInt8] = [20, 0, 0, 0] + [0, 0x50, 0, 0] + [0, 0, 0, 0]
    func read(_ bytes: [UInt8]) -> [UInt8]? {
      MusepackTail(behind: packet, nextWordAt: 100)?.packet { count, place in
        #expect(place == 100 && count > 100)
        return bytes
      }
    }
    // From bit 25: 11 bits, then 20 of which the last says 1, then the frame.
    let words: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0]
    #expect(MusepackTail(behind: packet, nextWordAt: 0) != nil)
    #expect(MusepackTail(behind: Array(packet.prefix(6)), nextWordAt: 0) == nil)
    #expect(read([]) == nil && read([0, 0, 0, 0]) == nil && read(Array(repeating: 0, count: 40)) == nil)
    #expect(read(Array(repeating: 0xff, count: 40)) == nil)
    #expect(read(words) == [24, 0, 0, 0, 0, 1, 0, 0])
  }

  @Test func `a header that is cut or of another version is none`() {
    var bytes = header(454_230, 0)
    for count in 0..<(bytes.count - 2) { #expect(MusepackHeader.music(Array(bytes.prefix(count))) == nil, "\(count)") }
    bytes[11] = 7
    #expect(MusepackHeader.music(bytes) == nil)
    #expect(MusepackHeader.music([UInt8](repeating: 0xff, count: 64)) == nil)
  }
}
