internal import AudioModel

/// The speakers for a number of channels in FLAC, Vorbis and Opus: the same for all three, in different orders.
enum XiphChannels {
  /// The speakers as in `PCMFormat.channelMask`; 0 for one and two channels, and for more than 8.
  static func mask(_ channelCount: Int) -> UInt32 { channelCount > 2 ? PCMFormat.usualSpeakers(channelCount) : 0 }

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
