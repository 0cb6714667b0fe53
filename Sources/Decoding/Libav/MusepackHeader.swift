/// The stream header of Musepack, stream version 8 (SV8 specification, "SH": CRC, version, sample count, beginning
/// silence).
///
/// libavformat does not tell where the music begins and ends among the frames that are decoded. libmpcdec cuts there.
enum MusepackHeader {
  /// Enough for the header, which is the first packet.
  static let byteCount = 64

  /// The frames that are music, of those that are decoded: after the delay of the synthesis filter and the silence that
  /// was cut off. `nil`: the header is not there.
  static func music(_ bytes: [UInt8]) -> Range<Int64>? {
    guard bytes.starts(with: Array("MPCKSH".utf8)) else { return nil }
    var place = 6
    // The packet's size, the checksum, and the version.
    guard number(bytes, &place) != nil, place + 5 <= bytes.count, bytes[place + 4] == 8 else { return nil }
    place += 5
    guard let count = number(bytes, &place), let silence = number(bytes, &place),
      silence <= min(count, maximumSilence)
    else { return nil }
    // 0: not known.
    return (synthesisDelay + silence)..<(count == 0 ? .max : synthesisDelay + count)
  }

  private static let synthesisDelay: Int64 = 481
  /// The largest packet of audio: files are cut between packets. More would be decoded for nothing.
  private static let maximumSilence: Int64 = 1152 << 14

  /// A number in groups of seven bits, the highest first; a bit is set before each but the last.
  private static func number(_ bytes: [UInt8], _ place: inout Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<8 where place < bytes.count {
      let byte = bytes[place]
      place += 1
      value = value << 7 | Int64(byte & 0x7f)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}
