internal import Commands

extension ActionVerbs {
  static let streams: [Verb<Action>] = [
    Verb("keep", "[URL [NAME]]", "save a stream: URL, or the selected or current one") {
      (scanner) throws(CommandError) in
      guard let address = try scanner.word() else { return .keepStream(nil, title: nil) }
      guard address.text.contains("://") else {
        let message = "\"\(address.text)\" is not an address like http://host/stream"
        throw CommandError(message: message, column: address.column)
      }
      return .keepStream(address.text, title: name(&scanner))
    },
    Verb("rename", "NAME", "rename the selected stream or playlist") { (scanner) throws(CommandError) in
      let column = scanner.column
      guard let title = name(&scanner) else {
        throw CommandError(message: "rename needs a name: rename NAME", column: column)
      }
      return .rename(title)
    },
  ]

  /// The rest of the line. Quotes around the whole name are not part of it; those inside are, as in Don't Stop.
  private static func name(_ scanner: inout CommandScanner) -> String? {
    guard let name = scanner.rest()?.text else { return nil }
    var quoted = CommandScanner(name)
    if name.hasPrefix("'") || name.hasPrefix("\""), let words = try? quoted.words(), words.count == 1 {
      return words[0]
    }
    return name
  }

  /// `library` alone shows the view.
  static let library: [Verb<Action>] = PlayerVerbs.library.map { verb in
    Verb(
      verb.name, "[\(verb.synopsis)]", "show the music library, or change its folders", completing: verb.completion
    ) { (scanner) throws(CommandError) in
      var ahead = scanner
      return try ahead.word() == nil ? .show(.library) : .player(try verb.read(&scanner))
    }
  }
}
