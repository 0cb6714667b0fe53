internal import AudioModel

/// The `COMM` chunk:
///
///     0 channels   2 frames   6 bits per sample   8 frames per second, 80-bit float   18 compression type (AIFF-C)
struct AIFFCommon {
  let format: AudioStreamBasicDescription
  /// Frames, or in QuickTime's files packets.
  let frameCount: Int64
  /// The place, for messages.
  let byteOffset: Int64

  init(_ bytes: RawSpan, isCompressed: Bool, at byteOffset: Int64) throws(ContainerError) {
    let byteCount = isCompressed ? 22 : 18
    guard bytes.byteCount >= byteCount else {
      throw ContainerError(.invalidFile, at: byteOffset, "\(byteCount) bytes or more of 'COMM', not \(bytes.byteCount)")
    }
    self.byteOffset = byteOffset
    frameCount = Int64(bytes.bigEndian32(at: 2))
    let compression = isCompressed ? FourCharCode(rawValue: bytes.bigEndian32(at: 18)) : FourCharCode("NONE")
    let format = Self.format(
      compression, sampleRate: Self.sampleRate(bytes), channelCount: Int(bytes.bigEndian16(at: 0)),
      bits: Int(bytes.bigEndian16(at: 6)))
    guard let format else {
      throw ContainerError(.unsupportedDataFormat, at: byteOffset, "AIFF-C of type '\(compression)' is not supported")
    }
    try format.check(at: byteOffset)
    self.format = format
  }

  private static func format(
    _ compression: FourCharCode, sampleRate: Double, channelCount: Int, bits: Int
  ) -> AudioStreamBasicDescription? {
    typealias Description = AudioStreamBasicDescription
    func linear(_ bits: Int, _ flags: UInt32) -> Description {
      .linearPCM(
        sampleRate: sampleRate, channelCount: channelCount, bits: bits,
        bytesPerFrame: (bits + 7) / 8 * channelCount, flags: flags)
    }
    let (signed, big) = (Description.isSignedInteger, Description.isBigEndian)
    switch compression {
    case FourCharCode("NONE"), FourCharCode("twos"): return linear(bits, signed | big)
    case FourCharCode("sowt"): return linear(bits, signed)
    case FourCharCode("raw "): return linear(bits, bits > 8 ? big : 0)
    case FourCharCode("in24"): return linear(24, signed | big)
    case FourCharCode("in32"): return linear(32, signed | big)
    case FourCharCode("42ni"): return linear(24, signed)
    case FourCharCode("23ni"): return linear(32, signed)
    case FourCharCode("fl32"), FourCharCode("FL32"): return linear(32, Description.isFloat | big)
    case FourCharCode("fl64"), FourCharCode("FL64"): return linear(64, Description.isFloat | big)
    case FourCharCode("alaw"), FourCharCode("ALAW"):
      return .companded(.aLaw, sampleRate: sampleRate, channelCount: channelCount)
    case FourCharCode("ulaw"), FourCharCode("ULAW"):
      return .companded(.uLaw, sampleRate: sampleRate, channelCount: channelCount)
    case FourCharCode("ima4"): return .appleIMA4(sampleRate: sampleRate, channelCount: channelCount)
    default: return nil
    }
  }

  /// IEEE 754 extended: sign and exponent in 16 bits, then 64 of the number with the first 1 written out.
  private static func sampleRate(_ bytes: RawSpan) -> Double {
    let exponent = Int(bytes.bigEndian16(at: 8)) - 16383 - 63
    return Double(sign: .plus, exponent: exponent, significand: Double(bytes.unsigned64(at: 10, .big)))
  }

  /// Bytes of audio: those that its chunk has, or fewer if this one says so; 0 frames were never filled in.
  func byteCount(of available: Int64) -> Int64 {
    guard frameCount > 0, format.framesPerPacket == 1 else { return available }
    return min(frameCount * Int64(format.bytesPerPacket), available)
  }
}
