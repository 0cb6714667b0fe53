extension ScreenState {
  /// How the queue gets its tracks, in the keys that are bound.
  var howToFill: String {
    let files = keyMap.label(of: .show(.files)).map { " \($0): files." } ?? ""
    let command = keyMap.label(of: .prompt("")).map { " \($0)add FOLDER" } ?? ""
    return files + command
  }

  /// What Help shows: keys and what they do, slider and mouse, commands, settings.
  var helpRows: [TextTable.Row] {
    let keys = keyMap.bindings.filter { !$0.keys.isEmpty }.map { binding in
      TextTable.Row(
        binding.keys.map(\.description).joined(separator: " "), "\(binding.action.help)  (\(binding.action.text))")
    }
    let commands = Verb.all.map { verb in
      TextTable.Row(verb.name, verb.synopsis.isEmpty ? verb.help : "\(verb.synopsis): \(verb.help)")
    }
    let settings = Setting.allCases.map { setting in
      let values = setting == .theme ? configuration.themeNames : setting.values
      return TextTable.Row(setting.rawValue, setting.help + (values.isEmpty ? "" : ": " + listed(values)))
    }
    return keys + sliderHelp + [blank, TextTable.Row("Commands", "")] + commands + [blank]
      + [TextTable.Row("Settings, as in: set mouse=off", "")] + settings
  }
}

private let blank = TextTable.Row("", "")

private let sliderHelp: [TextTable.Row] = [
  blank,
  .init("On the slider", "arrows 5 s, PgUp PgDn 10 %, Home End, 0-9 for 0-90 %; Enter or a pause goes there"),
  .init("Mouse: bar", "click goes there, drag chooses (Shift or away from the bar: finer), wheel 5 s"),
  .init("Mouse: list", "click selects, double click plays, wheel scrolls"),
  .init("Mouse: else", "wheel on the volume 5 %, right button pauses"),
]
