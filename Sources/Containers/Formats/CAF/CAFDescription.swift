internal import AudioModel

/// The `desc` chunk: the fields of an AudioStreamBasicDescription in an order of its own.
///
///     0 frames per second, f64   8 format   12 flags   16 bytes per packet   20 frames per packet   24 channels   28 bits
struct CAFDescription {
  let format: AudioStreamBasicDescription
  /// The place, for messages.
  let byteOffset: Int64

  /// Packets differ: a table must say how.
  var needsTable: Bool {
    format.formatID != .linearPCM && (format.bytesPerPacket == 0 || format.framesPerPacket == 0)
  }

  /// Formats that cannot be decoded without.
  var needsCookie: Bool { [.aac, .aacHE, .aacHEv2, .appleLossless].contains(format.formatID) }

  init(_ bytes: RawSpan, at byteOffset: Int64) throws(ContainerError) {
    guard bytes.byteCount >= 32 else {
      throw ContainerError(.invalidFile, at: byteOffset, "32 bytes of 'desc', not \(bytes.byteCount)")
    }
    self.byteOffset = byteOffset
    var format = AudioStreamBasicDescription(
      sampleRate: Double(bitPattern: bytes.unsigned64(at: 0, .big)),
      formatID: AudioFormatID(FourCharCode(rawValue: bytes.bigEndian32(at: 8))),
      formatFlags: bytes.bigEndian32(at: 12), bytesPerPacket: Int(bytes.bigEndian32(at: 16)),
      framesPerPacket: Int(bytes.bigEndian32(at: 20)), channelsPerFrame: Int(bytes.bigEndian32(at: 24)))
    guard CarriedCodec.isInCAF(format.formatID) else {
      throw ContainerError(.unsupportedDataFormat, at: byteOffset + 8, "CAF of '\(format.formatID)' is not supported")
    }
    try format.check(at: byteOffset)
    let isOpusRate = [8000, 12000, 16000, 24000, 48000].contains(format.sampleRate)
    guard format.formatID != .opus || isOpusRate else {
      throw ContainerError(.invalidFile, at: byteOffset, "Opus at \(format.sampleRate) Hz")
    }
    switch format.formatID {
    case .linearPCM: format = Self.linearPCM(format, bits: Int(bytes.bigEndian32(at: 28)))
    case .aLaw, .uLaw:
      format = .companded(format.formatID, sampleRate: format.sampleRate, channelCount: format.channelsPerFrame)
    default: break
    }
    self.format = format
  }

  /// CAF has flags of its own: 1 for floats, 2 for little-endian.
  private static func linearPCM(_ format: AudioStreamBasicDescription, bits: Int) -> AudioStreamBasicDescription {
    var flags =
      format.formatFlags & 1 != 0
      ? AudioStreamBasicDescription.isFloat
      : AudioStreamBasicDescription.isSignedInteger
    if format.formatFlags & 2 == 0 { flags |= AudioStreamBasicDescription.isBigEndian }
    var linear = AudioStreamBasicDescription.linearPCM(
      sampleRate: format.sampleRate, channelCount: format.channelsPerFrame, bits: bits,
      bytesPerFrame: format.bytesPerPacket, flags: flags)
    linear.framesPerPacket = format.framesPerPacket
    return linear
  }
}
