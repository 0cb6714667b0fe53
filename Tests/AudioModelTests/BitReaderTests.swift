import Testing

import AudioModel

@Suite("Bits")
struct BitReaderTests {
  @Test("are read from the most significant on, with and without sign")
  func reading() {
    read([0b1011_0001, 0xff, 0x00, 0x80, 0x12, 0x34, 0x56, 0x78, 0x9a]) { bits in
      #expect(bits.read(1) == 1)
      #expect(bits.read(0) == 0)
      #expect(bits.readSigned(3) == 3)
      #expect(bits.readSigned(12) == 0x1ff)
      bits.skip(3)
      bits.alignToByte()
      #expect(bits.read(32) == 0x8012_3456)
      bits.alignToByte()
      #expect(bits.readSigned(8) == 0x78)
      #expect(bits.readSigned(4) == -7)
      #expect(bits.remainingCount == 4 && !bits.isExhausted)
    }
  }

  @Test("past the end are zeros, however far")
  func end() {
    read([0xff, 0xff]) { bits in
      #expect(bits.read(15) == 0x7fff)
      #expect(bits.read(2) == 2)
      #expect(bits.isExhausted)
      for _ in 0..<40 { #expect(bits.read(32) == 0 && bits.readSigned(7) == 0) }
      bits.skip(1 << 40)
      #expect(bits.upcoming == 0 && bits.isExhausted)
    }
  }

  /// Calls `body` with a reader of bytes, with other bytes after the padding.
  private func read(_ bytes: [UInt8], _ body: (inout BitReader) -> Void) {
    let padded = bytes + [UInt8](repeating: 0, count: BitReader.padding) + [UInt8](repeating: 0xff, count: 400)
    padded.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      var bits = BitReader(start, byteCount: bytes.count)
      body(&bits)
    }
  }
}
