public import AudioModel

/// The reason for which a session refuses a call (raw values are the published status codes).
public enum AudioSessionError: Int32, Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// Audio is still running: '!act'.
  case isBusy = 560_030_580
  /// '!cat'.
  case unsupportedCategory = 560_161_140
  /// A session of higher priority cannot be interrupted: '!int'.
  case cannotInterruptOthers = 560_557_684
  /// '!pla'.
  case cannotStartPlaying = 561_015_905
  /// '!pri'.
  case insufficientPriority = 561_017_449
  /// '!rec'.
  case cannotStartRecording = 561_145_187
  /// '!res'.
  case resourceNotAvailable = 561_145_203
  /// '!ses'.
  case expiredSession = 561_210_739
  /// 'inac'.
  case sessionNotActive = 1_768_841_571
  /// 'msrv': the sound server was lost.
  case mediaServicesFailed = 1_836_282_486
  /// 'ent?'.
  case missingEntitlement = 1_701_737_535
  /// 'siri'.
  case siriIsRecording = 1_936_290_409
  /// 'what'.
  case unspecified = 2_003_329_396
  /// An invalid argument.
  case badParameter = -50

  /// The status as a code of four characters.
  public var code: FourCharCode { FourCharCode(rawValue: UInt32(bitPattern: rawValue)) }

  /// The problem, and the code.
  public var description: String { self == .badParameter ? "bad parameter (-50)" : "session refused ('\(code)')" }
}
