internal import Playback

extension Verb {
  static let queue: [Verb] = [
    Verb("open", "FILE | FOLDER | PLAYLIST | URL...", "play that now", completing: .files) {
      (scanner) throws(CommandError) in
      .open(WrittenNames(scanner.rest()?.text ?? ""))
    },
    adding("add", .end, "to the end of the queue"),
    adding("enqueue", .enqueued, "behind what was enqueued before"),
    adding("play-next", .next, "behind the track that is played"),
    Verb("remove", "remove the selected track from the queue", .remove),
    Verb("move-track", "up | down", "move the selected track", completing: .words(["up", "down"])) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let rows = try scanner.choice([("up", -1), ("down", 1)]) else {
        throw CommandError(message: "up or down is missing", column: column)
      }
      return .moveTrack(rows)
    },
    Verb("clear", "remove all tracks from the queue", .clear),
    Verb("undo", "undo the last change of the queue", .undo),
    Verb("redo", "make that change again", .redo),
    saving("save", "write the queue as a playlist (m3u8)"),
    saving("save!", "the same, in place of another playlist, which is kept as FILE~", replacesOther: true),
    Verb("load", "PLAYLIST | FOLDER | FILE", "play that in place of the queue", completing: .files) {
      (scanner) throws(CommandError) in
      .load(try scanner.word("the name of a playlist").text)
    },
  ]

  private static func adding(_ name: String, _ placement: PlayQueue.Placement, _ help: String) -> Verb {
    Verb(name, "[FILE | FOLDER | PLAYLIST | URL]...", "put that, or what is selected, " + help, completing: .files) {
      (scanner) throws(CommandError) in
      .add(WrittenNames(scanner.rest()?.text ?? ""), placement)
    }
  }

  private static func saving(_ name: String, _ help: String, replacesOther: Bool = false) -> Verb {
    Verb(name, "FILE", help, completing: .files) { (scanner) throws(CommandError) in
      let column = scanner.column
      guard let word = try scanner.word() else {
        throw CommandError(message: "\(name) needs a file name: \(name) NAME", column: column)
      }
      return .save(word.text, replacesOther: replacesOther)
    }
  }

  static let lists: [Verb] = [
    Verb(
      "move", listed(ListMotion.named.map(\.word)), "move in the list", completing: .words(ListMotion.named.map(\.word))
    ) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let motion = try scanner.choice(ListMotion.named.map { ($0.word, $0.motion) }) else {
        throw CommandError(message: "where to is missing", column: column)
      }
      return .move(motion)
    },
    Verb("enter", "play what is selected, or open it; on the slider: go there", .playSelected),
    Verb("go-playing", "to the track that is played", .selectPlaying),
    Verb("search", "[TEXT]", "go to the next row with that") { (scanner) throws(CommandError) in
      .search(scanner.rest()?.text)
    },
    Verb("search-next", "next match", .searchNext),
    Verb("search-previous", "previous match", .searchPrevious),
    Verb("filter", "[TEXT]", "show only rows with that") { (scanner) throws(CommandError) in
      .filter(scanner.rest()?.text)
    },
    Verb("focus", "to the slider, and back to the list", .switchFocus),
    Verb(
      "view", listed(ScreenView.allCases.map(\.rawValue)), "show that",
      completing: .words(ScreenView.allCases.map(\.rawValue))
    ) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let view = try scanner.choice(ScreenView.allCases.map { ($0.rawValue, $0) }) else {
        throw CommandError(message: "the name of a view is missing", column: column)
      }
      return .show(view)
    },
    Verb("help", "keys, commands and settings", .show(.help)),
    Verb("cd", "FOLDER", "show a folder", completing: .folders) { (scanner) throws(CommandError) in
      .changeFolder(try scanner.word("the name of a folder").text)
    },
    Verb("parent", "show the folder above", .parentFolder),
    Verb("command", "[TEXT]", "open the command line, with that in it") { (scanner) throws(CommandError) in
      var words: [String] = []
      while let word = try scanner.word() { words.append(quoted(word.text)) }
      return .prompt(words.joined(separator: " "))
    },
    Verb("remaining", "time elapsed or remaining", .toggleRemaining),
    Verb("cancel", "leave the slider, the filter or the view", .cancel),
    Verb("redraw", "draw the screen anew", .redraw),
    Verb("suspend", "to the shell", .suspend),
    Verb("quit", "quit", .quit),
    Verb("quit-without-saving", "quit, and forget this session", .quitWithoutSaving),
  ]
}
