internal import Library

/// Words of `library` and `ctl` that begin as options do: `-genre:rock` of a query, and numbers such as `-10`.
enum QueryArguments {
  /// Options that take the next word, in commands that take queries.
  static let optionsWithValues: Set<String> = ["--instance", "--format", "--every", "--music"]

  /// The same arguments for the parser: if a word begins as options do, these come first, then `--`, then all words.
  static func separated(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, ["library", "ctl"].contains(command) else { return arguments }
    let first = arguments.indices.dropFirst().first {
      arguments[$0] == "--" || isWord(arguments[$0], in: command) && !optionsWithValues.contains(arguments[$0 - 1])
    }
    guard let first, arguments[first] != "--" else { return arguments }
    var (options, words): ([String], [String]) = ([], [])
    var rest = arguments[first...]
    while let word = rest.popFirst(), word != "--" {
      guard isOption(word, in: command) else {
        words.append(word)
        continue
      }
      options.append(word)
      if optionsWithValues.contains(word), let value = rest.popFirst() { options.append(value) }
    }
    return arguments[..<first] + options + ["--"] + words + rest
  }

  /// True for `-word`, `-field:value` and `-(...)`; for `ctl`, whose terms name a field, also for `-10` and `-.5`.
  private static func isWord(_ word: String, in command: String) -> Bool {
    guard word.hasPrefix("-"), !isOption(word, in: command), word.count > 2 || command == "ctl" else { return false }
    return command == "library" || LibraryQuery.namesField(word)
      || word.dropFirst().first.map { "0"..."9" ~= $0 || $0 == "." } == true
  }

  /// True for `--word` and `-x`; for `ctl` also for its option `-0`, alone or with another one.
  private static func isOption(_ word: String, in command: String) -> Bool {
    word.hasPrefix("--") || word == "-help" || word.count == 2 && word.first == "-" && word.last?.isLetter == true
      || command == "ctl" && ["-0", "-0Q", "-Q0"].contains(word)
  }
}
