internal import AudioModel

/// The beginning of a frame of AC-3 or E-AC-3 (ETSI TS 102 366, 4.3 and E.1.2).
struct AC3Header: SelfDescribingFrameHeader {
  static let firstByte: UInt8 = 0x0b
  static let lookahead = 8

  let byteCount: Int
  let frameCount: Int
  private let isEnhanced: Bool
  private let sampleRate: Int
  private let channelCount: Int
  private let channelMask: UInt32

  var strippedByteCount: Int { 0 }
  var maximumByteCount: Int { isEnhanced ? 4096 : 3840 }

  @inline(__always)
  init?(_ bytes: RawSpan, at index: Int) {
    guard bytes.bigEndian16(at: index) == 0x0b77 else { return nil }
    let version = bytes[index + 5] >> 3
    guard version <= 16 else { return nil }
    isEnhanced = version > 10
    if isEnhanced {
      // 2 bits of kind, 3 of substream, 11 of size; 2 of rate, 2 of blocks, 3 of mode, 1 of LFE.
      let (first, second) = (Int(bytes.bigEndian16(at: index + 2)), bytes[index + 4])
      let kind = first >> 14
      let rate = Int(second >> 6)
      let reducedRate = Int(second >> 4 & 3)
      guard kind != 3, rate < 3 || reducedRate < 3 else { return nil }
      byteCount = ((first & 0x7ff) + 1) * 2
      sampleRate = rate < 3 ? Self.sampleRates[rate] : Self.sampleRates[reducedRate] / 2
      // Frames of another substream accompany those of the first: they contain more channels, or another program.
      let isFirst = kind != 1 && first >> 11 & 7 == 0
      frameCount = isFirst ? (rate < 3 ? [256, 512, 768, 1536][reducedRate] : 1536) : 0
      (channelCount, channelMask) = Self.channels(mode: Int(second >> 1 & 7), hasLFE: second & 1 == 1)
      guard byteCount >= Self.lookahead else { return nil }
    } else {
      let (rate, size) = (Int(bytes[index + 4] >> 6), Int(bytes[index + 4] & 0x3f))
      guard rate < 3, size < 38 else { return nil }
      let kilobits = Self.kilobits[size / 2]
      // 16-bit words: 1536 frames of so many bits, and at 44.1 kHz one more for odd sizes.
      byteCount = 2 * (rate == 1 ? kilobits * 96000 / 44100 + size % 2 : kilobits * 96000 / Self.sampleRates[rate])
      sampleRate = Self.sampleRates[rate] >> max(0, Int(version) - 8)
      frameCount = 1536
      let mode = Int(bytes[index + 6] >> 5)
      // After the mode: centre level if there is a centre and more, surround level, Dolby Surround for stereo.
      let skipped = (mode & 1 != 0 && mode != 1 ? 2 : 0) + (mode & 4 != 0 ? 2 : 0) + (mode == 2 ? 2 : 0)
      let hasLFE = bytes.bigEndian16(at: index + 6) >> UInt16(12 - skipped) & 1 == 1
      (channelCount, channelMask) = Self.channels(mode: mode, hasLFE: hasLFE)
    }
  }

  /// A substream's frames may have other channels: rate and kind tell.
  @inline(__always)
  func agrees(with other: AC3Header) -> Bool { isEnhanced == other.isEnhanced && sampleRate == other.sampleRate }

  var information: MediaInformation {
    let format = AudioStreamBasicDescription(
      sampleRate: Double(sampleRate), formatID: isEnhanced ? .enhancedAC3 : .ac3,
      framesPerPacket: frameCount > 0 ? frameCount : 1536, channelsPerFrame: channelCount)
    var information = MediaInformation()
    information.fileType = .ac3
    information.dataFormat = format
    information.formatList = [format]
    information.channelMask = channelMask
    return information
  }

  static let sampleRates = [48000, 44100, 32000]
  private static let kilobits = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]

  /// `acmod`: how many channels, and which speakers they are for as WAVE has it.
  static func channels(mode: Int, hasLFE: Bool) -> (count: Int, mask: UInt32) {
    // 1+1, C, L R, L C R, L R S, L C R S, L R SL SR, L C R SL SR
    let (count, mask): (Int, UInt32) = [
      (2, 0x3), (1, 0x4), (2, 0x3), (3, 0x7), (3, 0x103), (4, 0x107), (4, 0x603), (5, 0x607),
    ][mode]
    return hasLFE ? (count + 1, mask | 0x8) : (count, mask)
  }
}
