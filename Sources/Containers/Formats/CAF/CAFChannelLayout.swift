/// The speakers of the channels: the `chan` chunk, an AudioChannelLayout.
///
///     0 tag   4 bitmap   8 number of descriptions   12 descriptions: label, flags, three coordinates
enum CAFChannelLayout {
  /// The layout as a mask; 0 if no mask describes it: the order or the speakers differ.
  static func mask(_ bytes: RawSpan) -> UInt32 {
    guard bytes.byteCount >= 12 else { return 0 }
    switch bytes.bigEndian32(at: 0) {
    case 0: return mask(ofDescriptions: bytes)
    // The first 18 bits are those of WAVE.
    case 0x10000: return bytes.bigEndian32(at: 4) & 0x3ffff
    case let tag: return masks[tag >> 16] ?? 0
    }
  }

  private static func mask(ofDescriptions bytes: RawSpan) -> UInt32 {
    var mask: UInt32 = 0
    var start = 12
    for _ in 0..<min(18, bytes.bigEndian32(at: 8)) {
      guard bytes.byteCount - start >= 20 else { return 0 }
      // Labels count as the bits do, from 1; 42 is mono.
      let label = bytes.bigEndian32(at: start)
      guard 1...18 ~= label || label == 42 else { return 0 }
      let bit: UInt32 = 1 << ((label == 42 ? 3 : label) - 1)
      guard bit > mask else { return 0 }
      mask |= bit
      start += 20
    }
    return mask
  }

  /// Layouts by their number whose channels are in the order of the bits.
  private static let masks: [UInt32: UInt32] = [
    100: 0x4, 101: 0x3, 102: 0x3, 103: 0x3,  // Mono, stereo.
    108: 0x33, 132: 0x33,  // L R Ls Rs
    113: 0x7, 115: 0x107, 117: 0x37, 121: 0x3f,  // L R C, with Cs, with Ls Rs, with LFE
    125: 0x13f, 126: 0xff,  // 5.1 with Cs, with Lc Rc
    131: 0x103, 133: 0xb, 134: 0x10b, 135: 0x3b, 136: 0xf, 137: 0x10f,  // L R Cs, and with LFE
  ]
}
