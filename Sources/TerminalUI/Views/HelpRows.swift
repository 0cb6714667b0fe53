internal import Playback

extension ScreenState {
  /// How the queue gets its tracks, in the keys that are bound.
  var howToFill: String {
    let files = keyMap.label(of: .show(.files)).map { " \($0): files." } ?? ""
    let command = keyMap.label(of: .prompt("")).map { " \($0)add FOLDER" } ?? ""
    return files + command
  }

  /// How what is changed by a command outlasts this run; `nil` where no files are read.
  func keeping(in file: String) -> String? {
    configuration.folder.map { "the same line in \($0)/\(file) keeps it" }
  }

  /// The shortest way to each thing that is wanted first, in the keys that are bound.
  private var firstSteps: [TextTable.Row] {
    let key = { (action: Action) -> String in
      if let key = keyMap.label(of: action) { return key }
      if case .prompt(let text) = action { return ":" + text }
      return ":" + action.text
    }
    let files = "\(key(.playSelected)) opens a folder or plays a file, \(key(.add([], .end))) adds either to the queue"
    let other = "\(key(.prompt("")))cd FOLDER goes elsewhere"
    let place = "a click on the bar, or \(key(.seek(5))) and \(key(.seek(-5))); \(key(.undoSeek)) goes back"
    let station = "\(key(.prompt("open"))) and its address; \(key(.show(.streams))) shows those heard"
    let binding = "\(key(.prompt("")))bind C-n next lets Ctrl-N do that"
    return [
      TextTable.Row("To begin with", ""),
      TextTable.Row("your music", "\(key(.show(.files))) shows files: \(files); \(other)"),
      TextTable.Row("a radio station", station),
      TextTable.Row("another place", place),
      TextTable.Row("your own keys", [binding, keeping(in: "keys")].compactMap(\.self).joined(separator: "; ")),
      TextTable.Row("in this help", "\(key(.search(nil))) searches, \(key(.filter(nil))) shows only what matches"),
      blank,
    ]
  }

  /// What Help shows: first steps, keys and what they do, slider and mouse, commands, settings.
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
    return firstSteps + keys + sliderHelp + [blank, TextTable.Row("Commands", "")] + commands + [blank]
      + [TextTable.Row("Settings", "as in: set mouse=off")] + settings
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
