internal import Cells
internal import Commands

extension ActionVerbs {
  static let seeking: [Verb<Action>] = [
    Verb(.undoSeek),
    Verb(
      "mark", LoopMark.allCases.map { ($0.rawValue, $0) }, "loop points", orSay: "mark needs a, b, clear or cycle"
    ) { .mark($0) },
  ]

  private static let ways = [(word: "up", value: -1), (word: "down", value: 1)]

  static let queue: [Verb<Action>] = [
    Verb(.remove),
    Verb("move-track", ways, "move the marked or selected tracks", orSay: "move-track needs up or down") {
      .moveTrack($0)
    },
    Verb(.removeAlbum),
    Verb(
      "move-album", ways, "move the album of the selected track in the queue", orSay: "move-album needs up or down"
    ) { .moveAlbum($0) },
    Verb(
      "sort", QueueOrder.allCases.map { ($0.rawValue, $0) },
      "sort the queue, or its marked rows; shuffle does so once; in Library, the albums",
      orSay: "sort by what? Choose \(listed(QueueOrder.allCases.map(\.rawValue)))"
    ) { .sort($0) },
  ]

  static let marks: [Verb<Action>] = [
    Verb("mark-row", "[up | down]", "mark or unmark the row, and move up or down", completing: .words(["up", "down"])) {
      (scanner) throws(CommandError) in
      .markRow(try scanner.choice(ways) ?? 1)
    },
    Verb(.markRange),
    Verb(.markAll),
    Verb(.markAlbum),
    Verb(.unmark),
  ]

  static let lists: [Verb<Action>] = [
    Verb(
      "move", ListMotion.named, synopsis: listed(ListMotion.named.map(\.word)), "move in the list",
      orSay: "move needs a direction: \(listed(ListMotion.named.map(\.word)))"
    ) { .move($0) },
    Verb(.playSelected),
    Verb(.selectPlaying),
    Verb("find", "[TEXT]", "find TEXT in everything: queue, library, playlists, streams, chapters, files, lyrics") {
      (scanner) throws(CommandError) in
      scanner.rest().map { .find($0.text) } ?? .show(.finder)
    },
    Verb("search", "[TEXT]", "find next row containing TEXT") { (scanner) throws(CommandError) in
      .search(scanner.rest()?.text)
    },
    Verb(.searchNext),
    Verb(.searchPrevious),
    Verb("filter", "[TEXT]", "show only rows containing TEXT") { (scanner) throws(CommandError) in
      .filter(scanner.rest()?.text)
    },
    Verb("jump", "[TEXT]", "jump to the next row that begins with TEXT; without it, with the letter of the next key") {
      (scanner) throws(CommandError) in
      .jump(scanner.rest()?.text)
    },
    Verb(.switchFocus),
    Verb(
      "view", ScreenView.allCases.map { ($0.rawValue, $0) }, synopsis: listed(ScreenView.allCases.map(\.rawValue)),
      "switch view", orSay: "choose a view: \(listed(ScreenView.allCases.map(\.rawValue)))"
    ) { .show($0) },
    Verb("web", "show the address of the page for browsers", .show(.web)),
    Verb("setup", "show the guide of the first start", .show(.setup)),
    Verb("help", "[TEXT]", "keys, commands and settings, or those that have TEXT") { (scanner) throws(CommandError) in
      scanner.rest().map { .help($0.text) } ?? .show(.help)
    },
    Verb("cd", "FOLDER", "show a folder", completing: .folders) { (scanner) throws(CommandError) in
      .changeFolder(try scanner.word(orSay: "cd needs a folder: cd ~/Music").text)
    },
    Verb(.parentFolder, help: "show the parent folder; in Library, a level up"),
    Verb(.toggleAllFiles),
    Verb("command", "[TEXT]", "open the command line with TEXT in it") { (scanner) throws(CommandError) in
      var words: [String] = []
      while let word = try scanner.word() { words.append(quoted(word.text)) }
      return .prompt(words.joined(separator: " "))
    },
    Verb(.toggleRemaining),
    Verb(.cycleVisualizer),
    Verb(.togglePanes),
    Verb(.cancel, help: "remove the marks; leave the slider, the filter, the search or the view"),
    Verb(.redraw),
    Verb(.suspend),
  ]
}
