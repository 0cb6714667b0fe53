internal import AudioModel

/// The `fmt ` chunk (WAVEFORMAT, WAVEFORMATEX, WAVEFORMATEXTENSIBLE of mmreg.h):
///
///      0 format tag   2 channels   4 frames per second   8 bytes per second   12 bytes per block   14 bits per sample
///     16 bytes after this field   18 valid bits   20 speakers   24 GUID, which begins with the real format tag
struct WAVEFormat {
  enum Coding {
    /// In packets of one size.
    case constant(AudioStreamBasicDescription)
    /// As the bytes that a file of that type would have; that, in words.
    case stream(AudioFileTypeID, name: String)
  }

  let coding: Coding
  private(set) var magicCookie: [UInt8]?
  private(set) var channelMask: UInt32 = 0
  /// The place, for messages.
  let byteOffset: Int64

  init(_ bytes: RawSpan, _ order: ByteOrder, at byteOffset: Int64) throws(ContainerError) {
    guard bytes.byteCount >= 16 else {
      throw ContainerError(.invalidFile, at: byteOffset, "16 bytes or more of 'fmt ', not \(bytes.byteCount)")
    }
    self.byteOffset = byteOffset
    let fields = Fields(bytes, order)
    var bits = fields.bitsPerSample
    if fields.isExtensible {
      channelMask = Self.mask(bytes.unsigned32(at: 20, order), channelCount: fields.channelCount)
      let validBits = Int(bytes.unsigned16(at: 18, order))
      if validBits > 0, validBits < bits { bits = validBits }
    }
    coding = try Self.coding(fields, bits: bits, order, bytes, at: byteOffset)
    if fields.formatTag == 2, bytes.byteCount > 18 { magicCookie = bytes.copy(18..<bytes.byteCount) }
    if case .constant(let description) = coding { try description.check(at: byteOffset) }
  }

  /// The fields that all have.
  private struct Fields {
    let formatTag: UInt16
    let channelCount: Int
    let sampleRate: Double
    let bytesPerBlock: Int
    let bitsPerSample: Int
    let isExtensible: Bool

    init(_ bytes: RawSpan, _ order: ByteOrder) {
      let tag = bytes.unsigned16(at: 0, order)
      isExtensible = tag == 0xfffe && bytes.byteCount >= 40
      // A big-endian GUID begins with 32 bits; SoX writes 16, and the rest little-endian.
      let place = isExtensible && order == .big && bytes.unsigned16(at: 24, order) == 0 ? 26 : 24
      formatTag = isExtensible ? bytes.unsigned16(at: place, order) : tag
      channelCount = Int(bytes.unsigned16(at: 2, order))
      sampleRate = Double(bytes.unsigned32(at: 4, order))
      bytesPerBlock = Int(bytes.unsigned16(at: 12, order))
      bitsPerSample = Int(bytes.unsigned16(at: 14, order))
    }
  }

  private static func coding(
    _ fields: Fields, bits: Int, _ order: ByteOrder, _ bytes: RawSpan, at byteOffset: Int64
  ) throws(ContainerError) -> Coding {
    func packets(_ formatID: AudioFormatID, framesPerPacket: Int) -> Coding {
      .constant(
        AudioStreamBasicDescription(
          sampleRate: fields.sampleRate, formatID: formatID, bytesPerPacket: fields.bytesPerBlock,
          framesPerPacket: framesPerPacket, channelsPerFrame: fields.channelCount))
    }
    func linear(_ flags: UInt32) -> Coding {
      .constant(
        .linearPCM(
          sampleRate: fields.sampleRate, channelCount: fields.channelCount, bits: bits,
          bytesPerFrame: fields.bytesPerBlock,
          flags: flags | (order == .big ? AudioStreamBasicDescription.isBigEndian : 0)))
    }
    let channelCount = max(1, fields.channelCount)
    let perChannel = fields.bytesPerBlock / channelCount
    let declared = bytes.byteCount >= 20 ? Int(bytes.unsigned16(at: 18, order)) : 0
    switch fields.formatTag {
    // 8 bits and fewer are unsigned.
    case 1: return linear(perChannel > 1 ? AudioStreamBasicDescription.isSignedInteger : 0)
    case 3: return linear(AudioStreamBasicDescription.isFloat)
    case 6: return .constant(.companded(.aLaw, sampleRate: fields.sampleRate, channelCount: fields.channelCount))
    case 7: return .constant(.companded(.uLaw, sampleRate: fields.sampleRate, channelCount: fields.channelCount))
    // A block: 7 bytes of state for each channel, in which are 2 samples, then 4 bits for each.
    case 2 where order == .little:
      return packets(.microsoftADPCM, framesPerPacket: frames(declared, atMost: 2 * (perChannel - 7) + 2))
    // A block: 4 bytes of state for each channel, in which is 1 sample, then 4 bits for each.
    case 0x11 where order == .little && bits == 4:
      return packets(.dviIntelIMA, framesPerPacket: frames(declared, atMost: 2 * (perChannel - 4) + 1))
    case 0x50: return .stream(.mp2, name: "MPEG audio")
    case 0x55: return .stream(.mp3, name: "MPEG audio")
    case 0x1600: return .stream(.adts, name: "AAC")
    case 0x2000: return .stream(.ac3, name: "AC-3")
    default:
      let tag = String(fields.formatTag, radix: 16)
      let name = names[fields.formatTag].map { " (\($0))" } ?? ""
      throw ContainerError(.unsupportedDataFormat, at: byteOffset, "WAVE format tag 0x\(tag)\(name) is not supported")
    }
  }

  /// Frames of a block: as the header says, but not more than it can hold.
  private static func frames(_ declared: Int, atMost most: Int) -> Int { declared > 0 ? min(declared, most) : most }

  /// A speaker for each channel; 0 if there are too few, the first if there are too many.
  private static func mask(_ mask: UInt32, channelCount: Int) -> UInt32 {
    guard mask.nonzeroBitCount >= channelCount else { return 0 }
    var mask = mask
    while mask.nonzeroBitCount > channelCount { mask &= ~(1 << (31 - UInt32(mask.leadingZeroBitCount))) }
    return mask
  }

  /// Those that are met now and then and have no decoder here.
  private static let names: [UInt16: String] = [
    0x2: "big-endian Microsoft ADPCM", 0x11: "IMA ADPCM, big-endian or of other than 4 bits", 0x14: "G.723 ADPCM",
    0x16: "G.721 ADPCM", 0x22: "TrueSpeech",
    0x31: "GSM 6.10", 0x40: "G.721 ADPCM", 0x42: "G.723.1", 0x45: "G.726 ADPCM", 0x64: "G.726 ADPCM", 0xff: "AAC",
    0x160: "Windows Media Audio 1", 0x161: "Windows Media Audio 2", 0x162: "Windows Media Audio Professional",
    0x163: "Windows Media Audio Lossless", 0x270: "ATRAC3", 0x1610: "AAC", 0x2001: "DTS", 0x674f: "Vorbis",
    0x6750: "Vorbis", 0x6751: "Vorbis", 0x676f: "Vorbis", 0x6770: "Vorbis", 0x6771: "Vorbis", 0xf1ac: "FLAC",
  ]
}
