internal import AudioModel

/// The device that the listener has chosen, and the sinks that the server has. While the chosen one is away, streams
/// play on the server's default; they return when it does. A stream that another program moves stays where it is.
///
/// Pure: methods return true if all streams are to be moved to `target`.
struct DeviceChoice {
  /// The name of the chosen sink; `nil` for the server's default.
  private var name: String?
  /// True if the server does not have the chosen sink.
  private var isAway = false
  /// `nil` until the server has told them.
  private var sinks: [PulseSink]?
  private var standard: String?

  init(_ name: String?) { self.name = name }

  /// The sink for streams; `nil` for the server's default.
  var target: String? { isAway ? nil : name }

  /// The devices in the listener's words; `nil` while they are unknown.
  var devices: AudioDevices? { sinks.map { AudioDevices($0.map(\.route), standard: standard) } }

  mutating func choose(_ name: String?) -> Bool {
    guard name != self.name else { return false }
    self.name = name
    isAway = sinks != nil && isMissing
    return true
  }

  /// The server has these sinks. PulseAudio itself moves a stream back to its sink, unless it began elsewhere.
  mutating func note(_ sinks: [PulseSink]) -> Bool {
    self.sinks = sinks
    let wasAway = isAway
    isAway = isMissing
    return wasAway && !isAway
  }

  /// The server's default is this sink. A change of it moves all streams from the old one, even if the listener chose
  /// that.
  mutating func note(standard: String?) -> Bool {
    defer { self.standard = standard }
    return self.standard != nil && self.standard != standard && target != nil
  }

  /// A stream could not be created: the server does not have the chosen sink.
  mutating func noteMissing() { isAway = true }

  /// The server is gone.
  mutating func forget() { (isAway, sinks, standard) = (false, nil, nil) }

  private var isMissing: Bool { name.map { name in sinks?.contains { $0.name == name } != true } ?? false }
}
