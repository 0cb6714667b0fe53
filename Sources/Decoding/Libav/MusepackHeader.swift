/// The stream header of Musepack: of stream version 8 (SV8 specification, "SH": CRC, version, sample count, beginning
/// silence), and of version 7 ("MP+", version u8, number of frames u32, then bits in words of 32, little-endian).
///
/// libavformat does not tell where the music begins and ends among the frames that are decoded. libmpcdec cuts there.
enum MusepackHeader {
  /// Enough for the header, which is the first packet.
  static let byteCount = 64

  /// The frames that are music, of those that are decoded: after the delay of the synthesis filter and the silence that
  /// was cut off. `nil`: the header is not there.
  static func music(_ bytes: [UInt8]) -> Range<Int64>? {
    isVersion7(bytes) ? music7(bytes) : music8(bytes)
  }

  private static func music8(_ bytes: [UInt8]) -> Range<Int64>? {
    guard bytes.starts(with: Array("MPCKSH".utf8)) else { return nil }
    var offset = 6
    // The packet's size, the checksum, and the version.
    guard number(bytes, &offset) != nil, offset + 5 <= bytes.count, bytes[offset + 4] == 8 else { return nil }
    offset += 5
    guard let count = number(bytes, &offset), let silence = number(bytes, &offset),
      silence <= min(count, maximumSilence)
    else { return nil }
    // 0: not known.
    return (synthesisDelay + silence)..<(count == 0 ? .max : synthesisDelay + count)
  }

  private static let synthesisDelay: Int64 = 481
  /// The largest packet of audio: files are cut between packets. More would be decoded for nothing.
  private static let maximumSilence: Int64 = 1152 << 14

  /// A number in groups of seven bits, the highest first; a bit is set before each but the last.
  private static func number(_ bytes: [UInt8], _ offset: inout Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<8 where offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      value = value << 7 | Int64(byte & 0x7f)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }

  // MARK: Version 7

  private static func isVersion7(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 28 && bytes.starts(with: Array("MP+".utf8)) && bytes[3] & 0x0f == 7
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The sixth word: whether the last frame's length is known, 1 bit; that length, 11 bits. Without it the music ends with
  /// the last frame that is decoded.
  private static func music7(_ bytes: [UInt8]) -> Range<Int64>? {
    let (frames, word) = (Int64(Self.word(bytes, at: 4)), Self.word(bytes, at: 20))
    guard frames > 0 else { return nil }
    let (isKnown, last) = (word >> 31 == 1, Int64(word >> 20 & 0x7ff))
    guard isKnown, 1...1152 ~= last else { return synthesisDelay..<max(synthesisDelay, frames * 1152) }
    return synthesisDelay..<(synthesisDelay + (frames - 1) * 1152 + last)
  }

  /// The number of bands beside the lowest that frames of version 7 may have; `nil` for another version.
  static func bandCount(_ bytes: [UInt8]) -> Int? {
    // The third word: intensity stereo 1 bit, middle and side 1 bit, the highest band 6 bits.
    isVersion7(bytes) ? Int(word(bytes, at: 8) >> 24 & 0x3f) : nil
  }
}
