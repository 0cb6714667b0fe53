public import AudioModel

/// The format of a stream of AAC by its first packets, if its description is silent: HE-AAC that ADTS and many
/// MPEG-4 files give as AAC of half the rate (implicit signalling, ISO/IEC 14496-3 1.6.5), mono that is parametric
/// stereo, and how many channels a program config element lists. Any other format stays as it is.
///
/// If `format` gets other `framesPerPacket`, all counts of frames of the container must be multiplied by the same.
public struct FormatProbe {
  /// The known format so far.
  public private(set) var format: AudioStreamBasicDescription
  /// True if another packet could change the result.
  public private(set) var needsPacket = false
  /// The magic cookie of a stream without one that lists more than two channels in its first packet, as ADTS may.
  public private(set) var magicCookie: [UInt8]?
  private let hasCookie: Bool
  private let config: AudioSpecificConfig?
  private var handle: (any AACHandle)?
  private var library = AACLibrary.faad
  private let declaredRate: Double
  private var packetCount = 0

  /// Packets after which the result is final: parametric stereo repeats its parameters about every half second.
  public static let maximumPacketCount = 32

  /// A stream that its container describes as `format`.
  public init(_ format: AudioStreamBasicDescription, magicCookie: [UInt8]? = nil) {
    (self.format, declaredRate) = (format, format.sampleRate)
    hasCookie = !(magicCookie ?? []).isEmpty
    config =
      [.aac, .aacHE].contains(format.formatID) ? AudioSpecificConfig(format, magicCookie: magicCookie) : nil
    needsPacket = config != nil
  }

  /// Looks at the next packet. Takes the time to decode it, and the memory of one decoder.
  public mutating func read(_ packet: RawSpan) {
    guard needsPacket, let config else { return }
    packetCount += 1
    let block = packet.withUnsafeBytes { decode($0, config) }
    if let block { refine(block, config) }
    if let block, packetCount == 1, !hasCookie, block.channelCount > 2 {
      magicCookie = packet.withUnsafeBytes { config.cookie(programConfigOf: $0) }
    }
    // Replication may begin later, and parametric stereo within it.
    let mayBeReplicated = format.formatID == .aac && config.sampleRate <= Self.highestCoreRate
    let mayBeParametric = format.formatID == .aacHE && format.channelsPerFrame == 1
    needsPacket = block != nil && packetCount < Self.maximumPacketCount && (mayBeReplicated || mayBeParametric)
    if !needsPacket { handle = nil }
  }

  /// Limit of frames per second without replication: replicated audio ends at 48 kHz.
  private static let highestCoreRate = 24000

  /// Decodes with the open handle, else with a new handle, which libfaad needs where replication begins later, else
  /// with the other library.
  private mutating func decode(_ bytes: UnsafeRawBufferPointer, _ config: AudioSpecificConfig) -> AACBlock? {
    for _ in 0..<3 {
      let isNew = handle == nil
      do throws(DecoderError) {
        if isNew { handle = try config.open(library, channelCount: nil, sampleFormat: .s16) }
        return try handle?.decode(bytes)
      } catch {
        handle = nil
        if error.code == .formatNotSupported {
          guard library == .faad else { return nil }
          library = library.other
        } else if isNew {
          return nil
        }
      }
    }
    return nil
  }

  private mutating func refine(_ block: AACBlock, _ config: AudioSpecificConfig) {
    if block.isReplicated, format.sampleRate == declaredRate, declaredRate == Double(config.sampleRate) {
      format.formatID = .aacHE
      format.sampleRate *= 2
      format.framesPerPacket *= 2
    }
    if block.isParametric { format.formatID = .aacHEv2 }
    // libfaad gives one channel twice.
    if block.channelCount != 2 || block.isParametric || format.channelsPerFrame != 1 {
      format.channelsPerFrame = block.channelCount
    }
  }
}
