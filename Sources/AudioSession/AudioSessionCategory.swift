public import AudioModel

/// The purpose of sound.
public enum AudioSessionCategory: Sendable, Hashable, CaseIterable {
  /// Mixes with others; silenced by the silent switch.
  case ambient
  /// Silences others; silenced by the silent switch.
  case soloAmbient
  /// The main purpose of the program: not silenced by the switch, silences others unless an option says otherwise.
  case playback
  /// Recording.
  case record
  /// Both.
  case playAndRecord
  /// Several devices at once.
  case multiRoute

  /// The code that the older interface knows it by; it has none for several devices.
  public var code: FourCharCode? {
    switch self {
    case .ambient: FourCharCode("ambi")
    case .soloAmbient: FourCharCode("solo")
    case .playback: FourCharCode("medi")
    case .record: FourCharCode("reca")
    case .playAndRecord: FourCharCode("plar")
    case .multiRoute: nil
    }
  }

  /// True if it takes sound in, which this player does not.
  public var records: Bool { self == .record || self == .playAndRecord }

  /// Options that can be set with it.
  public var allowedOptions: AudioSessionCategoryOptions {
    switch self {
    case .ambient: [.mixWithOthers, .duckOthers]
    case .soloAmbient, .record: []
    case .playback, .multiRoute: [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]
    case .playAndRecord: AudioSessionCategoryOptions(rawValue: 0x7f)
    }
  }
}

/// The relation of sound to that of other programs (the numbers are the published ones).
public struct AudioSessionCategoryOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public var rawValue: UInt

  /// Options from bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Others may sound at the same time.
  public static let mixWithOthers = Self(rawValue: 0x01)
  /// Others are made softer.
  public static let duckOthers = Self(rawValue: 0x02)
  /// Hands-free devices may be used.
  public static let allowBluetooth = Self(rawValue: 0x04)
  /// The speaker is used rather than the receiver.
  public static let defaultToSpeaker = Self(rawValue: 0x08)
  /// Others may sound at the same time, but speech pauses.
  public static let interruptSpokenAudioAndMixWithOthers = Self(rawValue: 0x11)
  /// Wireless headphones may be used.
  public static let allowBluetoothA2DP = Self(rawValue: 0x20)
  /// Network speakers may be used.
  public static let allowAirPlay = Self(rawValue: 0x40)

  /// The options with their names, in the order of their bits.
  public static let named: [(name: String, option: Self)] = [
    ("mixWithOthers", .mixWithOthers), ("duckOthers", .duckOthers), ("allowBluetooth", .allowBluetooth),
    ("defaultToSpeaker", .defaultToSpeaker),
    ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudioAndMixWithOthers),
    ("allowBluetoothA2DP", .allowBluetoothA2DP), ("allowAirPlay", .allowAirPlay),
  ]
}

/// The use of sound.
public enum AudioSessionMode: Sendable, Hashable, CaseIterable {
  /// Nothing special (`default`), or calls, films, measurements, speech, games and prompts. Names as in AVAudioSession.
  case `default`, voiceChat, videoChat, videoRecording, measurement, moviePlayback, spokenAudio, gameChat, voicePrompt
}
