// Samples as numbers in -1...1, and back.
extension PCMFormat.SampleFormat {
  /// Converts as many samples of `source` to floats as `target` has room for; 1 is full scale. Exact except for `s32`: a
  /// float keeps 24 bits.
  public func load(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<Float>) {
    let count = min(source.count / byteCount, target.count)
    switch self {
    case .s16:
      for index in 0..<count { target[index] = Float(source.sample(index, Int16.self)) / 0x1p15 }
    case .s24in32:
      for index in 0..<count { target[index] = Float((source.sample(index, Int32.self) << 8) >> 8) / 0x1p23 }
    case .s32:
      for index in 0..<count { target[index] = Float(source.sample(index, Int32.self)) / 0x1p31 }
    case .f32:
      UnsafeMutableRawBufferPointer(target).copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<(count * 4)]))
    }
  }

  /// Converts floats to samples, as many as `target` has room for. Integers are rounded to the nearest and clipped at full
  /// scale, NaN becomes 0; `f32` is stored unchanged.
  public func store(_ source: UnsafeBufferPointer<Float>, into target: UnsafeMutableRawBufferPointer) {
    let count = min(target.count / byteCount, source.count)
    switch self {
    case .s16:
      for index in 0..<count { target.setSample(index, Int16(clamping: Int32(rounding: source[index] * 0x1p15))) }
    case .s24in32:
      for index in 0..<count {
        target.setSample(index, min(max(Int32(rounding: source[index] * 0x1p23), -0x80_0000), 0x7F_FFFF))
      }
    case .s32:
      for index in 0..<count { target.setSample(index, Int32(rounding: source[index] * 0x1p31)) }
    case .f32:
      for index in 0..<count { target.setSample(index, source[index]) }
    }
  }
}

extension Int32 {
  /// The nearest integer, clamped to the range; 0 for NaN.
  fileprivate init(rounding value: Float) {
    if value < 0x1p31 {
      self = value < -0x1p31 ? .min : Int32(value.rounded(.toNearestOrEven))
    } else {
      self = value.isNaN ? 0 : .max
    }
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  fileprivate func sample<Sample: BitwiseCopyable>(_ index: Int, _ type: Sample.Type) -> Sample {
    loadUnaligned(fromByteOffset: index * MemoryLayout<Sample>.size, as: type)
  }
}

extension UnsafeMutableRawBufferPointer {
  @inline(__always)
  fileprivate func setSample<Sample: BitwiseCopyable>(_ index: Int, _ sample: Sample) {
    storeBytes(of: sample, toByteOffset: index * MemoryLayout<Sample>.size, as: Sample.self)
  }
}
