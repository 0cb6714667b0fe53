internal import Cells
public import Commands

/// A setting of the screen or of the player: a row of the table of settings.
public enum SettingEntry: Sendable, Hashable {
  case screen(ScreenSetting)
  case player(Setting)

  /// All settings in the order of Help and manual.
  public static let all = ScreenSetting.allCases.map(Self.screen) + Setting.allCases.map(Self.player)

  /// Those that Help and manual list: a value that a command changes, and keeps, is explained there.
  public static let listed = all.filter { entry in
    switch entry {
    case .screen(let setting): ![.panes, .remaining, .visualizer, .albums, .columns].contains(setting)
    case .player(let setting): ![.gain, .preamp, .eq, .balance, .effects, .speed, .output].contains(setting)
    }
  }

  public init?(named name: String) {
    guard let entry = Self.all.first(where: { $0.name == name }) else { return nil }
    self = entry
  }

  /// The name for `set`.
  public var name: String {
    switch self {
    case .screen(let setting): setting.rawValue
    case .player(let setting): setting.rawValue
    }
  }

  public var help: String {
    switch self {
    case .screen(let setting): setting.help
    case .player(let setting): setting.help
    }
  }

  /// The possible values, if they can be listed.
  public var values: [String] {
    switch self {
    case .screen(let setting): setting.values
    case .player(let setting): setting.values
    }
  }
}

extension SettingEntry {
  /// The request to show the value.
  var showing: Action {
    switch self {
    case .screen(let setting): .showSetting(setting)
    case .player(let setting): .player(.showSetting(setting))
    }
  }

  func setting(to value: String) -> Action {
    switch self {
    case .screen(let setting): .set(setting, value)
    case .player(let setting): .player(.set(setting, value))
    }
  }

  /// The reason if the value is not possible, whatever themes there are.
  func refusal(of value: String) -> String? {
    switch self {
    case .screen(.theme): return nil
    case .screen(let setting):
      var settings = ScreenSettings()
      return settings.set(setting, to: value)
    case .player(let setting):
      var settings = Settings()
      return settings.set(setting, to: value)
    }
  }
}
