public import AudioModel

/// Decodes the packets of one compressed format to PCM, as `AudioConverter` does in Apple's stack.
///
/// Each packet gives exactly the frames that its description promises, in order, and the decoder holds none back. The
/// delay of a codec is part of these frames. The container's numbers trim it (`AudioFilePacketTableInfo`), never the
/// decoder. If a library drops its first frames, the decoder returns silence instead. One owner, any thread. After the
/// first packet, decoding allocates nothing.
public protocol AudioDecoder: AnyObject {
  /// The layout of the output of `decode`; the same for the whole stream.
  var format: PCMFormat { get }

  /// After a reset before a packet whose index is a multiple of this number, and after the packets that a wanted packet
  /// depends on, the decoder gives the same bits as without a reset.
  var resetInterval: Int { get }

  /// The number of packets to decode before a wanted one, besides those that the container requires, so that it has the
  /// same samples as in continuous decoding.
  var prerollPacketCount: Int { get }

  /// Decodes one packet. Returns the number of frames that were written, at most `description.frameCount`.
  ///
  /// `output` must have room for that number of frames. Throws for a packet that cannot be decoded, and stays ready for
  /// the next one: the caller plays silence in its place.
  func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int

  /// Reports that bytes were lost before the next packet, which follows without a gap in time.
  func noteGap()

  /// Forgets all earlier packets, because the next one comes from another place (AudioConverterReset).
  func reset()
}

extension AudioDecoder {
  /// 1: no state depends on the numbers of packets.
  public var resetInterval: Int { 1 }

  /// 0: packets are independent, or the container knows their dependencies.
  public var prerollPacketCount: Int { 0 }

  /// By default a decoder starts again.
  public func noteGap() { reset() }
}

/// An unsupported format, or a packet that could not be decoded.
public struct DecoderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure: `'fmt?'`, `'bada'`, `'memF'`.
  public var code: FourCharCode
  /// The reason in words, without the code.
  public var reason: String

  /// A failure: the code for decisions, the reason for people.
  public init(_ code: FourCharCode, _ reason: String) {
    self.code = code
    self.reason = reason
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
