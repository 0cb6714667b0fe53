/// WAVE's Microsoft ADPCM, format tag 2 ("Microsoft Multimedia Standards Update: New Multimedia Data Types").
struct MicrosoftADPCM: ADPCM {
  private let channelCount: Int
  /// Pairs by which the last and the last but one sample are weighted, in 256ths.
  private let coefficients: [(Int32, Int32)]

  /// With the coefficients of the cookie, of which 7 are as usual; with the usual ones alone where it is short.
  init(channelCount: Int, magicCookie: [UInt8]) {
    self.channelCount = channelCount
    func word(_ index: Int) -> Int32 {
      Int32(Int16(truncatingIfNeeded: Int(magicCookie[index * 2]) | Int(magicCookie[index * 2 + 1]) << 8))
    }
    let count = magicCookie.count < 4 ? 0 : Int(word(1))
    guard count >= usualCoefficients.count, magicCookie.count >= 4 + count * 4 else {
      coefficients = usualCoefficients
      return
    }
    coefficients = (0..<count).map { (word(2 + $0 * 2), word(3 + $0 * 2)) }
  }

  // 7 bytes of header for each channel with the first two samples; then nibbles, high ones first, channel by channel.
  func frameCount(byteCount: Int) -> Int {
    byteCount < 7 * channelCount ? 0 : 2 + (byteCount - 7 * channelCount) * 2 / channelCount
  }

  func decode(
    _ packet: UnsafeRawBufferPointer, frameCount: Int, into samples: UnsafeMutablePointer<Int16>
  ) -> Bool {
    for channel in 0..<channelCount {
      // Each field for all channels before the next: predictor (a byte), delta, last sample, last but one.
      func word(_ field: Int) -> Int32 {
        let offset = channelCount + (field * channelCount + channel) * 2
        return Int32(Int16(littleEndian: packet.loadUnaligned(fromByteOffset: offset, as: Int16.self)))
      }
      guard coefficients.indices.contains(Int(packet[channel])) else { return false }
      let (weight1, weight2) = coefficients[Int(packet[channel])]
      var (delta, sample1, sample2) = (word(0), word(1), word(2))
      samples[channel] = Int16(truncatingIfNeeded: sample2)
      if frameCount > 1 { samples[channelCount &+ channel] = Int16(truncatingIfNeeded: sample1) }
      for frame in 2..<max(2, frameCount) {
        let index = (frame &- 2) &* channelCount &+ channel
        let byte = packet[7 &* channelCount &+ index &>> 1]
        let nibble = Int32(index & 1 == 0 ? byte &>> 4 : byte & 15)
        let guess = (sample1 &* weight1 &+ sample2 &* weight2) / 256
        let sample = guess &+ (nibble ^ 8 &- 8) &* delta
        (sample2, sample1) = (sample1, max(-0x8000, min(0x7fff, sample)))
        delta = max(16, min(.max / 768, (adaptation[Int(nibble)] &* delta) &>> 8))
        samples[frame &* channelCount &+ channel] = Int16(truncatingIfNeeded: sample1)
      }
    }
    return true
  }
}

private let usualCoefficients: [(Int32, Int32)] = [
  (256, 0), (512, -256), (0, 0), (192, 64), (240, 0), (460, -208), (392, -232),
]

/// The change of the delta by the nibble, in 256ths.
private let adaptation: [Int32] = [230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230]
