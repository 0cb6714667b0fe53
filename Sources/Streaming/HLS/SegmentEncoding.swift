/// The encoding of a segment's audio: segments with equal values can share a decoder. Pure.
enum SegmentEncoding: Hashable {
  /// Fragments of MPEG-4, with their header.
  case fragments(FragmentClock)
  /// Frames, with the part of their headers that does not change.
  case frames(UInt32)
  /// Fragments whose header has no audio track.
  case unknown

  // ADTS: sync word 12, version 1, layer 2: 0, CRC 1, profile 2, rate 4, private 1, channels 3, …
  private static let adts: UInt32 = 0xfffe_fdc0
  // MPEG audio: sync word 11, version 2, layer 2, CRC 1, bit rate 4, rate 2, padding 1, private 1, mode 2, …
  private static let mpeg: UInt32 = 0xfffe_0c00
  private static let channelMode: UInt32 = 0xc0

  /// Reads the first frame; `nil` if the bytes begin with none.
  init?(frames bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    let header = bytes.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard header >> 21 == 0x7ff else { return nil }
    if header & 0x0006_0000 == 0 {
      self = .frames(header & Self.adts)
    } else {
      // All modes but one have two channels.
      self = .frames(header & Self.mpeg | (header & Self.channelMode == Self.channelMode ? 1 : 0))
    }
  }
}
