internal import ByteIO
internal import Library

public enum PlaylistVerbs {
  public static let all: [Verb<Command>] = [
    Verb(
      "playlist", "\(changes.map(\.name).joined(separator: " | ")) NAME...",
      "make, change, import and export playlists",
      completing: .playlists(changes.map(\.name))
    ) {
      (scanner) throws(CommandError) in
      let names = listed(changes.map(\.name))
      let word = try scanner.word(orSay: "playlist takes \(names)")
      guard let change = changes.first(where: { $0.name == word.text }) else {
        throw CommandError(message: "\"\(word.text)\": playlist takes \(names)", column: word.column)
      }
      return .library(.playlist(try change.read(&scanner)))
    }
  ]

  /// The words after `playlist`.
  public static let changes: [Verb<PlaylistRequest>] = [
    Verb("add", "NAME [FILE | URL | QUERY]...", "add the selection, files or the results of a query") {
      (scanner) throws(CommandError) in
      let name = try name(&scanner, "add NAME")
      guard let rest = scanner.rest() else { return .add(name, .selection) }
      return .add(name, .names(WrittenNames(rest.text), in: nil))
    },
    Verb("create", "NAME [FILE | URL | QUERY]...", "make a playlist") { (scanner) throws(CommandError) in
      .create(try name(&scanner, "create NAME"), .names(WrittenNames(scanner.rest()?.text ?? ""), in: nil))
    },
    Verb("save", "NAME", "make a playlist of the queue") { (scanner) throws(CommandError) in
      .create(try wholeName(&scanner, "save NAME"), .queue)
    },
    Verb("smart", "NAME QUERY", "save a query as a smart playlist") { (scanner) throws(CommandError) in
      let (name, column) = (try name(&scanner, "smart NAME QUERY"), scanner.column)
      guard let query = scanner.rest() else {
        throw CommandError(message: "playlist smart needs a query: playlist smart NAME QUERY", column: column)
      }
      return .edit(.save(name, query: query.text))
    },
    Verb("remove", "NAME NUMBER...", "remove entries") { (scanner) throws(CommandError) in
      let name = try name(&scanner, "remove NAME NUMBER")
      var numbers = [try number(&scanner, "remove NAME NUMBER")]
      while let word = try scanner.word() { numbers.append(try number(word)) }
      return .edit(.remove(name, numbers: numbers))
    },
    Verb("move", "NAME NUMBER TO", "move an entry") { (scanner) throws(CommandError) in
      let form = "move NAME NUMBER TO"
      let (name, number, target) = (
        try name(&scanner, form), try number(&scanner, form), try number(&scanner, form)
      )
      return .edit(.move(name, number: number, to: target))
    },
    Verb("rename", "NAME NEW", "rename a playlist") { (scanner) throws(CommandError) in
      let (name, new) = (try name(&scanner, "rename NAME NEW"), try name(&scanner, "rename NAME NEW"))
      return .edit(.rename(name, to: new))
    },
    Verb("duplicate", "NAME NEW", "copy a playlist") { (scanner) throws(CommandError) in
      let (name, new) = (try name(&scanner, "duplicate NAME NEW"), try name(&scanner, "duplicate NAME NEW"))
      return .edit(.duplicate(name, as: new))
    },
    Verb("delete", "NAME", "delete a playlist") { (scanner) throws(CommandError) in
      .edit(.delete([try wholeName(&scanner, "delete NAME")]))
    },
    Verb("send", "NAME [SERVER]", "put a playlist on a server of music") { (scanner) throws(CommandError) in
      let name = try name(&scanner, "send NAME")
      return .edit(.send(name, to: try scanner.word()?.text))
    },
    Verb("import", "FILE...", "make playlists of files (m3u, pls, xspf, asx)") { (scanner) throws(CommandError) in
      let column = scanner.column
      guard let files = scanner.rest() else {
        throw CommandError(message: "playlist import needs a file: playlist import FILE", column: column)
      }
      return .read(WrittenNames(files.text), in: nil)
    },
    exporting("export", "write a playlist to a file (m3u8)"),
    exporting("export!", "the same, replacing another playlist, which is kept as FILE~", replacesOther: true),
  ]

  private static func exporting(
    _ verb: String, _ help: String, replacesOther: Bool = false
  ) -> Verb<PlaylistRequest> {
    Verb(verb, "NAME [FILE]", help) { (scanner) throws(CommandError) in
      let name = try name(&scanner, "\(verb) NAME")
      return .write(name, to: try scanner.word().map { BytePath($0.text) }, replacesOther: replacesOther, in: nil)
    }
  }

  private static func name(_ scanner: inout CommandScanner, _ form: String) throws(CommandError) -> String {
    try scanner.word(orSay: "a name is missing: playlist \(form)").text
  }

  /// A name up to the end of the line, which needs no quotes.
  private static func wholeName(_ scanner: inout CommandScanner, _ form: String) throws(CommandError) -> String {
    ([try name(&scanner, form)] + (try scanner.words())).joined(separator: " ")
  }

  private static func number(_ scanner: inout CommandScanner, _ form: String) throws(CommandError) -> Int {
    try number(try scanner.word(orSay: "a number is missing: playlist \(form)"))
  }

  private static func number(_ word: CommandScanner.Word) throws(CommandError) -> Int {
    guard let number = Int(word.text), number > 0 else {
      throw CommandError(message: "\"\(word.text)\" is not an entry: they count from 1", column: word.column)
    }
    return number
  }
}
