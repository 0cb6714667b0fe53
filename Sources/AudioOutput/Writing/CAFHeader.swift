internal import AudioModel

/// The chunks of a CAF file around its audio ("Apple Core Audio Format Specification 1.0").
enum CAFHeader {
  /// The file header, `desc`, and `chan` where the speakers are known. `formatFlags` are CAF's own.
  static func start(_ format: AudioStreamBasicDescription, speakers: UInt32) -> [UInt8] {
    var bytes: [UInt8] = Array("caff".utf8)
    bytes.append(big: UInt16(1))
    bytes.append(big: UInt16(0))
    bytes += head("desc", 32)
    bytes.append(big: format.sampleRate.bitPattern)
    bytes.append(big: format.formatID.code.rawValue)
    bytes.append(big: format.formatFlags)
    for number in [format.bytesPerPacket, format.framesPerPacket, format.channelsPerFrame, format.bitsPerChannel] {
      bytes.append(big: UInt32(clamping: number))
    }
    if speakers != 0 {
      bytes += head("chan", 12)
      // kCAFChannelLayoutTag_UseChannelBitmap: the bits are those of WAVE.
      for number in [0x1_0000, speakers, 0] { bytes.append(big: number) }
    }
    return bytes
  }

  /// The head of the `data` chunk with its edit count; `nil`: to the end of the file.
  static func data(byteCount: Int64?) -> [UInt8] { head("data", byteCount.map { $0 + 4 } ?? -1) + [0, 0, 0, 0] }

  static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] { head(name, Int64(content.count)) + content }

  private static func head(_ name: String, _ byteCount: Int64) -> [UInt8] {
    var bytes: [UInt8] = Array(name.utf8)
    bytes.append(big: byteCount)
    return bytes
  }
}
