/// The facts about the audio of an input that need no decoding. Unknown is `nil`, never 0.
public struct MediaInformation: Hashable, Sendable {
  /// File format (`'ffmt'`).
  public var fileType: AudioFileTypeID?
  /// Layout of the packets (`'dfmt'`).
  public var dataFormat: AudioStreamBasicDescription?
  /// The layouts to which the packets can be decoded, richest first (`'flst'`).
  public var formatList: [AudioStreamBasicDescription] = []
  /// The setup data for the decoder besides the format (`'mgic'`), in the form that `AudioDecoders` defines.
  public var magicCookie: [UInt8]?
  /// The speakers of the channels, as in `PCMFormat`; 0 if unknown (`'cmap'`).
  public var channelMask: UInt32 = 0
  /// Duration in seconds, after trimming.
  public var duration: Double?
  /// True if `duration` comes from a bit rate, a share of the file or a rounded value in a header, not from a number of
  /// frames.
  public var durationIsEstimated = false
  /// Bits per second (`'brat'`).
  public var bitRate: Int?
  /// Offset of the first packet in the file (`'doff'`).
  public var dataOffset: Int64?
  /// Bytes of all packets (`'bcnt'`).
  public var audioDataByteCount: Int64?
  /// The number of packets (`'pcnt'`); `nil` until the headers state it or all were parsed.
  public var packetCount: Int64?
  /// Bytes of the largest packet present (`'psze'`).
  public var maximumPacketSize: Int?
  /// Bytes that no packet of this format can exceed (`'pkub'`).
  public var packetSizeUpperBound: Int?
  /// Mean bytes of a packet (`'abpp'`): of all packets once they are known; before that, an estimate that improves.
  public var averageBytesPerPacket: Double?
  /// Frames of all packets, if the headers state them or all packets were parsed.
  public var frameCount: Int64?
  /// Frames of all packets by the headers alone; `nil` once that many packets were parsed.
  public var promisedFrameCount: Int64?
  /// True if the headers say how many frames there are.
  public var isEndDeclared = false
  /// The frames to trim (`'pnfo'`).
  public var packetTable: AudioFilePacketTableInfo?
  /// Frames to drop at the start, while the number of later frames is unknown: `packetTable` comes later.
  public var primingFrames = 0
  /// The place in the same bytes where the stream continues in another encoding; `nil` if none is known so far.
  public var continuationByteOffset: Int64?
  /// True if it can be played while it arrives; false if required data follow the audio.
  public var isOptimized = true
  /// The tags of all kinds that the file has; empty without any.
  public var tags = TrackTags()

  /// No known facts.
  public init() {}

  /// Bits of a sample before it was encoded, negative for floats (`'sbtd'`); `nil` for lossy formats.
  public var sourceBitDepth: Int? {
    guard let format = dataFormat else { return nil }
    switch format.formatID {
    case .linearPCM:
      return format.formatFlags & AudioStreamBasicDescription.isFloat != 0
        ? -format.bitsPerChannel : format.bitsPerChannel
    case .appleLossless, .flac: return [1: 16, 2: 20, 3: 24, 4: 32][format.formatFlags]
    default: return nil
    }
  }
}
