import Testing

@testable import Containers

@Suite("Looking for two bytes in a row")
struct SearchingTests {
  /// Around one and two of the stretches that are looked at in one piece.
  @Test("finds them at any position", arguments: [2, 3, 63, 64, 65, 66, 67, 127, 128, 129, 130, 131, 200])
  func pair(byteCount: Int) {
    // Half of a pair, both ways round, and what is one off.
    for filler: UInt8 in [0xff, 0xf8, 0xfe, 0xf9, 0xf7, 0x00] {
      let plain = [UInt8](repeating: filler, count: byteCount)
      #expect(plain.span.bytes.firstIndex(ofPair: 0xfff8, from: 0) == nil)
      for place in 0..<byteCount - 1 {
        var bytes = plain
        bytes.replaceSubrange(place...place + 1, with: [0xff, 0xf8])
        for start in [0, place, place + 1] {
          let expected = (start..<byteCount - 1).first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xf8 }
          #expect(bytes.span.bytes.firstIndex(ofPair: 0xfff8, from: start) == expected, "\(filler) \(place) \(start)")
        }
      }
    }
  }

  @Test("finds nothing after the end")
  func behindTheEnd() {
    let bytes: [UInt8] = [0xff, 0xf8]
    for start in 1...80 { #expect(bytes.span.bytes.firstIndex(ofPair: 0xfff8, from: start) == nil) }
  }
}
