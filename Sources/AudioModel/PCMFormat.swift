/// How decoded audio is laid out: interleaved samples in the machine's byte order.
public struct PCMFormat: Hashable, Sendable {
  /// How one sample is stored.
  public enum SampleFormat: Hashable, Sendable {
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
  }

  /// Frames per second, more than 0.
  public var sampleRate: Int
  /// Samples in a frame, at least 1.
  public var channelCount: Int
  /// How one sample is stored.
  public var sampleFormat: SampleFormat
  /// Which speakers the channels are for: a bit each, in the order of the channels (`dwChannelMask` of WAVE, which is the
  /// order in SMPTE too: left, right, centre, LFE...). 0 is what is usual for that many channels.
  public var channelMask: UInt32

  /// A layout.
  public init(sampleRate: Int, channelCount: Int, sampleFormat: SampleFormat, channelMask: UInt32 = 0) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.sampleFormat = sampleFormat
    self.channelMask = channelMask
  }

  /// Bytes of one frame.
  public var bytesPerFrame: Int { channelCount * sampleFormat.byteCount }
}
