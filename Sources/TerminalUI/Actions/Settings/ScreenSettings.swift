public import Cells
public import Commands

/// A setting of the screen for `set name=value`.
public enum ScreenSetting: String, Sendable, Hashable, CaseIterable {
  /// The settings, by their names in commands.
  case keymap, theme, colors, mouse, cursor, title, hints, panes, left, side, remaining, waveform, visualizer, cover,
    albums, columns, bidi
  case onHangup = "on-hangup"

  /// The meaning, for Help and manual.
  public var help: String { row.help }

  public var values: [String] { row.values }

  func refusal(of value: String) -> String { "unknown \(rawValue) \"\(value)\". Choose \(listed(values))" }
}

/// All that differs from setting to setting.
private struct ScreenSettingRow {
  var help: String
  var values: [String]
  var text: (ScreenSettings) -> String
  /// Changes the value; returns false if it is not possible.
  var set: (inout ScreenSettings, String) -> Bool
}

extension ScreenSetting {
  /// The table of settings.
  fileprivate var row: ScreenSettingRow {
    switch self {
    case .keymap: choice(\.keymap, "key preset; resets your own bindings")
    case .theme:
      // Any name is possible: only the owner of the themes knows the list.
      value(
        \.theme, "theme of the screen: one of these, or a file in themes/", Theme.Base.allCases.map(\.rawValue),
        text: { $0 }
      ) { $0 }
    case .colors: choice(\.colors, "number of colours to use")
    case .mouse: flag(\.mouse, "mouse support; off lets the terminal select text")
    case .cursor: flag(\.cursor, "show the cursor on the selected row, for screen readers")
    case .title: flag(\.title, "show track in window title and progress in the tab")
    case .hints: flag(\.hints, "show the main keys of the view beside the title")
    case .panes: flag(\.panes, "show a second list in Library, and the cover, beside the list on wide screens")
    case .left: width(\.left, "the first of two lists in Library: \(PaneWidth.help)")
    case .side: width(\.side, "the pane with cover and lyrics: \(PaneWidth.help)")
    case .remaining: flag(\.remaining, "show the remaining time")
    case .waveform: flag(\.waveform, "show a waveform in the slider")
    case .visualizer:
      choice(\.visualizer, "show a spectrum or level meters above the player, on 18 rows or more")
    case .cover:
      choice(\.cover, "show covers in the player, in Cover and, on 100 columns or more, beside the list")
    case .albums: choice(\.albums, "order of albums in Library")
    case .columns:
      value(
        \.columns, "columns of tracks in Queue and Library from left to right, with commas between them",
        TrackColumn.allCases.map(\.rawValue) + ["none"], text: { $0.rawValue }
      ) { ShownColumns(rawValue: $0) }
    case .bidi: flag(\.bidi, "reorder right-to-left text; off where the terminal does it")
    case .onHangup: choice(\.onHangup, "when the terminal closes: end, or play on without it")
    }
  }

  private func flag(_ path: WritableKeyPath<ScreenSettings, Bool>, _ help: String) -> ScreenSettingRow {
    value(path, help, ["on", "off"], text: { $0 ? "on" : "off" }) { ["on": true, "off": false][$0] }
  }

  private func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ path: WritableKeyPath<ScreenSettings, Value>, _ help: String
  ) -> ScreenSettingRow {
    value(path, help, Value.allCases.map(\.rawValue), text: { $0.rawValue }) { Value(rawValue: $0) }
  }

  fileprivate var isWidth: Bool { [.left, .side].contains(self) }

  private func width(_ path: WritableKeyPath<ScreenSettings, PaneWidth>, _ help: String) -> ScreenSettingRow {
    value(path, help, ["auto", "off"], text: { $0.text }) { PaneWidth($0) }
  }

  /// - Parameter read: Returns `nil` if the value is not possible.
  private func value<Value>(
    _ path: WritableKeyPath<ScreenSettings, Value>, _ help: String, _ values: [String],
    text: @escaping (Value) -> String, read: @escaping (String) -> Value?
  ) -> ScreenSettingRow {
    ScreenSettingRow(help: help, values: values, text: { text($0[keyPath: path]) }) { settings, text in
      guard let value = read(text) else { return false }
      settings[keyPath: path] = value
      return true
    }
  }
}

/// The reaction to the loss of the terminal (SIGHUP).
public enum HangupReaction: String, Sendable, Hashable, CaseIterable {
  /// The player ends, or plays on without a terminal.
  case quit, detach
}

/// The width of a pane beside another one.
public enum PaneWidth: Sendable, Hashable {
  /// As the screen suggests; none; a number of columns, if they leave room for the other pane.
  case auto, off, columns(Int)

  private static let range = 16...200
  /// The values, for Help and manual.
  static let help = "auto, off, or \(range.lowerBound) to \(range.upperBound) columns"

  init?(_ text: String) {
    switch text {
    case "auto": self = .auto
    case "off": self = .off
    default:
      guard let count = Int(text), Self.range.contains(count) else { return nil }
      self = .columns(count)
    }
  }

  /// The form that `init` reads.
  var text: String {
    switch self {
    case .auto: "auto"
    case .off: "off"
    case .columns(let count): "\(count)"
    }
  }
}

public struct ScreenSettings: Sendable, Hashable {
  public enum ColorDepth: String, Sendable, Hashable, CaseIterable {
    /// As many as the terminal reports; none if NO_COLOR is set.
    case auto
    case none = "0"
    /// The 16 colours of the terminal.
    case sixteen = "16"
    case palette = "256"
  }

  /// The initial keys.
  public var keymap = KeyMap.Preset.default
  public var theme = Theme.Base.default.rawValue
  public var colors = ColorDepth.auto
  /// True if the program handles the mouse, not the terminal.
  public var mouse = true
  /// True if the cursor is on the selected row.
  public var cursor = false
  /// True if the window title shows the track.
  public var title = true
  /// True if the main keys of the view are shown.
  public var hints = true
  /// True if wide screens show something beside the list.
  public var panes = true
  /// The width of the first of two lists in Library.
  public var left = PaneWidth.auto
  /// The width of the pane with cover and lyrics.
  public var side = PaneWidth.auto
  public var remaining = false
  /// True if the slider shows a waveform.
  public var waveform = true
  /// The visualizer above the slider.
  public var visualizer = VisualizerKind.off
  public var cover = CoverStyle.auto
  public var albums = AlbumOrder.artist
  public var columns = ShownColumns(TrackColumn.allCases)
  /// True if right-to-left text is put into reading order.
  public var bidi = true
  public var onHangup = HangupReaction.quit

  public init() {}

  /// Changes a setting; returns the reason if the value is not possible.
  mutating func set(_ setting: ScreenSetting, to value: String) -> String? {
    if setting.row.set(&self, value) { return nil }
    return setting.isWidth ? "\(setting.rawValue) must be \(PaneWidth.help)" : setting.refusal(of: value)
  }

  /// The value of a setting in the form that `set` takes.
  public func text(of setting: ScreenSetting) -> String { setting.row.text(self) }

  /// A sentence with the value of a setting and the other possible values.
  func sentence(on setting: ScreenSetting) -> String {
    let values = setting.isWidth ? PaneWidth.help : listed(setting.values)
    return "\(setting.rawValue) is \(text(of: setting)); choose \(values)"
  }
}
