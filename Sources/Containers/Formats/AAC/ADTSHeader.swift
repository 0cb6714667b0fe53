internal import AudioModel

/// The header before each raw data block of AAC in an ADTS stream (ISO/IEC 14496-3 1.A.2.2, 13818-7 6.2).
struct ADTSHeader: SelfDescribingFrameHeader {
  static let firstByte: UInt8 = 0xff
  static let lookahead = 7

  // AAAAAAAA AAAABCCD EEFFFFGH HHIJKLMM MMMMMMMM MMMOOOOO OOOOOOPP
  //   A sync word   B MPEG-2   C layer: 0   D no CRC   E profile   F sampling rate   G private   H channels
  //   I original   J home   K, L copyright   M bytes of the frame   O buffer fullness   P raw data blocks - 1
  private let bits: UInt64

  @inline(__always)
  init?(_ bytes: RawSpan, at index: Int) {
    bits = UInt64(bytes.bigEndian32(at: index)) << 24 | UInt64(bytes.bigEndian24(at: index + 4))
    guard bits >> 40 & 0xfff6 == 0xfff0, bits >> 34 & 15 < Self.sampleRateCount else { return nil }
    guard byteCount > strippedByteCount, Int(bits >> 30 & 7) < Self.channelCounts.count else { return nil }
  }

  /// Sync word, MPEG version, layer, profile, rate and channels: what all frames of a stream share.
  private static let streamMask: UInt64 = 0xfffe_fdc0_0000_00

  @inline(__always)
  func agrees(with other: ADTSHeader) -> Bool { (bits ^ other.bits) & Self.streamMask == 0 }

  @inline(__always)
  var byteCount: Int { Int(bits >> 13 & 0x1fff) }

  var maximumByteCount: Int { 0x1fff }

  @inline(__always)
  var strippedByteCount: Int { bits >> 40 & 1 == 1 ? 7 : 9 }

  @inline(__always)
  var frameCount: Int { 1024 * (Int(bits & 3) + 1) }

  var information: MediaInformation {
    let objectType = UInt32(bits >> 38 & 3) + 1
    // 0 channels: a program config element in the data says how many; two nearly always.
    let channelCount = Self.channelCounts[Int(bits >> 30 & 7)]
    let sampleRate = Double(AudioSpecificConfig.sampleRates[Int(bits >> 34 & 15)])
    let format = AudioStreamBasicDescription(
      sampleRate: sampleRate, formatID: .aac, formatFlags: objectType,
      framesPerPacket: frameCount, channelsPerFrame: channelCount)
    var information = MediaInformation()
    information.fileType = .adts
    information.dataFormat = format
    information.formatList = [format]
    return information
  }

  /// Entries of `AudioSpecificConfig.sampleRates`; a constant, because it is compared at every byte that is searched.
  private static let sampleRateCount: UInt64 = 13

  private static let channelCounts = [2, 1, 2, 3, 4, 5, 6, 8]
}
