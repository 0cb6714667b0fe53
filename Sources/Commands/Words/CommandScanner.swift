/// Splits a line of the command language into words. Spaces separate words; `'...'` and `"..."` may contain spaces; `\`
/// quotes the next character, except within `'...'`; the word `#` begins a comment.
public struct CommandScanner {
  public struct Word {
    /// Without quotes.
    public var text: String
    /// In characters from 1.
    public var column: Int

    public init(text: String, column: Int) { (self.text, self.column) = (text, column) }
  }

  private let line: [Character]
  private var index = 0

  public init(_ line: String) { self.line = Array(line) }

  /// The place of the next word, or of the end of the line, in characters from 1.
  public var column: Int {
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
  public mutating func word() throws(CommandError) -> Word? {
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

  /// The next word with its quotes, for the names of keys; `nil` at the end.
  public mutating func rawWord() -> Word? {
    while index < line.count, line[index].isWhitespace { index += 1 }
    guard index < line.count else { return nil }
    let start = index
    while index < line.count, !line[index].isWhitespace { index += 1 }
    return Word(text: String(line[start..<index]), column: start + 1)
  }

  /// The rest of the line, unchanged; `nil` if it is empty.
  public mutating func rest() -> Word? {
    while index < line.count, line[index].isWhitespace { index += 1 }
    guard index < line.count else { return nil }
    defer { index = line.count }
    return Word(text: String(line[index...]), column: index + 1)
  }

  /// The next word; throws the message at the end of the line.
  public mutating func word(orSay message: String) throws(CommandError) -> Word {
    guard let word = try word() else { throw CommandError(message: message, column: column) }
    return word
  }

  /// The value of the next word, which must be one of these; `nil` at the end.
  public mutating func choice<Value>(_ values: [(word: String, value: Value)]) throws(CommandError) -> Value? {
    guard let word = try word() else { return nil }
    if let found = values.first(where: { $0.word == word.text }) { return found.value }
    let words = values.map(\.word)
    throw CommandError(
      message: words.count == 1
        ? "unexpected \"\(word.text)\". Only \(words[0]) can stand here" : "\"\(word.text)\" is not \(listed(words))",
      column: word.column)
  }

  /// The words up to the end.
  public mutating func words() throws(CommandError) -> [String] {
    var words: [String] = []
    while let word = try word() { words.append(word.text) }
    return words
  }

  /// `NAME`, `NAME=VALUE` or `NAME VALUE`; throws the message at the end of the line.
  public mutating func assignment(orSay message: String) throws(CommandError) -> (name: Word, value: String?) {
    var name = try word(orSay: message)
    if let equals = name.text.firstIndex(of: "="), equals > name.text.startIndex {
      let value = String(name.text[equals...].dropFirst())
      name.text = String(name.text[..<equals])
      return (name, value)
    }
    var words = try words()
    if words.count > 1, words[0] == "=" { words.removeFirst() }
    return (name, words.isEmpty ? nil : words.joined(separator: " "))
  }

  /// Throws unless the line has ended.
  ///
  /// - Parameter lonely: The command that takes no words.
  public mutating func end(after lonely: String? = nil) throws(CommandError) {
    guard let word = try word() else { return }
    let message =
      "unexpected \"\(word.text)\". "
      + (lonely.map { "\($0) stands alone" } ?? "Names with spaces need quotes, as in \"Delta Nine\"")
    throw CommandError(message: message, column: word.column)
  }
}
