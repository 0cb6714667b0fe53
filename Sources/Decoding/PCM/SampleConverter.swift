internal import AudioModel

/// Turns a stream's PCM samples into those that are played. To fewer bits: the rest is cut off; from floats: rounded to
/// the nearest, halves to even, and clipped, with 0 for NaN. Allocates nothing.
struct SampleConverter {
  private enum Source {
    /// `shift` brings the used bits to the top of 32, `flip` makes unsigned ones signed.
    case integers(shift: UInt32, flip: UInt32)
    case floats
  }

  /// Bytes of one sample of the stream.
  let byteCount: Int
  private let isBigEndian: Bool
  private let source: Source
  private let target: PCMFormat.SampleFormat
  /// True if both are the same.
  private let isCopy: Bool

  /// From samples of `stream` to `sampleFormat`, `nil` for what holds all their bits (of 64-bit floats: 32).
  init(_ stream: AudioStreamBasicDescription, to sampleFormat: PCMFormat.SampleFormat?) throws(DecoderError) {
    let flags = stream.formatFlags
    let isFloat = flags & AudioStreamBasicDescription.isFloat != 0
    let bits = stream.bitsPerChannel
    let (byteCount, rest) = stream.bytesPerFrame.quotientAndRemainder(dividingBy: max(1, stream.channelsPerFrame))
    guard rest == 0, (isFloat ? [4, 8] : [1, 2, 3, 4]).contains(byteCount),
      (isFloat ? byteCount * 8 : 1)...(byteCount * 8) ~= bits
    else { throw DecoderError(.formatNotSupported, "PCM of \(bits) bits in \(stream.bytesPerFrame) bytes a frame") }
    self.byteCount = byteCount
    isBigEndian = flags & AudioStreamBasicDescription.isBigEndian != 0
    target = sampleFormat ?? (isFloat ? .f32 : bits <= 16 ? .s16 : bits <= 24 ? .s24in32 : .s32)
    let isSigned = flags & AudioStreamBasicDescription.isSignedInteger != 0
    let isAtTop = flags & (AudioStreamBasicDescription.isPacked | AudioStreamBasicDescription.isAlignedHigh) != 0
    let unusedBits = 32 - (isAtTop ? byteCount * 8 : bits)
    source =
      isFloat ? .floats : .integers(shift: UInt32(truncatingIfNeeded: unusedBits), flip: isSigned ? 0 : 0x8000_0000)
    let fills = isFloat ? target == .f32 : isSigned && unusedBits == 32 - byteCount * 8 && target != .f32
    isCopy = fills && byteCount == target.byteCount && target != .s24in32 && isBigEndian == (Int(bigEndian: 1) == 1)
  }

  /// From one layout of decoded samples to another.
  init(_ source: PCMFormat.SampleFormat, to target: PCMFormat.SampleFormat) throws(DecoderError) {
    let bits =
      switch source {
      case .s16: 16
      case .s24in32: 24
      case .s32, .f32: 32
      }
    var flags = source == .f32 ? AudioStreamBasicDescription.isFloat : AudioStreamBasicDescription.isSignedInteger
    if Int(bigEndian: 1) == 1 { flags |= AudioStreamBasicDescription.isBigEndian }
    try self.init(
      AudioStreamBasicDescription(
        sampleRate: 1, formatID: .linearPCM, formatFlags: flags, bytesPerFrame: source.byteCount, channelsPerFrame: 1,
        bitsPerChannel: bits), to: target)
  }

  var sampleFormat: PCMFormat.SampleFormat { target }

  /// Converts `count` samples; both sides must hold them.
  func convert(_ samples: UnsafeRawPointer, count: Int, into output: UnsafeMutableRawPointer) {
    if isCopy { return output.copyMemory(from: samples, byteCount: count * byteCount) }
    // As much as Swift puts on the stack.
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { block in
      guard let block = block.baseAddress else { return }
      for start in stride(from: 0, to: count, by: 128) {
        let count = min(128, count - start)
        let samples = samples + start * byteCount
        let output = output + start * target.byteCount
        switch source {
        case .integers(let shift, let flip):
          let block = block.bindMemory(to: Int32.self, capacity: count)
          load(samples, count, shift: shift, flip: flip, into: block)
          store(block, count, into: output)
        case .floats where byteCount == 4 && target == .f32:
          // Bit by bit, only the other way round.
          let block = block.bindMemory(to: Int32.self, capacity: count)
          load(samples, UInt32.self, count, shift: 0, flip: 0, into: block)
          output.copyMemory(from: block, byteCount: count * 4)
        case .floats:
          let block = block.bindMemory(to: Double.self, capacity: count)
          load(samples, count, into: block)
          store(block, count, into: output)
        }
      }
    }
  }

  // MARK: Integers, by way of the upper bits of 32

  private func load(
    _ samples: UnsafeRawPointer, _ count: Int, shift: UInt32, flip: UInt32, into block: UnsafeMutablePointer<Int32>
  ) {
    switch byteCount {
    case 1: load(samples, UInt8.self, count, shift: shift, flip: flip, into: block)
    case 2: load(samples, UInt16.self, count, shift: shift, flip: flip, into: block)
    case 4: load(samples, UInt32.self, count, shift: shift, flip: flip, into: block)
    default:
      let (first, last) = isBigEndian ? (0, 2) : (2, 0)
      for index in 0..<count {
        let bytes = (samples + index &* 3).assumingMemoryBound(to: UInt8.self)
        let word = UInt32(bytes[first]) &<< 16 | UInt32(bytes[1]) &<< 8 | UInt32(bytes[last])
        block[index] = Int32(bitPattern: word &<< shift ^ flip)
      }
    }
  }

  @inline(__always)
  private func load<Word: FixedWidthInteger & UnsignedInteger>(
    _ samples: UnsafeRawPointer, _: Word.Type, _ count: Int, shift: UInt32, flip: UInt32,
    into block: UnsafeMutablePointer<Int32>
  ) {
    for index in 0..<count {
      let stored = samples.loadUnaligned(fromByteOffset: index &* MemoryLayout<Word>.size, as: Word.self)
      let word = UInt32(truncatingIfNeeded: isBigEndian ? Word(bigEndian: stored) : Word(littleEndian: stored))
      block[index] = Int32(bitPattern: word &<< shift ^ flip)
    }
  }

  private func store(_ block: UnsafePointer<Int32>, _ count: Int, into output: UnsafeMutableRawPointer) {
    switch target {
    case .s16: map(block, count, into: output) { Int16(truncatingIfNeeded: $0 &>> 16) }
    case .s24in32: map(block, count, into: output) { $0 &>> 8 }
    case .s32: output.copyMemory(from: block, byteCount: count * 4)
    case .f32: map(block, count, into: output) { Float($0) * 0x1p-31 }
    }
  }

  // MARK: Floats, by way of 64 bits

  private func load(_ samples: UnsafeRawPointer, _ count: Int, into block: UnsafeMutablePointer<Double>) {
    for index in 0..<count {
      if byteCount == 4 {
        let stored = samples.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
        block[index] = Double(
          Float(bitPattern: isBigEndian ? UInt32(bigEndian: stored) : UInt32(littleEndian: stored)))
      } else {
        let stored = samples.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
        block[index] = Double(bitPattern: isBigEndian ? UInt64(bigEndian: stored) : UInt64(littleEndian: stored))
      }
    }
  }

  private func store(_ block: UnsafePointer<Double>, _ count: Int, into output: UnsafeMutableRawPointer) {
    switch target {
    case .s16: map(block, count, into: output) { Int16(truncatingIfNeeded: rounded($0, fullScale: 0x1p15)) }
    case .s24in32: map(block, count, into: output) { rounded($0, fullScale: 0x1p23) }
    case .s32: map(block, count, into: output) { rounded($0, fullScale: 0x1p31) }
    case .f32: map(block, count, into: output) { Float($0) }
    }
  }

  @inline(__always)
  private func rounded(_ sample: Double, fullScale: Double) -> Int32 {
    let scaled = sample == sample ? sample * fullScale : 0
    let clipped = scaled < -fullScale ? -fullScale : scaled > fullScale - 1 ? fullScale - 1 : scaled
    // Added, this leaves no bits for a fraction: the sum is rounded, and its low bits are the number.
    return Int32(truncatingIfNeeded: (clipped + 0x1.8p52).bitPattern)
  }

  @inline(__always)
  private func map<Sample, Target>(
    _ block: UnsafePointer<Sample>, _ count: Int, into output: UnsafeMutableRawPointer, _ body: (Sample) -> Target
  ) {
    let output = output.assumingMemoryBound(to: Target.self)
    for index in 0..<count { output[index] = body(block[index]) }
  }
}
