internal import Playback
internal import Player

extension ScreenState {
  /// How the queue gets its tracks, in the keys that are bound.
  var howToFill: String {
    let files = keyMap.label(of: .show(.files)).map { " Press \($0) to browse files" } ?? ""
    let command = keyMap.label(of: .prompt("")).map { "type \($0)add FOLDER" } ?? ""
    let ways = [files, command].filter { !$0.isEmpty }
    return ways.isEmpty ? "" : ways.joined(separator: files.isEmpty ? " " : ", or ") + "."
  }

  /// How a station is opened, in the keys that are bound.
  var howToOpen: String {
    let key = keyMap.label(of: .prompt("open")) ?? keyMap.label(of: .prompt("")).map { $0 + "open" }
    return key.map { " Press \($0) and paste an address." } ?? ""
  }

  /// How what is changed by a command outlasts this run; `nil` where no files are read.
  func keeping(in file: String) -> String? {
    configuration.folder.map { "To keep it, add it to \($0)/\(file)" }
  }

  /// The shortest way to each thing that is wanted first, in the keys that are bound.
  private var firstSteps: [TextTable.Row] {
    let key = { (action: Action) -> String in
      if let key = keyMap.label(of: action) { return key }
      if case .prompt(let text) = action { return ":" + text }
      return ":" + action.text
    }
    let (back, forward) = (Action.player(.playback(.seekBy(-5))), Action.player(.playback(.seekBy(5))))
    let files = "\(key(.playSelected)) opens a folder or plays a file, \(key(.player(.find([], .turn(.end), in: nil)))) adds it to the queue"
    let other = "\(key(.prompt("")))cd FOLDER shows another folder"
    let place = "click on the bar, or press \(key(forward)) or \(key(back)); \(key(.undoSeek)) undoes the seek"
    let station = "press \(key(.prompt("open"))) and type its address; \(key(.show(.streams))) shows recent stations"
    let binding = "\(key(.prompt("")))bind C-n next binds Ctrl-N to the next track"
    return [
      TextTable.Row("First steps", ""),
      TextTable.Row("your music", "\(key(.show(.files))) shows files: \(files); \(other)"),
      TextTable.Row("a radio station", station),
      TextTable.Row("seek", place),
      TextTable.Row("your own keys", [binding, keeping(in: "keys")].compactMap(\.self).joined(separator: ". ")),
      TextTable.Row("this help", "\(key(.search(nil))) searches, \(key(.filter(nil))) shows only what matches"),
      blank,
    ]
  }

  /// What Help shows: first steps, keys and what they do, slider and mouse, commands, settings.
  var helpRows: [TextTable.Row] {
    let keys = keyMap.bindings.filter { !$0.keys.isEmpty }.map { binding in
      TextTable.Row(
        binding.keys.map(\.description).joined(separator: " "), "\(binding.action.help)  (\(binding.action.text))")
    }
    let commands = ActionVerbs.all.map { verb in
      TextTable.Row(verb.name, verb.synopsis.isEmpty ? verb.help : "\(verb.synopsis): \(verb.help)")
    }
    let settings = SettingEntry.all.map { setting in
      let values = setting == .screen(.theme) ? configuration.themeNames : setting.values
      return TextTable.Row(setting.name, setting.help + (values.isEmpty ? "" : ": " + listed(values)))
    }
    return firstSteps + keys + sliderHelp + [blank, TextTable.Row("Commands", "")] + commands + [blank]
      + [TextTable.Row("Settings", "as in: set mouse=off")] + settings
  }
}

private let blank = TextTable.Row("", "")

private let sliderHelp: [TextTable.Row] = [
  blank,
  .init("On the slider", "arrows 5 s, PgUp PgDn 10%, Home End, 0-9 for 0-90%; seeks on Enter, or after 0.4 s"),
  .init("Mouse: bar", "click seeks, drag previews and seeks on release (Shift or away from the bar: finer), wheel 5 s"),
  .init("Mouse: list", "click selects, double click plays, wheel scrolls"),
  .init("Mouse: other", "wheel on the volume 5%, right button pauses or resumes"),
]
