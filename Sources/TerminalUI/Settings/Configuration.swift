public import Player

/// All that files, options and commands can set: values, keys, looks.
public struct Configuration: Sendable, Hashable {
  /// Values of the screen.
  public private(set) var settings = ScreenSettings()
  /// Values of the player.
  public internal(set) var player = Settings()
  /// Keys.
  public private(set) var keyMap: KeyMap
  /// Themes of the listener's own, by their names.
  public private(set) var themes: [String: Theme] = [:]
  /// Where its files lie, as people write that; `nil` where none are read.
  public var folder: String?
  /// Styles that differ from the theme.
  private var styles: [Style: Appearance] = [:]

  /// The player's own, with these keys.
  public init(keyMap: KeyMap = .standard) { self.keyMap = keyMap }

  /// How the screen looks.
  public var theme: Theme {
    var theme = themes[settings.theme] ?? Theme(Theme.Base(rawValue: settings.theme) ?? .default)
    theme.changes.merge(styles) { $1 }
    return theme
  }

  /// The themes that there are.
  var themeNames: [String] { ScreenSetting.theme.values + themes.keys.sorted() }

  /// Does what an action says; why not, if it cannot be done. `nil` also for what it does not concern: `isConfiguring`.
  mutating func apply(_ action: Action) -> String? {
    switch action {
    case .set(.theme, let name) where !themeNames.contains(name):
      return "unknown theme \"\(name)\". Choose \(listed(themeNames))"
    case .set(let setting, let value):
      if let refusal = settings.set(setting, to: value) { return refusal }
      if setting == .keymap { keyMap = KeyMap.preset(settings.keymap) }
      if setting == .theme { styles = [:] }
    case .player(.set(let setting, let value)): return player.set(setting, to: value)
    case .style(let style, let appearance): styles[style] = appearance
    case .unbind(let keys):
      guard keyMap.unbind(keys) else { return "\(keys) is not bound" }
    default: keyMap.apply(action)
    }
    return nil
  }

  /// Reads a file, line by line; what is wrong with it, and where. Lines that are right hold all the same.
  public mutating func read(_ text: String, named file: String) -> [ConfigurationError] {
    read(text, named: file) { $0.apply($1) }
  }

  /// Reads a theme of the listener's own: `theme NAME` to begin with another, then `style` for what differs.
  public mutating func readTheme(_ text: String, name: String, file: String) -> [ConfigurationError] {
    var theme = Theme()
    let errors = read(text, named: file) { configuration, action in
      switch action {
      case .style(let style, let appearance): theme.changes[style] = appearance
      case .set(.theme, let name):
        guard let base = Theme.Base(rawValue: name) else { return ScreenSetting.theme.refusal(of: name) }
        theme.base = base
      default: return "\(action.text): only style and set theme=NAME work in a theme"
      }
      return nil
    }
    themes[name] = theme
    return errors
  }

  private mutating func read(
    _ text: String, named file: String, apply: (inout Configuration, Action) -> String?
  ) -> [ConfigurationError] {
    var errors: [ConfigurationError] = []
    // CR LF is one character, and a newline.
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      var message: CommandError?
      do throws(CommandError) {
        guard let action = try Action.parse(String(line)) else { continue }
        let refusal = action.isConfiguring ? apply(&self, action) : "only set, bind, unbind and style work in this file"
        message = refusal.map { CommandError(message: $0, column: 1) }
      } catch { message = error }
      if let message { errors.append(ConfigurationError(file: file, line: number + 1, error: message)) }
    }
    return errors
  }
}

/// What is wrong with a file of settings.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Its name.
  public var file: String
  /// From 1; `nil` where it is about the whole file.
  public var line: Int?
  /// What, and where in the line.
  public var error: CommandError

  /// Something wrong with a line.
  init(file: String, line: Int, error: CommandError) { (self.file, self.line, self.error) = (file, line, error) }

  /// Something wrong with the file.
  public init(file: String, _ message: String) {
    (self.file, error) = (file, CommandError(message: message, column: 1))
  }

  /// `keys:12:6: what is wrong`.
  public var description: String { file + (line.map { ":\($0):\(error.column)" } ?? "") + ": " + error.message }
}

extension Action {
  /// What has been changed by it.
  var effect: String {
    switch self {
    case .bind(let keys, let action): "\(keys): \(action.help)"
    case .unbind(let keys): "\(keys) is now unbound"
    case .set(let setting, let value): "\(setting.rawValue) is now \(value)"
    default: text
    }
  }

  /// Whether it is about keys.
  var isOfKeys: Bool {
    switch self {
    case .bind, .unbind: true
    default: false
    }
  }

  /// Whether it belongs in a file of settings.
  var isConfiguring: Bool {
    switch self {
    case .set, .bind, .unbind, .style, .player(.set): true
    default: false
    }
  }
}
