internal import Cells
internal import Commands

extension ActionVerbs {
  static let seeking: [Verb<Action>] = [
    Verb(.undoSeek),
    Verb(
      "mark", "a | b | clear | cycle", "loop points",
      completing: .words(LoopMark.allCases.map(\.rawValue))
    ) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let mark = try scanner.choice(LoopMark.allCases.map { ($0.rawValue, $0) }) else {
        throw CommandError(message: "mark needs a, b, clear or cycle", column: column)
      }
      return .mark(mark)
    },
  ]

  static let queue: [Verb<Action>] = [
    Verb(.remove),
    moving("move-track", "move the marked or selected tracks") { .moveTrack($0) },
    Verb(.removeAlbum),
    moving("move-album", "move the album of the selected track in the queue") { .moveAlbum($0) },
    Verb(
      "sort", QueueOrder.allCases.map(\.rawValue).joined(separator: " | "),
      "sort the queue, or its marked rows; shuffle does so once",
      completing: .words(QueueOrder.allCases.map(\.rawValue))
    ) { (scanner) throws(CommandError) in
      let column = scanner.column
      guard let order = try scanner.choice(QueueOrder.allCases.map { ($0.rawValue, $0) }) else {
        let names = listed(QueueOrder.allCases.map(\.rawValue))
        throw CommandError(message: "sort by what? Choose \(names)", column: column)
      }
      return .sort(order)
    },
  ]

  private static func moving(
    _ name: String, _ help: String, _ action: @escaping @Sendable (Int) -> Action
  ) -> Verb<Action> {
    Verb(name, "up | down", help, completing: .words(["up", "down"])) { (scanner) throws(CommandError) in
      let column = scanner.column
      guard let step = try scanner.choice([("up", -1), ("down", 1)]) else {
        throw CommandError(message: "\(name) needs up or down", column: column)
      }
      return action(step)
    }
  }

  static let marks: [Verb<Action>] = [
    Verb("mark-row", "[up | down]", "mark or unmark the row, and move up or down", completing: .words(["up", "down"])) {
      (scanner) throws(CommandError) in
      .markRow(try scanner.choice([("up", -1), ("down", 1)]) ?? 1)
    },
    Verb(.markRange),
    Verb(.markAll),
    Verb(.markAlbum),
    Verb(.unmark),
  ]

  static let lists: [Verb<Action>] = [
    Verb(
      "move", listed(ListMotion.named.map(\.word)), "move in the list", completing: .words(ListMotion.named.map(\.word))
    ) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let motion = try scanner.choice(ListMotion.named.map { ($0.word, $0.motion) }) else {
        throw CommandError(message: "move needs a direction: \(listed(ListMotion.named.map(\.word)))", column: column)
      }
      return .move(motion)
    },
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
      "view", listed(ScreenView.allCases.map(\.rawValue)), "switch view",
      completing: .words(ScreenView.allCases.map(\.rawValue))
    ) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let view = try scanner.choice(ScreenView.allCases.map { ($0.rawValue, $0) }) else {
        throw CommandError(message: "choose a view: \(listed(ScreenView.allCases.map(\.rawValue)))", column: column)
      }
      return .show(view)
    },
    Verb("help", "[TEXT]", "keys, commands and settings, or those that have TEXT") { (scanner) throws(CommandError) in
      scanner.rest().map { .help($0.text) } ?? .show(.help)
    },
    Verb("cd", "FOLDER", "show a folder", completing: .folders) { (scanner) throws(CommandError) in
      .changeFolder(try scanner.word(orSay: "cd needs a folder: cd ~/Music").text)
    },
    Verb(.parentFolder, help: "show the parent folder; in Library, a level up"),
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
