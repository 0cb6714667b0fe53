internal import AudioModel

/// The four bytes before each MPEG audio frame, which is a packet here (ISO/IEC 11172-3 §2.4.1.3, 13818-3 §2.4.2.3).
struct MPEGFrameHeader: Hashable, Sendable, SyncFrameHeader {
  static let firstByte: UInt8 = 0xff
  static let lookahead = 4

  // AAAAAAAA AAABBCCD EEEEFFGH IIJJKLMM
  //   A sync word (11 bits, so that MPEG-2.5 fits)   B version   C layer   D no CRC   E bit rate   F sampling rate
  //   G padding   H private   I channel mode   J mode extension   K copyright   L original   M emphasis
  let bits: UInt32
  /// Bytes of a frame of free format without padding; 0 if the header states the bit rate.
  private(set) var freeByteCount: Int32 = 0

  /// A header that was checked before.
  init(trusted bits: UInt32) { self.bits = bits }

  /// The bit rate index that says nothing.
  private static let freeFormat: UInt32 = 0

  /// A frame of known size: sync word, and neither a reserved value nor free format.
  @inline(__always)
  init?(bits: UInt32) {
    self.bits = bits
    guard bits & 0xffe0_0000 == 0xffe0_0000, bits >> 19 & 3 != 1, bits >> 17 & 3 != 0, bits >> 10 & 3 != 3 else {
      return nil
    }
    let bitRateIndex = bits >> 12 & 15
    guard bitRateIndex != Self.freeFormat, bitRateIndex != 15 else { return nil }
  }

  /// A frame of free format of that many bytes, padding included; `nil` if `bits` are not such a header.
  @inline(__always)
  init?(free bits: UInt32, byteCount: Int) {
    guard Self.isFreeFormat(bits) else { return nil }
    self.bits = bits
    freeByteCount = Int32(truncatingIfNeeded: byteCount - paddingByteCount)
  }

  /// A header in a stream with `reference` as another header.
  @inline(__always)
  static func read(_ bytes: RawSpan, at index: Int, like reference: MPEGFrameHeader) -> MPEGFrameHeader? {
    guard reference.freeByteCount > 0 else { return MPEGFrameHeader(bytes, at: index) }
    guard isFreeFormat(bytes.bigEndian32(at: index)) else { return nil }
    var header = MPEGFrameHeader(trusted: bytes.bigEndian32(at: index))
    header.freeByteCount = reference.freeByteCount
    return header
  }

  @inline(__always)
  init?(_ bytes: RawSpan, at index: Int) { self.init(bits: bytes.bigEndian32(at: index)) }

  /// Version, layer and sampling rate, which all packets of a stream share.
  private static let streamMask: UInt32 = 0xfffe_0c00

  /// True if both can belong to one stream.
  @inline(__always)
  func agrees(with other: MPEGFrameHeader) -> Bool {
    (bits ^ other.bits) & Self.streamMask == 0 && freeByteCount == other.freeByteCount
  }

  /// Layer I without CRC begins with 16 ones and may be as short as 32 bytes: half of all programs have chains of
  /// those.
  var isRareInNoise: Bool { layer != 1 }

  /// True if this is a header of a packet whose size only searching for the next one tells.
  static func isFreeFormat(_ bits: UInt32) -> Bool {
    bits >> 12 & 15 == freeFormat && MPEGFrameHeader(bits: bits | 0x1000) != nil
  }

  /// MPEG-1, not 2 or 2.5.
  @inline(__always)
  var isMPEG1: Bool { version == 3 }

  /// 1, 2 or 3.
  @inline(__always)
  var layer: Int { 4 - Int(bits >> 17 & 3) }

  /// Two bytes of CRC follow the header.
  @inline(__always)
  var hasCRC: Bool { bits >> 16 & 1 == 0 }

  @inline(__always)
  var channelCount: Int { bits >> 6 & 3 == 3 ? 1 : 2 }

  private var version: Int { Int(bits >> 19 & 3) }

  /// Frames per second.
  @inline(__always)
  var sampleRate: Int { MPEGAudioTables.sampleRate(version: version, index: Int(bits >> 10 & 3)) }

  /// Bits per second.
  @inline(__always)
  var bitRate: Int {
    if freeByteCount > 0 { return (8 * Int(freeByteCount) * sampleRate + frameCount / 2) / frameCount }
    return MPEGAudioTables.bitRate(version: version, layer: layer, index: Int(bits >> 12 & 15))
  }

  /// PCM frames in the packet.
  @inline(__always)
  var frameCount: Int { layer == 1 ? 384 : layer == 3 && !isMPEG1 ? 576 : 1152 }

  /// Bytes of the packet, header included (ISO/IEC 11172-3 §2.4.3.1).
  @inline(__always)
  var byteCount: Int {
    if freeByteCount > 0 { return Int(freeByteCount) + paddingByteCount }
    return Self.byteCount(bitRate, sampleRate, frameCount, padding: Int(bits >> 9 & 1), layer: layer)
  }

  private var paddingByteCount: Int { bits >> 9 & 1 == 0 ? 0 : layer == 1 ? 4 : 1 }

  /// The largest packet of this version and layer at any rate, in bytes: 1441 for layer III.
  var maximumByteCount: Int {
    let slowest = MPEGAudioTables.sampleRate(version: version, index: 2)
    let most = MPEGAudioTables.bitRate(version: version, layer: layer, index: 14)
    return max(Int(freeByteCount) + 4, Self.byteCount(most, slowest, frameCount, padding: 1, layer: layer))
  }

  @inline(__always)
  private static func byteCount(_ bitRate: Int, _ rate: Int, _ frames: Int, padding: Int, layer: Int) -> Int {
    layer == 1 ? (12 * bitRate / rate + padding) * 4 : frames / 8 * bitRate / rate + padding
  }

  /// Bytes of layer III side information (ISO/IEC 11172-3 §2.4.1.7).
  @inline(__always)
  var sideInformationByteCount: Int {
    isMPEG1 ? (channelCount == 1 ? 17 : 32) : channelCount == 1 ? 9 : 17
  }

  /// Of layer III: bytes of the packets before this one that it needs, and bytes of it that later ones may need.
  /// `bytes` are at least its first 8.
  @inline(__always)
  func mainData(of bytes: RawSpan) -> (reservoirByteCount: Int, mainDataByteCount: Int) {
    // ISO/IEC 11172-3 §2.4.1.7: main_data_begin, 9 bits; 13818-3 §2.4.1.7: 8 bits.
    let sideInformation = hasCRC ? 6 : 4
    let start = Int(bytes.bigEndian16(at: sideInformation))
    return (isMPEG1 ? start >> 7 : start >> 8, max(0, byteCount - sideInformation - sideInformationByteCount))
  }

  var formatID: AudioFormatID { [.mpegLayer1, .mpegLayer2, .mpegLayer3][layer - 1] }

  var fileType: AudioFileTypeID { [.mp1, .mp2, .mp3][layer - 1] }
}
