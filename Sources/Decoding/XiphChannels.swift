/// How many channels mean which speakers in FLAC, Vorbis and Opus: the same for all three, in different orders.
enum XiphChannels {
  /// The speakers as in `PCMFormat.channelMask`; 0 for one and two channels, and for more than 8 (RFC 9639 9.1.3,
  /// Vorbis I 4.3.9).
  static func mask(_ channelCount: Int) -> UInt32 {
    switch channelCount {
    case 3: 0x7  // Left, right, centre.
    case 4: 0x33  // Left, right, back left, back right.
    case 5: 0x37  // Left, right, centre, back left, back right.
    case 6: 0x3f  // The same with LFE.
    case 7: 0x70f  // Left, right, centre, LFE, back centre, side left, side right.
    case 8: 0x63f  // Left, right, centre, LFE, back left, back right, side left, side right.
    default: 0
    }
  }

  /// For each channel in WAVE's order, which is FLAC's, where it stands in Vorbis' (Vorbis I 4.3.9).
  static func vorbisOrder(_ channelCount: Int) -> [Int] {
    switch channelCount {
    case 3: [0, 2, 1]
    case 5: [0, 2, 1, 3, 4]
    case 6: [0, 2, 1, 5, 3, 4]
    case 7: [0, 2, 1, 6, 5, 3, 4]
    case 8: [0, 2, 1, 7, 5, 6, 3, 4]
    default: Array(0..<channelCount)
    }
  }
}
