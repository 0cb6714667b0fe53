public import AudioModel

/// The purpose of sound.
public enum AudioSessionCategory: Sendable, Hashable, CaseIterable {
  /// Mixes with other programs; silenced by the silent switch.
  case ambient
  /// Silences other programs; silenced by the silent switch.
  case soloAmbient
  /// Playback is the main purpose of the program: not silenced by the switch, silences other programs unless an option
  /// allows mixing.
  case playback
  /// Recording.
  case record
  /// Recording and playback.
  case playAndRecord
  /// Several devices at once.
  case multiRoute

  /// The code of the older interface, which has none for several devices.
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

  /// True if it records, which this player does not support.
  public var records: Bool { self == .record || self == .playAndRecord }

  /// The options that the category allows; `setCategory` throws `badParameter` for others.
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
  /// The published numbers, combined as bits.
  public var rawValue: UInt

  /// Options from their published numbers. Unknown bits stay.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Other programs may play at the same time.
  public static let mixWithOthers = Self(rawValue: 0x01)
  /// Other programs get softer.
  public static let duckOthers = Self(rawValue: 0x02)
  /// Hands-free devices may be used. Only with categories that record.
  public static let allowBluetooth = Self(rawValue: 0x04)
  /// The speaker is used instead of the receiver. Only with categories that record.
  public static let defaultToSpeaker = Self(rawValue: 0x08)
  /// Other programs may play at the same time, but speech is to pause: no sound server knows what is speech, so all play.
  public static let interruptSpokenAudioAndMixWithOthers = Self(rawValue: 0x11)
  /// Wireless headphones may be used. Only with categories that record: playback may use any device.
  public static let allowBluetoothA2DP = Self(rawValue: 0x20)
  /// Network speakers may be used. Only with categories that record: playback may use any device.
  public static let allowAirPlay = Self(rawValue: 0x40)

  /// The options with their names, in the order of their bits.
  public static let named: [(name: String, option: Self)] = [
    ("mixWithOthers", .mixWithOthers), ("duckOthers", .duckOthers), ("allowBluetooth", .allowBluetooth),
    ("defaultToSpeaker", .defaultToSpeaker),
    ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudioAndMixWithOthers),
    ("allowBluetoothA2DP", .allowBluetoothA2DP), ("allowAirPlay", .allowAirPlay),
  ]
}

/// The use of sound. Names as in AVAudioSession.
public enum AudioSessionMode: Sendable, Hashable, CaseIterable {
  /// Calls and recording. Only with categories that record.
  case voiceChat, videoChat, gameChat, videoRecording
  /// A film: the server is told the role `video`.
  case moviePlayback
  /// Nothing special (`default`), or measurements, speech and prompts, which no sound server treats in another way.
  case `default`, measurement, spokenAudio, voicePrompt

  /// True if it needs a category that records.
  public var records: Bool { [.voiceChat, .videoChat, .gameChat, .videoRecording].contains(self) }
}
