public import SignalProcessing

/// What can be set with `set name=value`: the one table by which settings are read, completed and explained.
public enum Setting: String, Sendable, Hashable, CaseIterable {
  case keymap, theme, colors, mouse, cursor, title, remaining, waveform, bidi, session, timeshift, reconnects, music
  case crossfade, gain, preamp, eq, balance, speed

  /// What it is about, for Help and manual.
  public var help: String {
    switch self {
    case .keymap: "key preset; resets your own bindings"
    case .theme: "theme of the screen: one of these, or a file in themes/"
    case .colors: "number of colours to use"
    case .mouse: "mouse support; off lets the terminal select text"
    case .cursor: "show the cursor on the selected row, for screen readers"
    case .title: "show track in window title and progress in the tab"
    case .remaining: "show the remaining time"
    case .waveform: "show a waveform in the slider"
    case .bidi: "reorder right-to-left text; off where the terminal does it"
    case .session: "restore the session at start"
    case .timeshift: "time-shift window of a station in minutes, 0 to 120"
    case .reconnects: "reconnect attempts, 1 to 1000"
    case .music: "first folder of Files"
    case .crossfade: "crossfade length in seconds, 0 to 12"
    case .gain: "ReplayGain mode"
    case .preamp: "extra gain in dB, with a limiter, -24 to 24"
    case .eq: "equaliser: a preset, or ten gains in dB, -12 to 12, separated by commas"
    case .balance: "-1 left, 0 centre, 1 right"
    case .speed: "playback speed, 0.5 to 2, with the pitch kept"
    }
  }

  /// What it can be, where that can be listed.
  public var values: [String] {
    switch self {
    case .keymap: KeyMap.Preset.allCases.map(\.rawValue)
    case .theme: Theme.Base.allCases.map(\.rawValue)
    case .colors: Settings.ColorDepth.allCases.map(\.rawValue)
    case .mouse, .cursor, .title, .remaining, .waveform, .bidi, .session: ["on", "off"]
    case .gain: GainMode.allCases.map(\.rawValue)
    case .eq: Equalizer.presets.map(\.name)
    case .music, .crossfade, .timeshift, .reconnects, .preamp, .balance, .speed: []
    }
  }
}

/// What the listener has set.
public struct Settings: Sendable, Hashable {
  /// How many colours the terminal is taken to have.
  public enum ColorDepth: String, Sendable, Hashable, CaseIterable {
    /// As many as it says; none where NO_COLOR is set.
    case auto
    case none = "0"
    case sixteen = "16"
    case palette = "256"
  }

  /// Which keys there were to begin with.
  public var keymap = KeyMap.Preset.default
  /// The name of the theme.
  public var theme = Theme.Base.default.rawValue
  /// How many colours.
  public var colors = ColorDepth.auto
  /// Whether the mouse acts here.
  public var mouse = true
  /// Whether the cursor stands on the selected row.
  public var cursor = false
  /// Whether the window is called after the track.
  public var title = true
  /// Whether the time that remains is shown.
  public var remaining = false
  /// Whether the slider shows how loud the track is.
  public var waveform = true
  /// Whether right-to-left scripts are put into reading order.
  public var bidi = true
  /// Whether the next start comes back to this.
  public var session = true
  /// Minutes of a station that are kept to go back in, 0...120.
  public var timeshift = 10
  /// Tries in a row after a connection was lost, 1...1000.
  public var reconnects = 10
  /// The folder in which Files begins; empty for the usual one.
  public var music = ""
  /// Seconds in which a track and the next are heard together, 0...12.
  public var crossfade = 0.0
  /// Which loudness tags count.
  public var gain = GainMode.off
  /// Decibels, -24...24.
  public var preamp = 0.0
  /// The equaliser, as commands write it.
  public var eq = "flat"
  /// -1...1.
  public var balance = 0.0
  /// 0.5...2.
  public var speed = 1.0

  /// The player's own.
  public init() {}

  /// Changes one; why not, if it cannot be that. `theme` may be anything: only its owner knows which there are.
  mutating func set(_ setting: Setting, to value: String) -> String? {
    switch setting {
    case .keymap:
      guard let preset = KeyMap.Preset(rawValue: value) else { return setting.refusal(of: value) }
      keymap = preset
    case .theme: theme = value
    case .colors:
      guard let depth = ColorDepth(rawValue: value) else { return setting.refusal(of: value) }
      colors = depth
    case .music: music = value
    case .crossfade:
      guard let seconds = Double(value), 0...12 ~= seconds else {
        return "crossfade must be 0 to 12 seconds, not \"\(value)\""
      }
      crossfade = seconds
    case .timeshift:
      guard let minutes = Int(value), 0...120 ~= minutes else {
        return "timeshift must be 0 to 120 minutes, not \"\(value)\""
      }
      timeshift = minutes
    case .reconnects:
      guard let count = Int(value), 1...1000 ~= count else { return "reconnects must be 1 to 1000, not \"\(value)\"" }
      reconnects = count
    case .gain, .preamp, .eq, .balance, .speed: return setSound(setting, to: value)
    case .mouse, .cursor, .title, .remaining, .waveform, .bidi, .session:
      guard let isOn = ["on": true, "off": false][value] else { return setting.refusal(of: value) }
      switch setting {
      case .mouse: mouse = isOn
      case .cursor: cursor = isOn
      case .title: title = isOn
      case .remaining: remaining = isOn
      case .waveform: waveform = isOn
      case .bidi: bidi = isOn
      default: session = isOn
      }
    }
    return nil
  }
}

extension Settings {
  /// The value of a setting, as `set` takes it.
  public func text(of setting: Setting) -> String {
    let word = { (isOn: Bool) in isOn ? "on" : "off" }
    return switch setting {
    case .keymap: keymap.rawValue
    case .theme: theme
    case .colors: colors.rawValue
    case .mouse: word(mouse)
    case .cursor: word(cursor)
    case .title: word(title)
    case .remaining: word(remaining)
    case .waveform: word(waveform)
    case .bidi: word(bidi)
    case .session: word(session)
    case .timeshift: String(timeshift)
    case .reconnects: String(reconnects)
    case .music: music
    case .crossfade: written(crossfade)
    case .gain: gain.rawValue
    case .preamp: written(preamp)
    case .eq: eq
    case .balance: written(balance)
    case .speed: written(speed)
    }
  }

  /// The value of a setting, and which others there are, in a sentence.
  func sentence(on setting: Setting) -> String {
    let value = text(of: setting)
    let choice =
      switch setting {
      case .eq: "presets: \(setting.values.joined(separator: ", "))"
      case .preamp: "preamp -24 to 24 sets it"
      case .balance: "balance -1 to 1 sets it"
      case .speed: "speed 0.5 to 2 sets it"
      default: setting.values.isEmpty ? "\(setting.help)" : "choose \(listed(setting.values))"
      }
    return "\(setting.rawValue) is \(value.isEmpty ? "not set" : value); \(choice)"
  }
}

extension Setting {
  func refusal(of value: String) -> String { "unknown \(rawValue) \"\(value)\". Choose \(listed(values))" }
}
