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
    Verb(
      "remove", "[album]",
      "remove the marked or selected tracks, playlists or streams, or the album of the selected track from the queue",
      completing: .words(["album"])
    ) { (scanner) throws(CommandError) in
      try scanner.choice([("album", .removeAlbum)]) ?? .remove
    },
    Verb(
      "move-track", "[album] up | down", "move the marked or selected tracks, or the album of the selected one",
      completing: .words(["up", "down", "album"])
    ) { (scanner) throws(CommandError) in
      let column = scanner.column
      let album = try scanner.choice(ways + [("album", 0)])
      guard let step = try album == 0 ? scanner.choice(ways) : album else {
        throw CommandError(message: "move-track needs up or down", column: column)
      }
      return album == 0 ? .moveAlbum(step) : .moveTrack(step)
    },
    Verb(
      "sort", QueueOrder.allCases.map { ($0.rawValue, $0) },
      "sort the queue, or its marked rows; shuffle does so once; in Library, the albums",
      orSay: "sort by what? Choose \(listed(QueueOrder.allCases.map(\.rawValue)))"
    ) { .sort($0) },
  ]

  static let marks: [Verb<Action>] = [
    Verb(
      "mark-row", "[up | down | range | all | album | none]",
      "mark or unmark the row, and move; begin or end a range; mark all rows, the album of the selected track, or none",
      completing: .words(marked.map(\.word))
    ) { (scanner) throws(CommandError) in
      try scanner.choice(marked) ?? .markRow(1)
    }
  ]

  private static let marked: [(word: String, value: Action)] =
    ways.map { ($0.word, .markRow($0.value)) }
    + [("range", .markRange), ("all", .markAll), ("album", .markAlbum), ("none", .unmark)]

  /// `toggle` also switches what the screen shows.
  static let playing: [Verb<Action>] = PlayerVerbs.playing.map { verb in
    guard verb.name == "toggle", case .words(let words) = verb.completion else { return verb.map { .player($0) } }
    let own: [(word: String, value: Action)] = [
      ("remaining", .toggleRemaining), ("visualizer", .cycleVisualizer), ("panes", .togglePanes),
      ("all-files", .toggleAllFiles),
    ]
    let all = words + own.map(\.word)
    return Verb(
      verb.name, "[\(all.joined(separator: " | "))]", "pause or resume; switch a mode, or what the screen shows",
      completing: .words(all)
    ) { (scanner) throws(CommandError) in
      var ahead = scanner
      guard let word = try ahead.word(), !words.contains(word.text) else { return .player(try verb.read(&scanner)) }
      guard let action = own.first(where: { $0.word == word.text })?.value else {
        let hint = didYouMean(foreignSettings[word.text])
        throw CommandError(message: "\"\(word.text)\" is not \(listed(all))\(hint)", column: word.column)
      }
      scanner = ahead
      return action
    }
  }

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
    Verb("help", "[TEXT]", "keys, commands and settings, or those that have TEXT") { (scanner) throws(CommandError) in
      scanner.rest().map { .help($0.text) } ?? .show(.help)
    },
    Verb("cd", "FOLDER | ..", "show a folder, or the parent folder; in Library, .. is a level up", completing: .folders)
    {
      (scanner) throws(CommandError) in
      let folder = try scanner.word(orSay: "cd needs a folder: cd ~/Music").text
      return folder == ".." ? .parentFolder : .changeFolder(folder)
    },
    Verb("command", "[TEXT]", "open the command line with TEXT in it") { (scanner) throws(CommandError) in
      var words: [String] = []
      while let word = try scanner.word() { words.append(quoted(word.text)) }
      return .prompt(words.joined(separator: " "))
    },
    Verb(.cancel, help: "remove the marks; leave the slider, the filter, the search or the view"),
    Verb(.redraw),
    Verb(.suspend),
  ]
}
