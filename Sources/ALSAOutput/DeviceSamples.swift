internal import AudioModel

/// The numbers that a device takes as samples, little-endian. Raw values: `snd_pcm_format_t`.
enum DeviceSamples: Int32 {
  case s16 = 2
  /// 24 bits in the low bytes of 32.
  case s24in32 = 6
  case s32 = 10
  case f32 = 14
  /// 24 bits in three bytes.
  case s24 = 32

  var byteCount: Int {
    switch self {
    case .s16: 2
    case .s24: 3
    case .s24in32, .s32, .f32: 4
    }
  }

  /// Bits of an integer; 0 for floats.
  var depth: Int {
    switch self {
    case .s16: 16
    case .s24in32, .s24: 24
    case .s32: 32
    case .f32: 0
    }
  }

  /// The same numbers as those of a format.
  init(of format: PCMFormat.SampleFormat) {
    self =
      switch format {
      case .s16: .s16
      case .s24in32: .s24in32
      case .s32: .s32
      case .f32: .f32
      }
  }

  /// All, best first: its own numbers, then wider ones, then narrower ones.
  static func choices(for format: PCMFormat.SampleFormat) -> [DeviceSamples] {
    let own = DeviceSamples(of: format)
    let (wider, narrower): ([DeviceSamples], [DeviceSamples]) =
      switch format {
      case .s16: ([.s32, .s24, .s24in32], [.f32])
      case .s24in32: ([.s24, .s32], [.f32, .s16])
      case .s32: ([], [.s24in32, .s24, .f32, .s16])
      case .f32: ([], [.s32, .s24in32, .s24, .s16])
      }
    return [own] + wider + narrower
  }

  /// True if every sample of a format has the same value here.
  func holds(_ format: PCMFormat.SampleFormat) -> Bool {
    let own = DeviceSamples(of: format)
    return self == own || own.depth > 0 && (self == .f32 ? own.depth <= 24 : depth >= own.depth)
  }
}

/// Turns frames of a format into those of a device: in its numbers, in its order of the channels, with a gain.
struct FrameConversion {
  let format: PCMFormat
  let samples: DeviceSamples
  /// The format's channel for each channel of the device.
  private let channels: [Int]

  init(_ format: PCMFormat, to samples: DeviceSamples) {
    (self.format, self.samples) = (format, samples)
    channels = Self.channels(speakers: format.speakers, count: format.channelCount)
  }

  var bytesPerFrame: Int { format.channelCount * samples.byteCount }

  /// True if the bytes stay as they are at a gain of 1.
  var isCopy: Bool { samples == DeviceSamples(of: format.sampleFormat) && channels.elementsEqual(channels.indices) }

  /// ALSA's order of more than two channels: front, rear, centre, bass, side (alsa/pcm.h, SNDRV_CHMAP_). Speakers at the
  /// sides are the rear ones of a set without those.
  static func channels(speakers: UInt32, count: Int) -> [Int] {
    let bits = (0..<32).filter { speakers >> UInt32($0) & 1 == 1 }
    guard bits.count == count, count > 2 else { return Array(0..<count) }
    let hasRear = bits.contains(4)
    func rank(_ bit: Int) -> Int {
      switch bit {
      case 0, 1: bit
      case 4, 5: bit
      case 9, 10: hasRear ? 30 + bit : bit - 3
      case 2, 3: 10 + bit
      default: 20 + bit
      }
    }
    return bits.indices.sorted { rank(bits[$0]) < rank(bits[$1]) }
  }

  /// Converts frames. Integers are exact at a gain of 1, where the device has as many bits; floats beyond -1...1 are
  /// limited. Allocates nothing.
  func convert(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, gain: Double
  ) {
    switch format.sampleFormat {
    case .s16:
      convert(source, into: target, gain, 0x1p-15) { Double($0.loadUnaligned(fromByteOffset: $1, as: Int16.self)) }
    case .s24in32:
      convert(source, into: target, gain, 0x1p-23) {
        Double(($0.loadUnaligned(fromByteOffset: $1, as: Int32.self) << 8) >> 8)
      }
    case .s32:
      convert(source, into: target, gain, 0x1p-31) { Double($0.loadUnaligned(fromByteOffset: $1, as: Int32.self)) }
    case .f32:
      convert(source, into: target, gain, 1) {
        let value = $0.loadUnaligned(fromByteOffset: $1, as: Float.self)
        // Infinity would be a click at full scale, and NaN at a gain of 0.
        return value.isFinite ? Double(value) : 0
      }
    }
  }

  @inline(__always)
  private func convert(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, _ gain: Double, _ unit: Double,
    _ load: (UnsafeRawBufferPointer, Int) -> Double
  ) {
    let (size, factor) = (format.sampleFormat.byteCount, gain * unit)
    var offset = 0
    for frame in stride(from: 0, to: source.count, by: format.bytesPerFrame) {
      for channel in channels {
        store(load(source, frame + channel * size) * factor, into: target, at: offset)
        offset += samples.byteCount
      }
    }
  }

  /// Stores a sample of -1...1.
  @inline(__always)
  private func store(_ value: Double, into target: UnsafeMutableRawBufferPointer, at offset: Int) {
    switch samples {
    case .f32: target.storeBytes(of: Float(value), toByteOffset: offset, as: Float.self)
    case .s16: target.storeBytes(of: Int16(limited(value, 0x1p15)), toByteOffset: offset, as: Int16.self)
    case .s24in32: target.storeBytes(of: Int32(limited(value, 0x1p23)), toByteOffset: offset, as: Int32.self)
    case .s32: target.storeBytes(of: Int32(limited(value, 0x1p31)), toByteOffset: offset, as: Int32.self)
    case .s24:
      let number = Int32(limited(value, 0x1p23))
      for byte in 0..<3 {
        target.storeBytes(
          of: UInt8(truncatingIfNeeded: number >> (8 * Int32(byte))), toByteOffset: offset + byte, as: UInt8.self)
      }
    }
  }

  @inline(__always)
  private func limited(_ value: Double, _ scale: Double) -> Double {
    max(-scale, min(scale - 1, (value * scale).rounded()))
  }
}
