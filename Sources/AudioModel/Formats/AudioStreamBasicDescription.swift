/// The layout of a stream of packets (Core Audio's structure of this name). 0 means "varies".
public struct AudioStreamBasicDescription: Hashable, Sendable {
  /// Frames per second of the uncompressed audio.
  public var sampleRate: Double
  /// The codec (mFormatID); `linearPCM` for samples.
  public var formatID: AudioFormatID
  /// Flags whose meaning depends on `formatID`.
  public var formatFlags: UInt32
  /// Bytes in each packet; 0 if packets differ, as in MP3 of constant bit rate too (padding).
  public var bytesPerPacket: Int
  /// PCM frames that each packet decodes to; 0 if packets differ.
  public var framesPerPacket: Int
  /// Bytes in one frame of uncompressed audio; 0 for compressed formats.
  public var bytesPerFrame: Int
  /// The number of channels (mChannelsPerFrame).
  public var channelsPerFrame: Int
  /// Bits in one sample of uncompressed audio; 0 for compressed formats.
  public var bitsPerChannel: Int

  /// A description. Omitted fields are 0.
  public init(
    sampleRate: Double, formatID: AudioFormatID, formatFlags: UInt32 = 0, bytesPerPacket: Int = 0,
    framesPerPacket: Int = 0, bytesPerFrame: Int = 0, channelsPerFrame: Int, bitsPerChannel: Int = 0
  ) {
    self.sampleRate = sampleRate
    self.formatID = formatID
    self.formatFlags = formatFlags
    self.bytesPerPacket = bytesPerPacket
    self.framesPerPacket = framesPerPacket
    self.bytesPerFrame = bytesPerFrame
    self.channelsPerFrame = channelsPerFrame
    self.bitsPerChannel = bitsPerChannel
  }
}

extension AudioStreamBasicDescription {
  /// Linear PCM: samples are floats (kAudioFormatFlagIsFloat).
  public static let isFloat: UInt32 = 1
  /// Linear PCM: most significant byte first (kAudioFormatFlagIsBigEndian).
  public static let isBigEndian: UInt32 = 2
  /// Linear PCM: signed integers; without it and `isFloat` unsigned ones (kAudioFormatFlagIsSignedInteger).
  public static let isSignedInteger: UInt32 = 4
  /// Linear PCM: all bits of a sample's bytes are used (kAudioFormatFlagIsPacked).
  public static let isPacked: UInt32 = 8
  /// Linear PCM: where they are not, the used ones are the high ones (kAudioFormatFlagIsAlignedHigh).
  public static let isAlignedHigh: UInt32 = 16
}

extension AudioStreamBasicDescription {
  /// Interleaved samples in the machine's byte order.
  public init(_ format: PCMFormat) {
    let bits =
      switch format.sampleFormat {
      case .s16: 16
      case .s24in32: 24
      case .s32, .f32: 32
      }
    var flags = format.sampleFormat == .f32 ? Self.isFloat : Self.isSignedInteger
    if bits == format.sampleFormat.byteCount * 8 { flags |= Self.isPacked }
    if Int(bigEndian: 1) == 1 { flags |= Self.isBigEndian }
    self.init(
      sampleRate: Double(format.sampleRate), formatID: .linearPCM, formatFlags: flags,
      bytesPerPacket: format.bytesPerFrame, framesPerPacket: 1, bytesPerFrame: format.bytesPerFrame,
      channelsPerFrame: format.channelCount, bitsPerChannel: bits)
  }

  /// The layout of these samples; `nil` if they are not as `init(_:)` describes them, or have more than 32 channels.
  public func pcmFormat(channelMask: UInt32 = 0) -> PCMFormat? {
    guard let sampleRate = Int(exactly: sampleRate), 1...32 ~= channelsPerFrame else { return nil }
    let formats = [PCMFormat.SampleFormat.s16, .s24in32, .s32, .f32].map {
      PCMFormat(sampleRate: sampleRate, channelCount: channelsPerFrame, sampleFormat: $0, channelMask: channelMask)
    }
    return formats.first { AudioStreamBasicDescription($0) == self }
  }
}
