internal import Cells
internal import Playback
internal import Commands

/// The view Help: first steps, keys, mouse, commands and settings.
struct HelpView: TablePane {
  var table = TextTable()

  func emptyText(_ model: ScreenModel) -> String { "No matches." }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    model.keyMap.hints([(.search(nil), "search"), (.filter(nil), "filter")])
  }

  mutating func refresh(_ model: ScreenModel) {
    table.show(Self.rows(model), columns: model.paneColumns, typography: model.typography)
  }

  /// The next time, all of it is shown.
  mutating func close() { list.setFilter("") { _, _ in true } }

  static func rows(_ model: ScreenModel) -> [TextTable.Row] {
    firstSteps(model) + keys(model) + sliderHelp + [blank, TextTable.Row("Commands", "")] + commands + [blank]
      + [TextTable.Row("Settings", "as in: set mouse=off")] + settings(model)
  }

  private static func keys(_ model: ScreenModel) -> [TextTable.Row] {
    model.keyMap.bindings.filter { !$0.keys.isEmpty }.map { binding in
      let command = binding.action.text
      return TextTable.Row(
        binding.keys.map(\.description).joined(separator: " "), "\(binding.action.help)  (\(command))",
        synonyms: commandSynonyms[String(command.prefix { $0 != " " })] ?? [])
    }
  }

  private static var commands: [TextTable.Row] {
    ActionVerbs.all.map { verb in
      TextTable.Row(
        verb.name, verb.synopsis.isEmpty ? verb.help : "\(verb.synopsis): \(verb.help)",
        synonyms: commandSynonyms[verb.name] ?? [])
    }
  }

  private static func settings(_ model: ScreenModel) -> [TextTable.Row] {
    SettingEntry.listed.map { setting in
      let values = setting == .screen(.theme) ? model.configuration.themeNames : setting.values
      return TextTable.Row(setting.name, setting.help + (values.isEmpty ? "" : ": " + listed(values)))
    }
  }

  /// The shortest way to each first task, with the keys that are bound.
  private static func firstSteps(_ model: ScreenModel) -> [TextTable.Row] {
    let key = { (action: Action) -> String in
      if let key = model.keyMap.label(of: action) { return key }
      if case .prompt(let text) = action { return ":" + text }
      return ":" + action.text
    }
    let (back, forward) = (Action.player(.playback(.seekBy(-5))), Action.player(.playback(.seekBy(5))))
    let files =
      "\(key(.playSelected)) opens a folder or plays a file, \(key(.player(.find([], .turn(.end), in: nil)))) adds it to the queue"
    let other = "\(key(.prompt("")))cd FOLDER shows another folder"
    let place = "click on the bar, or press \(key(forward)) or \(key(back)); \(key(.undoSeek)) undoes the seek"
    let library =
      "\(key(.show(.library))) shows the library: artists, albums, playlists, search; "
      + "\(key(.prompt("")))library add FOLDER adds a folder to it"
    let station = "press \(key(.prompt("open"))) and type its address; \(key(.show(.streams))) shows recent stations"
    let binding = "\(key(.prompt("")))bind C-n next binds Ctrl-N to the next track"
    return [
      TextTable.Row("First steps", ""),
      TextTable.Row("your music", "\(key(.show(.files))) shows files: \(files); \(other)"),
      TextTable.Row("your library", library),
      TextTable.Row("a radio station", station),
      TextTable.Row("seek", place),
      TextTable.Row("your own keys", [binding, model.keeping(in: "keys")].compactMap(\.self).joined(separator: ". ")),
      TextTable.Row("this help", "\(key(.search(nil))) searches, \(key(.filter(nil))) shows only what matches"),
      blank,
    ]
  }
}

private let blank = TextTable.Row("", "")

private let sliderHelp: [TextTable.Row] = [
  blank,
  .init(
    "In Lyrics", "+ and - show lines with times 0.1 s later or earlier, where these keys change the volume elsewhere"),
  .init("On the slider", "arrows 5 s, PgUp PgDn 10%, Home End, 0-9 for 0-90%; seeks on Enter, or after 0.4 s"),
  .init("Mouse: bar", "click seeks, drag previews and seeks on release (Shift or away from the bar: finer), wheel 5 s"),
  .init(
    "Mouse: list", "click selects, double click plays, wheel scrolls, drag moves tracks of the queue or a playlist"),
  .init("Mouse: marks", "Ctrl and click, or the middle button; drag with it for a range, or Shift and click"),
  .init("Mouse: other", "wheel on the volume 5%, right button pauses or resumes"),
]
