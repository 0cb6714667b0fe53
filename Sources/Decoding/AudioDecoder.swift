public import AudioModel

/// Packets in, PCM out: what `AudioConverter` is in Apple's stack, for one compressed format.
///
/// The rule that keeps time: packet *n* comes out as the frames that its description promises, in order, nothing held
/// back for later. A codec's own delay is in those frames and is trimmed by the container's numbers
/// (`AudioFilePacketTableInfo`), never by the decoder; one whose library swallows its first frames gives silence there.
/// One owner, any thread, no allocation per packet once the first has been decoded.
public protocol AudioDecoder: AnyObject {
  /// The layout of the output of `decode`; the same for the whole stream.
  var format: PCMFormat { get }

  /// A decoder that was reset before a packet whose index is a multiple of this gives the same bits as one that never
  /// was, once it has seen the packets that the wanted one depends on.
  var resetInterval: Int { get }

  /// Packets that must be decoded ahead, besides those that the container names, so that the wanted one has the samples
  /// that it has when all before it were decoded.
  var prerollPacketCount: Int { get }

  /// Decodes one packet and returns how many frames it wrote, at most `description.frameCount`.
  ///
  /// `output` must hold that many frames. A packet that cannot be decoded throws and leaves the decoder ready for the
  /// next one: the caller plays silence in its place.
  func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int

  /// Reports that bytes were lost before the next packet, which follows without a gap in time.
  func noteGap()

  /// Forgets all packets so far: the next one comes from another place (AudioConverterReset).
  func reset()
}

extension AudioDecoder {
  /// Decoders whose packets carry no state that depends on their number.
  public var resetInterval: Int { 1 }

  /// Decoders whose packets are independent, or whose container knows how many they depend on.
  public var prerollPacketCount: Int { 0 }

  /// By default a decoder starts again.
  public func noteGap() { reset() }
}

/// A format that cannot be decoded, or a packet that could not.
public struct DecoderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure: `'fmt?'`, `'bada'`, `'memF'`.
  public var code: FourCharCode
  /// In words.
  public var reason: String

  /// A failure.
  public init(_ code: FourCharCode, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// A library that only some formats need is not installed.
  static func missing(_ library: CodecLibrary) -> DecoderError {
    let (name, _, package) = library.words
    return DecoderError(.formatNotSupported, "\(name) is not installed (Debian's package \(package))")
  }

  /// `reason (code)`.
  public var description: String { "\(reason) ('\(code)')" }
}

extension FourCharCode {
  /// `DecoderError`: no decoder for this format, or not with these parameters (kAudioConverterErr_FormatNotSupported).
  public static let formatNotSupported = FourCharCode("fmt?")
  /// `DecoderError`: the packet's bytes are malformed (kAudioCodecBadDataError).
  public static let badPacket = FourCharCode("bada")
  /// `DecoderError`: the library could not get memory.
  public static let outOfMemory = FourCharCode("memF")
}
