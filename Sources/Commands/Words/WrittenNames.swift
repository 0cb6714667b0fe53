/// Names of files, folders and addresses as a person typed, pasted or dropped them: each word a name, or the whole text
/// one name.
public struct WrittenNames: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The whole text as written.
  public var text: String
  /// The same as words of the command language.
  public var words: [String]

  /// Names that are each a word.
  public init(arrayLiteral words: String...) { self.init(quoting: words) }

  private init(quoting words: [String]) { (self.words, text) = (words, words.map(quoted).joined(separator: " ")) }

  /// Words of a shell, or a text that it has split into words.
  public init(words: [String]) { (self.words, text) = (words, words.joined(separator: " ")) }

  /// Names in a text. A text that cannot be split into words, as with an open quote, is one name.
  public init(_ text: String) {
    self.text = text
    words = (try? Self.words(in: text)) ?? [text]
  }

  /// The text as a query, without the quotes that a program put around words (`ctl add 'genre:"free jazz"'`).
  public var query: String {
    let plain = words.joined(separator: " ")
    return text == WrittenNames(quoting: words).text ? plain : text
  }

  public var isEmpty: Bool { words.isEmpty }

  private static func words(in text: String) throws(CommandError) -> [String] {
    var scanner = CommandScanner(text)
    var words: [String] = []
    while let word = try scanner.word() { words.append(word.text) }
    return words
  }
}
