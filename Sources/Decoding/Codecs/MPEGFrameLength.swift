internal import AudioModel

/// The length of an MPEG audio frame, as its header says (ISO/IEC 11172-3 2.4.2.3, ISO/IEC 13818-3 2.4.2.3).
enum MPEGFrameLength {
  /// Of the frame that begins `bytes`; `nil` if that is no header, or one of free format.
  static func byteCount(of bytes: RawSpan) -> Int? {
    // AAAAAAAA AAABBCCD EEEEFFGH   A sync word   B version (3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5)   C layer (3: I)
    //   D no CRC   E bit rate   F sampling rate   G padding
    guard bytes.byteCount >= 4 else { return nil }
    let (first, second) = (Int(byte(bytes, 1)), Int(byte(bytes, 2)))
    let (version, layer) = (first >> 3 & 3, 4 - (first & 6) / 2)
    let (rateIndex, padding) = (second >> 2 & 3, second >> 1 & 1)
    guard byte(bytes, 0) == 0xff, first >> 5 == 7, version != 1, layer < 4, rateIndex < 3 else { return nil }
    let bitRate = MPEGAudioTables.bitRate(version: version, layer: layer, index: second >> 4)
    guard bitRate > 0 else { return nil }
    let rate = MPEGAudioTables.sampleRate(version: version, index: rateIndex)
    if layer == 1 { return (12 * bitRate / rate + padding) * 4 }
    return (layer == 3 && version != 3 ? 72 : 144) * bitRate / rate + padding
  }

  /// Of a whole frame of free format, bytes without padding and header, as libmpg123 counts them; `nil` of any other.
  static func freeByteCount(of frame: RawSpan) -> Int? {
    guard frame.byteCount > 4, byte(frame, 0) == 0xff, byte(frame, 1) >> 5 == 7, byte(frame, 2) >> 4 == 0 else {
      return nil
    }
    let padding = byte(frame, 2) & 2 == 0 ? 0 : byte(frame, 1) & 6 == 6 ? 4 : 1
    return frame.byteCount - 4 - padding
  }

  private static func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8 {
    bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
