internal import AudioModel

// Converts planes of samples, one per channel, to interleaved PCM.

extension UnsafeMutableRawBufferPointer {
  /// Writes the first `frameCount` samples of each plane, floats in -1...1, as `sampleFormat`: rounded to the nearest
  /// and clipped. `self` holds that many frames.
  func interleave(_ planes: [UnsafePointer<Float>?], frameCount: Int, as sampleFormat: PCMFormat.SampleFormat) {
    switch sampleFormat {
    case .s16: interleave(planes, frameCount) { $0.fixed16 }
    case .s24in32: interleave(planes, frameCount) { $0.fixed32(bits: 24) }
    case .s32: interleave(planes, frameCount) { $0.fixed32(bits: 32) }
    case .f32: interleave(planes, frameCount) { $0 }
    }
  }

  /// Writes the first `frameCount` samples of each plane, signed integers of `bits` bits, as `sampleFormat`: what does
  /// not fit is cut off at the low end. `self` holds that many frames.
  func interleave(
    _ planes: [UnsafePointer<Int32>?], bits: Int, frameCount: Int, as sampleFormat: PCMFormat.SampleFormat
  ) {
    let up = Int32(32 - bits)
    switch sampleFormat {
    case .s16: interleave(planes, frameCount) { Int16(truncatingIfNeeded: ($0 &<< up) &>> 16) }
    case .s24in32: interleave(planes, frameCount) { ($0 &<< up) &>> 8 }
    case .s32: interleave(planes, frameCount) { $0 &<< up }
    case .f32: interleave(planes, frameCount) { Float($0 &<< up) * 0x1p-31 }
    }
  }

  /// The loop, specialized for each pair of types so that it becomes vector code.
  @inline(__always)
  private func interleave<Input, Output>(
    _ planes: [UnsafePointer<Input>?], _ frameCount: Int, _ convert: (Input) -> Output
  ) {
    guard let output = baseAddress?.assumingMemoryBound(to: Output.self) else { return }
    if planes.count == 2, let left = planes[0], let right = planes[1] {
      for frame in 0..<frameCount {
        output[2 &* frame] = convert(left[frame])
        output[2 &* frame &+ 1] = convert(right[frame])
      }
    } else {
      for (channel, plane) in planes.enumerated() {
        guard let plane else { continue }
        for frame in 0..<frameCount { output[frame &* planes.count &+ channel] = convert(plane[frame]) }
      }
    }
  }
}

// Adding 1.5 times the weight of the mantissa's last bit leaves a number, rounded to the nearest (ties to even), in the
// low bits: a vector unit does this to several at once, unlike `rounded()`.
extension Float {
  fileprivate var fixed16: Int16 {
    let rounded = min(max(self * 0x1p15, -0x1p15), 0x1p15 - 1) + 0x1.8p23
    return Int16(truncatingIfNeeded: rounded.bitPattern)
  }

  fileprivate func fixed32(bits: Int) -> Int32 {
    let limit: Double = bits == 24 ? 0x1p23 : 0x1p31
    let rounded = min(max(Double(self) * limit, -limit), limit - 1) + 0x1.8p52
    return Int32(truncatingIfNeeded: rounded.bitPattern)
  }
}
