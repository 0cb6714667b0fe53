internal import AudioModel

/// Volume, its ramp, and pan: factors for samples. Bit-exact while neutral.
struct GainStage {
  /// The volume as set; its effect is limited to 0...1.
  private(set) var volume: Float = 1
  /// The duration in seconds of the next change of volume.
  var rampSeconds = 0.0
  /// The pan as set; its effect is limited to -1 (left) to 1 (right).
  var pan: Float = 0 { didSet { channelGains = format.channelGains(balance: pan) } }

  private let format: PCMFormat
  private var channelGains: [Float] = []
  private var ramp = Ramp(start: 0, frameCount: 0, from: 1, to: 1)

  private struct Ramp {
    /// A frame of the device.
    var start: Int64
    var frameCount: Int64
    var from, to: Float

    func gain(at frame: Int64) -> Float {
      let passed = min(max(0, frame - start), frameCount)
      return passed == frameCount ? to : from + (to - from) * Float(passed) / Float(frameCount)
    }
  }

  init(format: PCMFormat) { self.format = format }

  /// Changes the volume from a frame of the device on, linearly from its value there.
  mutating func setVolume(_ value: Float, atDeviceFrame frame: Int64) {
    volume = value
    let seconds = rampSeconds.isNaN ? 0 : max(0, min(rampSeconds, 3600))
    // NaN has the effect of 1: samples stay unchanged.
    let target = value.isNaN ? 1 : max(0, min(1, value))
    ramp = Ramp(
      start: frame, frameCount: Int64(seconds * Double(format.sampleRate)), from: ramp.gain(at: frame), to: target)
  }

  /// Scales samples in place. The first one belongs to that frame of the device.
  func apply(to bytes: UnsafeMutableRawBufferPointer, atDeviceFrame first: Int64) {
    let frameCount = bytes.count / format.bytesPerFrame
    var frame = 0
    while frame < frameCount, ramp.gain(at: first + Int64(frame)) != ramp.to {
      let part = frame * format.bytesPerFrame..<(frame + 1) * format.bytesPerFrame
      scale(.init(rebasing: bytes[part]), by: ramp.gain(at: first + Int64(frame)))
      frame += 1
    }
    guard frame < frameCount, ramp.to != 1 || !channelGains.isEmpty else { return }
    scale(.init(rebasing: bytes[(frame * format.bytesPerFrame)...]), by: ramp.to)
  }

  private func scale(_ bytes: UnsafeMutableRawBufferPointer, by gain: Float) {
    if channelGains.isEmpty { return scaleSamples(bytes, by: gain, from: 0, step: 1) }
    for (channel, factor) in channelGains.enumerated() where factor != 1 || gain != 1 {
      scaleSamples(bytes, by: gain * factor, from: channel, step: format.channelCount)
    }
  }

  private func scaleSamples(_ bytes: UnsafeMutableRawBufferPointer, by gain: Float, from first: Int, step: Int) {
    switch format.sampleFormat {
    case .s16: replace(Int16.self, bytes, first, step) { Int16((Float($0) * gain).rounded()) }
    case .s24in32: replace(Int32.self, bytes, first, step) { Int32((Float(($0 << 8) >> 8) * gain).rounded()) }
    case .s32: replace(Int32.self, bytes, first, step) { Int32((Double($0) * Double(gain)).rounded()) }
    case .f32: replace(Float.self, bytes, first, step) { $0 * gain }
    }
  }
}

@inline(__always)
private func replace<Sample: BitwiseCopyable>(
  _ type: Sample.Type, _ bytes: UnsafeMutableRawBufferPointer, _ first: Int, _ step: Int, _ body: (Sample) -> Sample
) {
  let size = MemoryLayout<Sample>.size
  for offset in stride(from: first * size, to: bytes.count, by: step * size) {
    bytes.storeBytes(of: body(bytes.loadUnaligned(fromByteOffset: offset, as: type)), toByteOffset: offset, as: type)
  }
}
