/// Takes a line of the command language apart, word by word: words stand between blanks; `'...'` and `"..."` hold blanks,
/// `\` makes any character an ordinary one but within `'...'`; a word that is `#` begins a comment.
struct CommandScanner {
  /// A word, and where it begins.
  struct Word {
    var text: String
    /// In characters from 1.
    var column: Int
  }

  private let line: [Character]
  private var index = 0

  init(_ line: String) { self.line = Array(line) }

  /// Where the next word begins, or the line ends, in characters from 1.
  var column: Int {
    mutating get {
      skipBlanks()
      return index + 1
    }
  }

  private mutating func skipBlanks() {
    while index < line.count, line[index].isWhitespace { index += 1 }
    if index < line.count, line[index] == "#", index + 1 == line.count || line[index + 1].isWhitespace {
      index = line.count
    }
  }

  /// The next word; `nil` at the end.
  mutating func word() throws(CommandError) -> Word? {
    skipBlanks()
    guard index < line.count else { return nil }
    var word = Word(text: "", column: index + 1)
    while index < line.count, !line[index].isWhitespace {
      let character = line[index]
      index += 1
      switch character {
      case "\\":
        guard index < line.count else { throw CommandError(message: "a character is missing after \\", column: index) }
        word.text.append(line[index])
        index += 1
      case "'", "\"": try takeQuoted(character, into: &word)
      default: word.text.append(character)
      }
    }
    return word
  }

  private mutating func takeQuoted(_ quote: Character, into word: inout Word) throws(CommandError) {
    let start = index
    while index < line.count, line[index] != quote {
      if line[index] == "\\", quote == "\"", index + 1 < line.count { index += 1 }
      word.text.append(line[index])
      index += 1
    }
    guard index < line.count else { throw CommandError(message: "the closing \(quote) is missing", column: start) }
    index += 1
  }

  /// The next word as it stands, for keys, which may be quotes; `nil` at the end.
  mutating func rawWord() -> Word? {
    while index < line.count, line[index].isWhitespace { index += 1 }
    guard index < line.count else { return nil }
    let start = index
    while index < line.count, !line[index].isWhitespace { index += 1 }
    return Word(text: String(line[start..<index]), column: start + 1)
  }

  /// All that is left, as it stands; `nil` where there is nothing.
  mutating func rest() -> Word? {
    while index < line.count, line[index].isWhitespace { index += 1 }
    guard index < line.count else { return nil }
    defer { index = line.count }
    return Word(text: String(line[index...]), column: index + 1)
  }

  /// A word that must be there; if not, that is the message.
  mutating func word(orSay message: String) throws(CommandError) -> Word {
    guard let word = try word() else { throw CommandError(message: message, column: column) }
    return word
  }

  /// One of these words, or nothing.
  mutating func choice<Value>(_ values: [(word: String, value: Value)]) throws(CommandError) -> Value? {
    guard let word = try word() else { return nil }
    if let found = values.first(where: { $0.word == word.text }) { return found.value }
    throw CommandError(message: "\"\(word.text)\" is not \(listed(values.map(\.word)))", column: word.column)
  }

  /// That is all.
  mutating func end() throws(CommandError) {
    guard let word = try word() else { return }
    let message = "unexpected \"\(word.text)\". Names with spaces need quotes: load \"Delta Nine/1980\""
    throw CommandError(message: message, column: word.column)
  }
}

/// Words as one says them: `off, all or one`.
func listed(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}
