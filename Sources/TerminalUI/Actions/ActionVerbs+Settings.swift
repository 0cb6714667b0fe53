internal import Cells
internal import Commands

extension ActionVerbs {
  static let settings: [Verb<Action>] = [
    Verb("set", "NAME[=VALUE]", "change a setting, or show its value", completing: .settings) {
      (scanner) throws(CommandError) in
      let (word, value) = try scanner.assignment(orSay: "set needs NAME=VALUE: set mouse=off")
      let name = word.text
      guard let entry = SettingEntry(named: name) else {
        guard value != nil else {
          throw CommandError(message: "write set NAME=VALUE, as in set mouse=off", column: word.column)
        }
        let names = SettingEntry.all.map(\.name)
        let command = foreignSettings[name] ?? ActionVerbs.all.first { $0.name == name }?.name
        let hint =
          command.map { " (did you mean the command :\($0)?)" }
          ?? nearest(to: name, among: names).map { didYouMean($0) } ?? ". Settings: \(listed(names))"
        throw CommandError(message: "unknown setting \"\(name)\"\(hint)", column: word.column)
      }
      guard let value else { return entry.showing }
      if let refusal = entry.refusal(of: value) { throw CommandError(message: refusal, column: word.column) }
      return entry.setting(to: value)
    },
    choosing(.theme, "[NAME]", ScreenSetting.theme.values),
    choosing(.columns, "[NAME,NAME]", ScreenSetting.columns.values),
    Verb("bind", "KEY COMMAND", "bind a key or sequence (gg) to a command", completing: .keys) {
      (scanner) throws(CommandError) in
      let keys = try keySequence(&scanner)
      let column = scanner.column
      guard let action = try Action.parse(&scanner) else {
        throw CommandError(message: "bind \(keys) to what? For example: bind \(keys) next", column: column)
      }
      if action.isConfiguring {
        throw CommandError(message: "a key cannot be bound to set, bind, unbind or style", column: column)
      }
      return .bind(keys, action)
    },
    Verb("unbind", "KEY", "unbind a key", completing: .keys) { (scanner) throws(CommandError) in
      .unbind(try keySequence(&scanner))
    },
    Verb(
      "style", "STYLE [fg=COLOR] [bg=COLOR] [bold] [dim] [underline] [reverse]", "change the look of a style",
      completing: .words(Style.allCases.map(\.name))
    ) { (scanner) throws(CommandError) in
      let column = scanner.column
      guard let style = try scanner.choice(Style.allCases.map { ($0.name, $0) }) else {
        throw CommandError(message: "choose a style: \(listed(Style.allCases.map(\.name)))", column: column)
      }
      var appearance = Appearance()
      while let word = try scanner.word() { try change(&appearance, by: word) }
      return .style(style, appearance)
    },
  ]

  /// The verb that sets a value, or without one shows the list of them.
  private static func choosing(_ setting: ScreenSetting, _ synopsis: String, _ values: [String]) -> Verb<Action> {
    let list = Action.choose(setting)
    return Verb(list.text, synopsis, list.help, completing: .words(values)) { (scanner) throws(CommandError) in
      guard let word = try scanner.word() else { return list }
      let entry = SettingEntry.screen(setting)
      if let refusal = entry.refusal(of: word.text) { throw CommandError(message: refusal, column: word.column) }
      return entry.setting(to: word.text)
    }
  }

  private static func keySequence(_ scanner: inout CommandScanner) throws(CommandError) -> KeySequence {
    guard let word = scanner.rawWord() else {
      throw CommandError(message: "a key is missing, as in bind C-n next", column: scanner.column)
    }
    // Those of cmus.
    guard !["-f", "common", "library", "playlist", "queue", "browser", "filters"].contains(word.text) else {
      let message = "keys apply in all views: write bind q quit, without \(word.text)"
      throw CommandError(message: message, column: word.column)
    }
    guard let keys = KeySequence(parsing: word.text) else {
      let names = "q, Space, Ctrl-l, Shift-Right, F1, gg or g<C-x>"
      throw CommandError(message: "\"\(word.text)\" is not a key name. Examples: \(names)", column: word.column)
    }
    return keys
  }

  private static func change(_ appearance: inout Appearance, by word: CommandScanner.Word) throws(CommandError) {
    if let attribute = Appearance.Attributes.named.first(where: { $0.name == word.text })?.attribute {
      appearance.attributes.insert(attribute)
    } else if word.text == "plain" {
      appearance = Appearance()
    } else if word.text.hasPrefix("fg=") || word.text.hasPrefix("bg="),
      let color = Color(parsing: String(word.text.dropFirst(3)))
    {
      if word.text.hasPrefix("fg=") { appearance.foreground = color } else { appearance.background = color }
    } else {
      let examples = "fg=red, bg=#002b36, fg=244, bold, dim, underline, reverse or plain"
      throw CommandError(message: "\"\(word.text)\" is not \(examples)", column: word.column)
    }
  }
}
