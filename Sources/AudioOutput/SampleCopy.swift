internal import AudioModel

/// Copies interleaved samples, multiplied with `gain` as far as it lies within 0...1. A gain of 1 copies the bits.
///
/// `target` is at least as long as `source`; both hold whole samples and are aligned for them.
func copy(
  _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, as format: PCMFormat.SampleFormat,
  gain: Float
) {
  guard gain < 1 else { return target.copyMemory(from: source) }
  let gain = max(0, gain)
  switch format {
  case .s16: scale(Int16.self, source, target) { Int16((Float($0) * gain).rounded()) }
  case .s24in32: scale(Int32.self, source, target) { Int32((Float(($0 << 8) >> 8) * gain).rounded()) }
  case .s32: scale(Int32.self, source, target) { Int32((Double($0) * Double(gain)).rounded()) }
  case .f32: scale(Float.self, source, target) { $0 * gain }
  }
}

@inline(__always)
private func scale<Sample: BitwiseCopyable>(
  _ type: Sample.Type, _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer,
  _ body: (Sample) -> Sample
) {
  for offset in stride(from: 0, to: source.count, by: MemoryLayout<Sample>.size) {
    target.storeBytes(of: body(source.loadUnaligned(fromByteOffset: offset, as: type)), toByteOffset: offset, as: type)
  }
}
