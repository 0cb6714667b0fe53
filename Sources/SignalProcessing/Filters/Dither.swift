internal import AudioModel

/// Adds triangular noise of one step of 16 bits to interleaved samples, the first frame of them being that one of the
/// track: always the same for a frame, so that a place sounds the same however it was reached.
func addDither(to block: UnsafeMutableBufferPointer<Float>, firstFrame: Int64, channelCount: Int) {
  var number = UInt64(bitPattern: firstFrame) &* UInt64(channelCount)
  for index in block.indices {
    let steps = block[index] * 0x1p15
    // Values 24 dB below a step are silence: the end of a filter's swing. Whole steps need no dither.
    if abs(steps) > 0x1p-4, steps != steps.rounded() { block[index] = (steps + triangularNoise(number)) / 0x1p15 }
    number &+= 1
  }
}

/// Noise in -1...1 with a triangular distribution, always the same for a number (mixed as in SeededGenerator).
private func triangularNoise(_ number: UInt64) -> Float {
  var bits = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
  bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
  bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
  bits ^= bits >> 31
  return (Float(bits >> 40) - Float(bits & 0xFF_FFFF)) / 0x1p24
}
