/// The bytes of earlier packets that a layer III packet may refer to: its bits may begin up to 511 bytes before it
/// (`main_data_begin`, ISO/IEC 11172-3 2.4.2.7, ISO/IEC 13818-3 2.4.2.7).
///
/// libmpg123 keeps such a count too, but takes a packet's own bytes for earlier ones: it decodes noise after a cut, and
/// may then fail and leave its synthesis window where it was, so that later samples differ in the last bit.
struct BitReservoir {
  private var byteCount = 0

  /// Empty, as after a reset or a gap.
  init() {}

  /// Counts `packet` in. If it refers to bytes that are not there, gives what to write over its side information to
  /// make it a silent packet that hands on the available bytes: zeros after these first two bytes.
  mutating func muting(_ packet: RawSpan) -> (sideInformation: Range<Int>, start: (UInt8, UInt8))? {
    // AAAAAAAA AAABBCCD ...... IIxxxxxx   B version (3: MPEG-1)   C layer (1: III)   D no CRC   I mode (3: mono)
    guard packet.byteCount > 8, packet.byte(at: 1) >> 1 & 3 == 1 else { return nil }
    let isMPEG1 = packet.byte(at: 1) >> 3 & 3 == 3
    let isMono = packet.byte(at: 3) >> 6 == 3
    let start = packet.byte(at: 1) & 1 == 0 ? 6 : 4
    let range = start..<(start + (isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)))
    guard range.upperBound <= packet.byteCount else { return nil }
    // main_data_begin is the first 9 bits, 8 in MPEG-2.
    let shift = isMPEG1 ? 7 : 8
    let available = byteCount
    byteCount = min(available + packet.byteCount - range.upperBound, isMPEG1 ? 511 : 255)
    guard (Int(packet.byte(at: start)) << 8 | Int(packet.byte(at: start + 1))) >> shift > available else { return nil }
    let bits = UInt16(available << shift)
    return (range, (UInt8(bits >> 8), UInt8(bits & 0xff)))
  }
}

extension RawSpan {
  /// The byte at an offset, which must be within.
  @inline(__always)
  fileprivate func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
