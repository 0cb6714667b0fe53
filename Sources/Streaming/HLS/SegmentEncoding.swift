/// The encoding of a segment's sound, as far as a change of it takes another decoder. Pure.
enum SegmentEncoding: Hashable {
  /// In fragments of MPEG-4, as their header says.
  case fragments(FragmentClock)
  /// In frames, as the headers of all of them say.
  case frames(UInt32)
  /// In fragments whose header says nothing of sound.
  case unknown

  // ADTS: sync word 12, version 1, layer 2: 0, CRC 1, profile 2, rate 4, private 1, channels 3, …
  private static let adts: UInt32 = 0xfffe_fdc0
  // MPEG audio: sync word 11, version 2, layer 2, CRC 1, bit rate 4, rate 2, padding 1, private 1, mode 2, …
  private static let mpeg: UInt32 = 0xfffe_0c00
  private static let channelMode: UInt32 = 0xc0

  /// By the first of the frames; `nil` if none begins there.
  init?(frames bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    let header = bytes.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard header >> 21 == 0x7ff else { return nil }
    if header & 0x0006_0000 == 0 {
      self = .frames(header & Self.adts)
    } else {
      // All modes but one are of two channels.
      self = .frames(header & Self.mpeg | (header & Self.channelMode == Self.channelMode ? 1 : 0))
    }
  }
}
