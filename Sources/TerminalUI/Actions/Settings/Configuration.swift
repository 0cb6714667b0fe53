public import ByteIO
public import Cells
internal import Pictures
public import Commands

/// Everything that files, options and commands can set: values, keys, looks.
public struct Configuration: Sendable, Hashable {
  public private(set) var settings = ScreenSettings()
  public internal(set) var player = Settings()
  public private(set) var keyMap: KeyMap
  /// The user's own themes, by their names.
  public private(set) var themes: [String: Theme] = [:]
  /// The folder of its files, as shown to the user; `nil` if none are read.
  public var folder: String?
  /// The home folder, which is shown as `~`.
  public var home: BytePath?
  /// The colours of the cover of the current track.
  var coverColors: PictureColors?
  /// Styles that differ from the theme.
  private var styles: [Style: Appearance] = [:]
  /// The lines of files that set settings, the last one of each.
  private(set) var origins: [SettingEntry: Origin] = [:]
  /// The changes by hand since the files were read, in order; one for each setting, key or style.
  public private(set) var changes: [FacePlace.Change] = []

  /// A line of a file that sets a setting, or an option of the command line.
  struct Origin: Sendable, Hashable {
    /// `nil` for an option.
    var file: String?
    var line: Int
    /// The value in the form that `set` takes.
    var value: String
  }

  public init(keyMap: KeyMap = .standard) { self.keyMap = keyMap }

  public var theme: Theme {
    var theme = themes[settings.theme] ?? Theme(Theme.Base(rawValue: settings.theme) ?? .default)
    theme.changes.merge(styles) { $1 }
    if hasCoverColors { theme.cover = coverColors }
    return theme
  }

  /// True if the theme has colours of the cover. A user's own theme keeps its colours, unless it is based on `cover`.
  var hasCoverColors: Bool {
    let base = themes[settings.theme]?.base ?? Theme.Base(rawValue: settings.theme)
    return settings.cover != .off && (base == .cover || settings.theme == Theme.Base.default.rawValue)
  }

  var themeNames: [String] { ScreenSetting.theme.values + themes.keys.sorted() }

  /// Performs an action; returns the reason if it is not possible. `nil` also for other actions: see `isConfiguring`.
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

  // MARK: Changes by hand

  /// The same by hand: the change outlasts the files, and the session.
  mutating func change(_ action: Action) -> String? {
    let base = present(action)
    if let refusal = apply(action) { return refusal }
    let former = changes.first { $0.subject == action.subject }
    let outdated: (Action.Subject?) -> Bool =
      switch action {
      // Presets and themes replace the keys and styles before them.
      case .set(.keymap, _): { if case .keys = $0 { true } else { $0 == action.subject } }
      case .set(.theme, _): { if case .style = $0 { true } else { $0 == action.subject } }
      default: { $0 == action.subject }
      }
    changes.removeAll { outdated($0.subject) }
    let change = FacePlace.Change(action.text, from: former?.base ?? base)
    if change.line != change.base { changes.append(change) }
    return nil
  }

  /// More changes than anyone makes: each is compared with all before it.
  private static let changeLimit = 300

  /// The configuration with changes made again, except where the files have a new value. Changes of keys are left out if
  /// they leave no key for the command line: without it nobody could take them back.
  ///
  /// - Parameter refused: Called with each line that is not possible here, and the reason.
  public func changed(
    by changes: [FacePlace.Change], refused: (_ line: String, _ reason: String) -> Void = { _, _ in }
  ) -> Configuration {
    var new = self
    for change in changes.prefix(Self.changeLimit) {
      do throws(CommandError) {
        guard let action = try Action.parse(change.line), action.subject != nil, action.text != new.present(action),
          !new.hasNewValue(action, since: change.base)
        else { continue }
        if let refusal = new.change(action) { refused(change.line, refusal) }
      } catch { refused(change.line, error.message) }
    }
    if keyMap.label(of: .prompt("")) != nil, new.keyMap.label(of: .prompt("")) == nil {
      return changed(by: changes.filter { if case .keys = $0.subject { false } else { true } })
    }
    return new
  }

  /// True if what was changed by hand is the same after a restart: the session keeps it, or the files have the same value.
  func keeps(_ change: Action) -> Bool {
    let origin = change.setting.flatMap { origins[$0] }
    // The next start may be without it.
    if let origin, origin.file == nil { return false }
    switch change {
    case .set(let setting, _):
      return player.session || settings.text(of: setting) == origin?.value ?? ScreenSettings().text(of: setting)
    case .player(.set(let setting, let value)):
      var new = player
      // The player refuses it: there is nothing to keep.
      guard new.set(setting, to: value) == nil else { return true }
      let filed = origin?.value ?? Settings().text(of: setting)
      return new.text(of: setting) == filed || player.session && setting.keeps(value) && setting.keeps(filed)
    default: return player.session
    }
  }

  /// The line of a file that has another value of what was changed; `nil` without one.
  func origin(of change: Action) -> (line: Int, file: String)? {
    guard let origin = change.setting.flatMap({ origins[$0] }) else { return nil }
    return origin.file.map { (origin.line, $0) }
  }

  /// True if the files have another value of what an action changes than they had. The defaults and the words for a
  /// command may be others than in the version that wrote `base`.
  private func hasNewValue(_ action: Action, since base: String) -> Bool {
    let present = present(action)
    let former = (try? Action.parse(base))?.text ?? base
    // A value that is possible is one that the files had.
    var trial = self
    if case .set = action, let old = try? Action.parse(base), trial.change(old) == nil { return present != former }
    return present != former && present != Configuration(keyMap: .preset(settings.keymap)).present(action)
  }

  /// The line that makes what an action would change; empty for nothing.
  private func present(_ action: Action) -> String {
    switch action {
    case .set(let setting, _): Action.set(setting, settings.text(of: setting)).text
    case .bind(let keys, _), .unbind(let keys):
      (keyMap.action(of: keys).map { Action.bind(keys, $0) } ?? .unbind(keys)).text
    case .style(let style, _): styles[style].map { Action.style(style, $0).text } ?? ""
    default: ""
    }
  }

  // MARK: Files

  /// Reads a file, line by line; returns its errors. Lines without errors take effect.
  public mutating func read(_ text: String, named file: String) -> [ConfigurationError] {
    read(text, named: file) { configuration, action, line in
      if let refusal = configuration.apply(action) { return refusal }
      let file = file.isEmpty ? nil : file
      if let setting = action.setting {
        configuration.origins[setting] = Origin(file: file, line: line, value: configuration.text(of: setting))
      }
      return nil
    }
  }

  private func text(of setting: SettingEntry) -> String {
    switch setting {
    case .screen(let setting): settings.text(of: setting)
    case .player(let setting): player.text(of: setting)
    }
  }

  /// Reads a user's theme: `theme NAME` for the theme it is based on, then `style` lines for the differences.
  public mutating func readTheme(_ text: String, name: String, file: String) -> [ConfigurationError] {
    var theme = Theme()
    let errors = read(text, named: file) { configuration, action, _ in
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
    _ text: String, named file: String, apply: (inout Configuration, Action, _ line: Int) -> String?
  ) -> [ConfigurationError] {
    var errors: [ConfigurationError] = []
    // CR LF is one character, and a newline.
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      var message: CommandError?
      do throws(CommandError) {
        guard let action = try Action.parse(String(line)) else { continue }
        let refusal = action.isConfiguring ? apply(&self, action, number + 1) : action.refusalInFiles
        message = refusal.map { CommandError(message: $0, column: 1) }
      } catch { message = error }
      if let message { errors.append(ConfigurationError(file: file, line: number + 1, error: message)) }
    }
    return errors
  }
}

public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  public var file: String
  /// The line, from 1; `nil` for the whole file.
  public var line: Int?
  /// The message, and the column.
  public var error: CommandError

  init(file: String, line: Int, error: CommandError) { (self.file, self.line, self.error) = (file, line, error) }

  /// An error of the whole file.
  public init(file: String, _ message: String) {
    (self.file, error) = (file, CommandError(message: message, column: 1))
  }

  /// `keys:12:6: message`.
  public var description: String { file + (line.map { ":\($0):\(error.column)" } ?? "") + ": " + error.message }
}

extension Action {
  /// The reason why a file of settings cannot have an action.
  fileprivate var refusalInFiles: String {
    switch self {
    case .showSetting, .player(.showSetting): "write set NAME=VALUE, as in set mouse=off"
    default: "only set, bind, unbind and style work in this file"
    }
  }

  /// The sentence that confirms the change.
  var effect: String {
    switch self {
    case .bind(let keys, let action): "\(keys): \(action.help)"
    case .unbind(let keys): "\(keys) is now unbound"
    case .set(.albums, let order): "albums are sorted by \(order)"
    case .set(let setting, let value): "\(setting.rawValue) is now \(value)"
    default: text
    }
  }

  /// The thing that a change concerns.
  enum Subject: Hashable {
    case setting(ScreenSetting), keys(KeySequence), style(Style)
  }

  /// The thing of the screen that it changes; `nil` if none.
  var subject: Subject? {
    switch self {
    case .set(let setting, _): .setting(setting)
    case .bind(let keys, _), .unbind(let keys): .keys(keys)
    case .style(let style, _): .style(style)
    default: nil
    }
  }

  /// The setting that it changes; `nil` if none.
  fileprivate var setting: SettingEntry? {
    switch self {
    case .set(let setting, _): .screen(setting)
    case .player(.set(let setting, _)): .player(setting)
    default: nil
    }
  }

  /// True if it is allowed in a file of settings.
  var isConfiguring: Bool {
    switch self {
    case .set, .bind, .unbind, .style, .player(.set): true
    default: false
    }
  }
}

extension FacePlace.Change {
  /// The thing that it concerns.
  var subject: Action.Subject? { (try? Action.parse(line))?.subject }
}
