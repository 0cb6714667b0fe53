public import Cells
public import Commands

/// A setting of the screen for `set name=value`.
public enum ScreenSetting: String, Sendable, Hashable, CaseIterable {
  /// The settings, by their names in commands.
  case keymap, theme, colors, mouse, cursor, title, hints, panes, left, side, remaining, waveform, visualizer, cover,
    albums, columns, bidi
  case onHangup = "on-hangup"

  /// The meaning, for Help and manual.
  public var help: String {
    switch self {
    case .keymap: "key preset; resets your own bindings"
    case .theme: "theme of the screen: one of these, or a file in themes/"
    case .colors: "number of colours to use"
    case .mouse: "mouse support; off lets the terminal select text"
    case .cursor: "show the cursor on the selected row, for screen readers"
    case .title: "show track in window title and progress in the tab"
    case .hints: "show the main keys of the view beside the title"
    case .panes: "show a second list in Library, and the cover, beside the list on wide screens"
    case .left: "the first of two lists in Library: \(PaneWidth.help)"
    case .side: "the pane with cover and lyrics: \(PaneWidth.help)"
    case .remaining: "show the remaining time"
    case .waveform: "show a waveform in the slider"
    case .visualizer: "show a spectrum or level meters above the player, on 18 rows or more"
    case .cover: "show covers in the player, in Cover and, on 100 columns or more, beside the list"
    case .albums: "order of albums in Library"
    case .columns: "columns of tracks in Queue and Library from left to right, with commas between them"
    case .bidi: "reorder right-to-left text; off where the terminal does it"
    case .onHangup: "when the terminal closes: end, or play on without it"
    }
  }

  public var values: [String] {
    switch self {
    case .keymap: KeyMap.Preset.allCases.map(\.rawValue)
    case .theme: Theme.Base.allCases.map(\.rawValue)
    case .colors: ScreenSettings.ColorDepth.allCases.map(\.rawValue)
    case .visualizer: VisualizerKind.allCases.map(\.rawValue)
    case .cover: CoverStyle.allCases.map(\.rawValue)
    case .albums: AlbumOrder.allCases.map(\.rawValue)
    case .columns: TrackColumn.allCases.map(\.rawValue) + ["none"]
    case .onHangup: HangupReaction.allCases.map(\.rawValue)
    case .left, .side: ["auto", "off"]
    case .mouse, .cursor, .title, .hints, .panes, .remaining, .waveform, .bidi: ["on", "off"]
    }
  }

  func refusal(of value: String) -> String { "unknown \(rawValue) \"\(value)\". Choose \(listed(values))" }
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
  /// True if the remaining time is shown.
  public var remaining = false
  /// True if the slider shows a waveform.
  public var waveform = true
  /// The visualizer above the slider.
  public var visualizer = VisualizerKind.off
  public var cover = CoverStyle.auto
  public var albums = AlbumOrder.artist
  /// The columns of tracks.
  public var columns = ShownColumns(TrackColumn.allCases)
  /// True if right-to-left text is put into reading order.
  public var bidi = true
  public var onHangup = HangupReaction.quit

  public init() {}

  /// Changes a setting; returns the reason if the value is not possible. Any `theme` is possible: only its owner knows
  /// the list.
  mutating func set(_ setting: ScreenSetting, to value: String) -> String? {
    switch setting {
    case .keymap:
      guard let preset = KeyMap.Preset(rawValue: value) else { return setting.refusal(of: value) }
      keymap = preset
    case .theme: theme = value
    case .colors:
      guard let depth = ColorDepth(rawValue: value) else { return setting.refusal(of: value) }
      colors = depth
    case .visualizer:
      guard let kind = VisualizerKind(rawValue: value) else { return setting.refusal(of: value) }
      visualizer = kind
    case .cover:
      guard let style = CoverStyle(rawValue: value) else { return setting.refusal(of: value) }
      cover = style
    case .albums:
      guard let order = AlbumOrder(rawValue: value) else { return setting.refusal(of: value) }
      albums = order
    case .columns:
      guard let new = ShownColumns(rawValue: value) else { return setting.refusal(of: value) }
      columns = new
    case .onHangup:
      guard let reaction = HangupReaction(rawValue: value) else { return setting.refusal(of: value) }
      onHangup = reaction
    case .left, .side:
      guard let width = PaneWidth(value) else { return "\(setting.rawValue) must be \(PaneWidth.help)" }
      if setting == .left { left = width } else { side = width }
    case .mouse, .cursor, .title, .hints, .panes, .remaining, .waveform, .bidi:
      guard let isOn = ["on": true, "off": false][value] else { return setting.refusal(of: value) }
      switch setting {
      case .mouse: mouse = isOn
      case .cursor: cursor = isOn
      case .title: title = isOn
      case .hints: hints = isOn
      case .panes: panes = isOn
      case .remaining: remaining = isOn
      case .waveform: waveform = isOn
      default: bidi = isOn
      }
    }
    return nil
  }

  /// The value of a setting in the form that `set` takes.
  public func text(of setting: ScreenSetting) -> String {
    let word = { (isOn: Bool) in isOn ? "on" : "off" }
    return switch setting {
    case .keymap: keymap.rawValue
    case .theme: theme
    case .colors: colors.rawValue
    case .mouse: word(mouse)
    case .cursor: word(cursor)
    case .title: word(title)
    case .hints: word(hints)
    case .panes: word(panes)
    case .left: left.text
    case .side: side.text
    case .remaining: word(remaining)
    case .waveform: word(waveform)
    case .visualizer: visualizer.rawValue
    case .cover: cover.rawValue
    case .albums: albums.rawValue
    case .columns: columns.rawValue
    case .bidi: word(bidi)
    case .onHangup: onHangup.rawValue
    }
  }

  /// A sentence with the value of a setting and the other possible values.
  func sentence(on setting: ScreenSetting) -> String {
    let values = [.left, .side].contains(setting) ? PaneWidth.help : listed(setting.values)
    return "\(setting.rawValue) is \(text(of: setting)); choose \(values)"
  }
}
