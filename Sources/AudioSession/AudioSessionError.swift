public import AudioModel

/// The reason for which a session refuses a call (raw values are the published status codes).
public enum AudioSessionError: Int32, Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// Audio is still running: '!act'.
  case isBusy = 560_030_580
  /// '!cat'.
  case unsupportedCategory = 560_161_140
  /// 'msrv': the sound server was lost.
  case mediaServicesFailed = 1_836_282_486
  /// An invalid argument.
  case badParameter = -50

  /// The status as a code of four characters.
  public var code: FourCharCode { FourCharCode(rawValue: UInt32(bitPattern: rawValue)) }

  /// The problem in words.
  public var reason: String {
    switch self {
    case .isBusy: "the session is busy: pause or stop first"
    case .unsupportedCategory: "categories that record are not supported"
    case .mediaServicesFailed: "no sound server"
    case .badParameter: "bad parameter"
    }
  }

  /// The problem, and the code.
  public var description: String { "\(reason) (\(self == .badParameter ? "\(rawValue)" : "'\(code)'"))" }
}
