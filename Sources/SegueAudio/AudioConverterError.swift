/// The reason why an `AudioConverter` could not be made, or could not convert.
public struct AudioConverterError: Error, CustomStringConvertible {
  /// The kind of failure; the raw value is the published number, mostly four characters.
  public enum Code: UInt32, Sendable, CaseIterable {
    /// 'fmt?': no conversion between these formats, or a library for it is missing.
    case formatNotSupported = 0x666d_743f
    /// 'op??': an operation that this conversion does not support.
    case operationNotSupported = 0x6f70_3f3f
    /// 'insz': the input is not whole packets, or not as its descriptions say.
    case invalidInputSize = 0x696e_737a
    /// 'otsz': the buffer does not hold one packet of the output.
    case invalidOutputSize = 0x6f74_737a
    /// 'what': the input closure has thrown (`cause`), or a library reports an error.
    case unspecified = 0x7768_6174
    /// '!pkd': packets that may differ in size came without descriptions.
    case requiresPacketDescriptions = 0x2170_6b64
    /// '!isr': a sample rate of the input that cannot be converted.
    case inputSampleRateOutOfRange = 0x2169_7372
    /// '!osr': a sample rate of the output that cannot be made.
    case outputSampleRateOutOfRange = 0x216f_7372
    /// 'bada': a damaged packet (kAudioCodecBadDataError).
    case badData = 0x6261_6461
  }

  /// The kind of failure.
  public var code: Code
  /// The reason in words, without the code.
  public var reason: String
  /// The error that the input closure has thrown; `nil` for other failures.
  public var cause: (any Error)?

  init(_ code: Code, _ reason: String, cause: (any Error)? = nil) {
    (self.code, self.reason, self.cause) = (code, reason, cause)
  }

  /// `reason ('fmt?')`
  public var description: String { "\(reason) ('\(FourCharCode(rawValue: code.rawValue))')" }
}
