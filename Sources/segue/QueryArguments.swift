internal import Library

/// Terms of queries on the command line. `-genre:rock` begins as options do.
enum QueryArguments {
  /// Options that take the next word, in commands that take queries.
  static let optionsWithValues: Set<String> = ["--instance", "--format", "--every", "--music"]

  /// The same arguments for the parser: if a term is excluded, options come first, then `--`, then the other words.
  static func separated(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, ["library", "ctl"].contains(command) else { return arguments }
    let first = arguments.indices.dropFirst().first {
      arguments[$0] == "--" || isExcluded(arguments[$0], in: command) && !optionsWithValues.contains(arguments[$0 - 1])
    }
    guard let first, arguments[first] != "--" else { return arguments }
    var (options, words): ([String], [String]) = ([], [])
    var rest = arguments[first...]
    while let word = rest.popFirst(), word != "--" {
      guard isOption(word) else {
        words.append(word)
        continue
      }
      options.append(word)
      if optionsWithValues.contains(word), let value = rest.popFirst() { options.append(value) }
    }
    return arguments[..<first] + options + ["--"] + words + rest
  }

  /// True for `-word`, `-field:value` and `-(...)`. The words of `ctl` may be numbers; its terms name a field.
  private static func isExcluded(_ word: String, in command: String) -> Bool {
    guard word.hasPrefix("-"), !word.hasPrefix("--"), word.count > 2, word != "-help" else { return false }
    return command == "library" || LibraryQuery.namesField(word)
  }

  /// True for `--word` and `-x`.
  private static func isOption(_ word: String) -> Bool {
    word.hasPrefix("--") || word == "-help" || word.count == 2 && word.first == "-" && word.last?.isLetter == true
  }
}
