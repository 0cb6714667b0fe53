internal import AudioModel
public import ByteIO
internal import Glibc

/// The reason why bytes could not be parsed, or a request could not be fulfilled.
public struct ContainerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; the raw value is the stack's number for it, mostly four characters.
  public enum Code: Int32, Sendable, CaseIterable {
    /// 'typ?': an unknown or unsupported file type.
    case unsupportedFileType = 0x7479_703f
    /// 'fmt?': a known file type with an unsupported coding.
    case unsupportedDataFormat = 0x666d_743f
    /// 'pty?': this type of file has no such property.
    case unsupportedProperty = 0x7074_793f
    /// '!siz': a size that does not match the request. Typed properties cannot cause it.
    case badPropertySize = 0x2173_697a
    /// 'optm': required data follow the audio; the file can be read only when it is complete.
    case notOptimized = 0x6f70_746d
    /// 'pck?': no such packet.
    case invalidPacketOffset = 0x7063_6b3f
    /// 'dta?': the bytes violate the format, or a named limit.
    case invalidFile = 0x6474_613f
    /// 'unk?': unknown before the audio has been read, or always.
    case valueUnknown = 0x756e_6b3f
    /// 'more': not known yet; continue feeding bytes.
    case dataUnavailable = 0x6d6f_7265
    /// 'nope': not allowed at this time or place.
    case illegalOperation = 0x6e6f_7065
    /// 'wht?': anything else, such as a read that failed (see `cause`).
    case unspecified = 0x7768_743f
    /// 'dsc!': the position in the stream is lost.
    case discontinuityCantRecover = 0x6473_6321
    /// 'prm?': no permission, or encrypted audio. libavformat would return it as noise.
    case permissions = 0x7072_6d3f
    /// 'chk?': a missing or invalid chunk.
    case invalidChunk = 0x6368_6b3f
    /// 'off?': an offset that is too large for this file type.
    case doesNotAllow64BitDataSize = 0x6f66_663f
    /// 'op??': an operation that this file does not support.
    case operationNotSupported = 0x6f70_3f3f
    /// The file is closed.
    case notOpen = -38
    /// Nothing more to read.
    case endOfFile = -39
    /// A position before the start.
    case badPosition = -40
    /// No such file.
    case fileNotFound = -43
    /// An invalid argument.
    case badParameter = -50
  }

  /// The kind of failure.
  public var code: Code
  /// The place, from the start of the stream; `nil` if the failure has no place.
  public var byteOffset: Int64?
  /// The expected or found bytes, and the remedy, as part of a sentence.
  public var expectation: String
  /// The failed read that caused it, if there was one.
  public var cause: ByteIOError?
  /// True for a file that is known to be something else.
  private(set) var isNotAudio = false
  /// The name of the file type, if only libavformat can read it.
  public private(set) var libavformatType: String?

  /// A failure at a place, counted from the start of the stream; `expectation` as part of a sentence.
  public init(_ code: Code, at byteOffset: Int64? = nil, _ expectation: String, cause: ByteIOError? = nil) {
    self.code = code
    self.byteOffset = byteOffset
    self.expectation = expectation
    self.cause = cause
  }

  /// A file of a type that only libavformat can read.
  init(needsLibavformat type: String, at byteOffset: Int64) {
    self.init(.unsupportedFileType, at: byteOffset, "\(type) files need libavformat")
    libavformatType = type
  }

  /// True if no parser here knows the type or the coding, and libavformat may.
  public var isUnknownFormat: Bool { (code == .unsupportedFileType || code == .unsupportedDataFormat) && !isNotAudio }

  /// A file that is known to be something else, such as "a text file".
  init(notAudio type: String, at byteOffset: Int64) {
    self.init(.unsupportedFileType, at: byteOffset, "not an audio file, but \(type)")
    isNotAudio = true
  }

  /// A read or open that failed.
  init(_ cause: ByteIOError) {
    let code: Code =
      switch cause.errno {
      case ENOENT: .fileNotFound
      case EACCES, EPERM: .permissions
      default: .unspecified
      }
    self.init(code, at: cause.byteOffset, "cannot \(cause.operation): \(cause.reason)", cause: cause)
  }

  /// The bytes end before the headers are complete.
  static func truncatedHeaders(at byteOffset: Int64) -> ContainerError {
    ContainerError(.invalidFile, at: byteOffset, "the file ends inside its headers")
  }

  /// `no MPEG audio in the first 64 KiB ('typ?', byte offset 0)`
  public var description: String {
    let place = byteOffset.map { ", byte offset \($0)" } ?? ""
    return "\(expectation) (\(code)\(place))"
  }
}

extension ContainerError.Code: CustomStringConvertible {
  /// The four characters in quotes, or the number.
  public var description: String {
    rawValue < 0 ? String(rawValue) : "'\(FourCharCode(rawValue: UInt32(bitPattern: rawValue)))'"
  }
}
