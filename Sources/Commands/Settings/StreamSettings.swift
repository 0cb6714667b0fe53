public import Encoding

/// The settings of the sound that is served over HTTP.
public struct StreamSettings: Sendable, Hashable {
  /// The address to serve at; `nil` for none.
  public var address: ListenAddress?
  /// The password of those who listen; empty for none. Never shown.
  public var password = ""
  public var format = StreamFormat.opus
  /// Kilobits per second, 32...320.
  public var bitRate = 128

  public init() {}

  /// Changes a setting; returns the reason if the value is not possible.
  mutating func set(_ setting: Setting, to value: String) -> String? {
    switch setting {
    case .stream:
      address = ListenAddress(value)
      guard address != nil || value == "off" else { return Settings.addressRefusal(setting, "0.0.0.0:8000", value) }
    case .streamPassword: password = value
    case .streamFormat:
      guard let format = StreamFormat(rawValue: value) else {
        return "unknown stream-format \"\(value)\". Choose \(listed(setting.values))"
      }
      self.format = format
    default:
      guard let rate = Int(value), 32...320 ~= rate else {
        return "stream-bitrate must be 32 to 320 kbit/s, not \"\(value)\""
      }
      bitRate = rate
    }
    return nil
  }
}
