/// The layout of decoded audio: interleaved samples in the machine's byte order.
public struct PCMFormat: Hashable, Sendable, CustomStringConvertible {
  /// The numbers that samples are.
  public enum SampleFormat: Hashable, Sendable, CustomStringConvertible {
    /// 16-bit signed integers.
    case s16
    /// 24-bit signed integers in the low bytes of 32.
    case s24in32
    /// 32-bit signed integers.
    case s32
    /// 32-bit floats in -1...1.
    case f32

    /// Bytes of one sample.
    public var byteCount: Int { self == .s16 ? 2 : 4 }

    /// The number of bits, or "float".
    public var description: String {
      switch self {
      case .s16: "16-bit"
      case .s24in32: "24-bit"
      case .s32: "32-bit"
      case .f32: "float"
      }
    }
  }

  /// Frames per second, more than 0.
  public var sampleRate: Int
  /// Samples in a frame, at least 1.
  public var channelCount: Int
  /// The type of each sample.
  public var sampleFormat: SampleFormat
  /// The speakers of the channels, one bit each, in the order of the channels (`dwChannelMask` of WAVE; also the order
  /// of SMPTE: left, right, centre, LFE...). 0 for the default of that number of channels.
  public var channelMask: UInt32

  /// A layout of these values, which are not checked.
  public init(sampleRate: Int, channelCount: Int, sampleFormat: SampleFormat, channelMask: UInt32 = 0) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.sampleFormat = sampleFormat
    self.channelMask = channelMask
  }

  /// The speakers of the channels, by `channelMask` or else the default; 0 if they are unknown.
  public var speakers: UInt32 {
    channelMask.nonzeroBitCount == channelCount ? channelMask : Self.usualSpeakers(channelCount)
  }

  /// The default speakers of that number of channels, as a mask; 0 for no channels and for more than 8. FLAC, Vorbis
  /// and Opus define them (RFC 9639 9.1.3, Vorbis I 4.3.9).
  public static func usualSpeakers(_ channelCount: Int) -> UInt32 {
    switch channelCount {
    case 1: 0x4  // Centre.
    case 2: 0x3  // Left, right.
    case 3: 0x7  // Left, right, centre.
    case 4: 0x33  // Left, right, back left, back right.
    case 5: 0x37  // Left, right, centre, back left, back right.
    case 6: 0x3f  // The same with LFE.
    case 7: 0x70f  // Left, right, centre, LFE, back centre, side left, side right.
    case 8: 0x63f  // Left, right, centre, LFE, back left, back right, side left, side right.
    default: 0
    }
  }

  /// Bytes of one frame.
  public var bytesPerFrame: Int { channelCount * sampleFormat.byteCount }

  /// For messages: "44100 Hz, 16-bit, 2 channels".
  public var description: String {
    "\(sampleRate) Hz, \(sampleFormat), \(channelCount) channel\(channelCount == 1 ? "" : "s")"
  }
}
