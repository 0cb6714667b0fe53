internal import AudioModel

/// AAC with a header before each packet (ISO/IEC 14496-3 1.A.2.2).
final class ADTSLayout: PacketFileLayout {
  private let profile: Int
  private let rateIndex: Int
  private let channels: Int

  init?(_ information: MediaInformation) {
    guard let config = specificConfig(of: information), 1...4 ~= config.objectType,
      let rateIndex = AudioSpecificConfig.sampleRates.firstIndex(of: config.sampleRate),
      1...7 ~= config.channelConfiguration, config.frameCount == 1024
    else { return nil }
    (profile, self.rateIndex, channels) = (config.objectType - 1, rateIndex, config.channelConfiguration)
  }

  var header: [UInt8] { [] }

  func add(_ description: PacketDescription, byteCount: Int) -> [UInt8]? {
    let length = byteCount + 7
    guard length <= 0x1fff else { return nil }
    // 12 bits of sync word, MPEG-4, layer 0, no CRC; buffer fullness 0x7ff: the bit rate varies; one block.
    return [
      0xff, 0xf1, UInt8(profile << 6 | rateIndex << 2 | channels >> 2), UInt8((channels & 3) << 6 | length >> 11),
      UInt8(length >> 3 & 0xff), UInt8((length & 7) << 5 | 0x1f), 0xfc,
    ]
  }

  func completion(
    _ trim: AudioFilePacketTableInfo?, fileByteCount: Int64
  ) -> [(bytes: [UInt8], offset: Int64)] { [] }
}

/// The configuration of AAC: the cookie's, or one that the format alone says; `nil` if it is none.
func specificConfig(of information: MediaInformation) -> AudioSpecificConfig? {
  guard let format = information.dataFormat, [.aac, .aacHE, .aacHEv2].contains(format.formatID) else { return nil }
  if let cookie = information.magicCookie { return AudioSpecificConfig(cookie) }
  return Int(exactly: format.sampleRate).flatMap {
    AudioSpecificConfig(
      objectType: Int(format.formatFlags), sampleRate: $0, channelCount: format.channelsPerFrame, isShort: false)
  }
}
