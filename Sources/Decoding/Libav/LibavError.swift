public import ByteIO

/// Why libavformat and libavcodec cannot read an input, or not any further.
public struct LibavError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Hashable, Sendable {
    /// The library is not installed.
    case missing
    /// Bytes that the library does not know either, or that are of no type that carries audio.
    case unknown
    /// A known type with audio that cannot be decoded.
    case unsupported
    /// The bytes contradict their format, or a stated limit.
    case damaged
    /// The library took longer for one packet than `DecodingLimits` allows.
    case tooSlow
    /// A read failed: `cause` says why.
    case source
  }

  /// The kind of failure.
  public var code: Code
  /// In words, as part of a sentence.
  public var reason: String
  /// The place, from the start of the source; `nil` if no place is to blame.
  public var byteOffset: Int64?
  /// The failed read beneath.
  public var cause: ByteIOError?

  init(_ code: Code, _ reason: String, at byteOffset: Int64? = nil, cause: ByteIOError? = nil) {
    (self.code, self.reason, self.byteOffset, self.cause) = (code, reason, byteOffset, cause)
  }

  /// `reason`, as part of a sentence.
  public var description: String { reason }
}
