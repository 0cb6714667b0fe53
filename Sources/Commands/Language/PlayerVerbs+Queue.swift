internal import ByteIO
internal import Playback

extension PlayerVerbs {
  public static let queue: [Verb<Command>] = [
    Verb(
      "open", "FILE | FOLDER | PLAYLIST | URL | QUERY... | \(similar)",
      "play this, or similar music, in place of the queue",
      completing: .files
    ) { (scanner) throws(CommandError) in finding(&scanner, .played) },
    adding("add", .end, "at the end of the queue"),
    adding("enqueue", .enqueued, "after other queued tracks"),
    adding("play-next", .next, "after the current track"),
    Verb("clear", "remove all tracks from the queue", .edit(.clear)),
    Verb("undo", "undo the last change of queue, ratings or playlists", .undo),
    Verb("redo", "redo the last change of the queue that was undone", .redo),
    saving("save", "write the queue as a playlist (m3u8)"),
    saving("save!", "the same, replacing another playlist, which is kept as FILE~", replacesOther: true),
    Verb(
      "load", "[PLAYLIST | FOLDER | FILE]", "replace the queue with a playlist, folder or file, or with the selection",
      completing: .files
    ) {
      (scanner) throws(CommandError) in
      .find(WrittenNames(scanner.rest()?.text ?? ""), .whole, in: nil)
    },
  ]

  private static func adding(_ name: String, _ placement: PlayQueue.Placement, _ help: String) -> Verb<Command> {
    Verb(
      name, "[FILE | FOLDER | PLAYLIST | URL | QUERY]... | \(similar)",
      "add files, the results of a query, similar music, or the selection, " + help, completing: .files
    ) { (scanner) throws(CommandError) in finding(&scanner, .turn(placement)) }
  }

  /// The word for music like the selection, as its server knows it; without a selection like the current track.
  static let similar = "similar"

  private static func finding(_ scanner: inout CommandScanner, _ destination: Command.Destination) -> Command {
    let names = WrittenNames(scanner.rest()?.text ?? "")
    return names.text == similar ? .library(.similar(.selection, destination)) : .find(names, destination, in: nil)
  }

  private static func saving(_ name: String, _ help: String, replacesOther: Bool = false) -> Verb<Command> {
    Verb(name, "FILE", help, completing: .files) { (scanner) throws(CommandError) in
      let column = scanner.column
      let words = try scanner.words()
      guard !words.isEmpty else {
        throw CommandError(message: "\(name) needs a file name: \(name) NAME", column: column)
      }
      return .save(BytePath(words.joined(separator: " ")), replacesOther: replacesOther, in: nil)
    }
  }

  /// Rating, love, and what is kept on the disk.
  public static let rating: [Verb<Command>] = [
    Verb("rate", "[+|-]0-10 | none", "rate the selected or current track", completing: .words(["none"])) {
      (scanner) throws(CommandError) in
      let word = try scanner.word(orSay: "rate needs a number from 0 to 10, a change like +1, or none")
      if word.text == "none" { return .library(.rate(.set(nil), [])) }
      guard let number = Int(word.text), -10...10 ~= number else {
        throw CommandError(message: "\"\(word.text)\" is not 0 to 10, +1, -1 or none", column: word.column)
      }
      let isChange = word.text.first == "+" || word.text.first == "-"
      return .library(.rate(isChange ? .by(number) : .set(number), []))
    },
    Verb(
      "love", "[on | off]", "love or unlove the selected or current track", completing: .words(["on", "off"])
    ) {
      (scanner) throws(CommandError) in
      let isLoved = try scanner.choice([("on", true), ("off", false)])
      return .library(.rate(isLoved.map { .love($0) } ?? .toggleLove, []))
    },
    Verb(
      "pin", "[on | off]", "keep the selected or current track of a server on the disk, or no longer",
      completing: .words(["on", "off"])
    ) {
      (scanner) throws(CommandError) in
      .library(.rate(.pin(try scanner.choice([("on", true), ("off", false)]) ?? true), []))
    },
  ]

  public static let library: [Verb<Command>] = [
    Verb(
      "library", "add FOLDER | forget FOLDER | import FILE | scan | stop | undo", "change the music library",
      completing: .wordsThenFiles(["add", "forget", "import", "scan", "stop", "undo"])
    ) { (scanner) throws(CommandError) in
      let word = try scanner.word(orSay: "library takes add, forget, import, scan, stop or undo")
      switch word.text {
      case "scan": return .library(.scan)
      case "stop": return .library(.stop)
      case "undo": return .library(.undo)
      case "add":
        let folder = try scanner.word(orSay: "library add needs a folder: library add ~/Music")
        return .library(.add(BytePath(folder.text)))
      case "forget":
        let folder = try scanner.word(orSay: "library forget needs a folder: library forget ~/Music")
        return .library(.forget(BytePath(folder.text)))
      case "import":
        let file = try scanner.word(orSay: "library import needs a file of another player: library import FILE")
        return .library(.importFacts(BytePath(file.text)))
      default:
        throw CommandError(
          message: "\"\(word.text)\": library takes add, forget, import, scan, stop or undo", column: word.column)
      }
    }
  ]

  public static let quitting: [Verb<Command>] = [
    Verb("detach", "leave the terminal and play on; segue without arguments returns", .detach),
    Verb(
      "quit", "[without-saving]", "quit and save session, or without saving it", completing: .words(["without-saving"])
    ) { (scanner) throws(CommandError) in
      try scanner.choice([("without-saving", .quit(savesSession: false))]) ?? .quit(savesSession: true)
    },
  ]

  public static let settings: [Verb<Command>] = [
    Verb("set", "NAME[=VALUE]", "change a setting, or show its value", completing: .settings) {
      (scanner) throws(CommandError) in
      let (name, value) = try scanner.assignment(orSay: "set needs NAME=VALUE: set crossfade=4")
      guard let setting = Setting(rawValue: name.text) else {
        guard value != nil else {
          throw CommandError(message: "write set NAME=VALUE, as in set crossfade=4", column: name.column)
        }
        let names = Setting.allCases.map(\.rawValue)
        let hint = nearest(to: name.text, among: names).map { didYouMean($0) } ?? ". Settings: \(listed(names))"
        throw CommandError(message: "unknown setting \"\(name.text)\"\(hint)", column: name.column)
      }
      guard let value else { return .showSetting(setting) }
      var settings = Settings()
      if let refusal = settings.set(setting, to: value) { throw CommandError(message: refusal, column: name.column) }
      return .set(setting, value)
    }
  ]
}
