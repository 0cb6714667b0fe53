/// The closeness of words to the names of a thing; smaller is better.
struct WordFit: Comparable {
  enum Closeness: Int { case whole, wordStarts, inside }

  /// The words are the whole name, begin words of it, or are inside of words.
  var closeness: Closeness
  /// The kind among things that are equally close.
  var kind = 0
  /// See `SearchLines.Match`.
  var rank: Int
  var length: Int
  /// True if the first name has one of the words.
  var hasOwnWord: Bool

  static func < (one: WordFit, other: WordFit) -> Bool {
    (one.closeness.rawValue, one.kind, one.rank, one.length)
      < (other.closeness.rawValue, other.kind, other.rank, other.length)
  }
}

extension SearchWords {
  /// The fit of a name and of another one beside it, such as title and artist; `nil` if a word is missing.
  func fit(_ name: String, _ other: String = "") -> WordFit? {
    var line: [UInt8] = []
    for var text in [name, other] { text.withUTF8 { TextFolding.appendField(UnsafeRawBufferPointer($0), to: &line) } }
    let scores = line.withUnsafeBytes { line in words.compactMap { Self.score(of: $0, in: line) } }
    guard scores.count == words.count else { return nil }
    let (own, beside) = (Self.letters(TextFolding.folded(name)), Self.letters(TextFolding.folded(other)))
    let isWhole = [own, own + beside, beside + own].contains(Self.letters(Array(words.joined(separator: [0x20]))))
    return WordFit(
      closeness: isWhole ? .whole : scores.contains { $0 >= 8 } ? .inside : .wordStarts,
      rank: scores.reduce(0, +), length: name.utf8.count, hasOwnWord: scores.contains { $0 & 3 == 0 })
  }

  /// The places of names, each with another one beside it, that have all words, the best first.
  ///
  /// - Parameter withOwnWord: Only those whose own name has one of the words.
  public func best(_ names: [(String, String)], withOwnWord: Bool = false) -> [Int] {
    let fits = names.enumerated().compactMap { place, name in fit(name.0, name.1).map { (fit: $0, place: place) } }
    return fits.filter { !withOwnWord || $0.fit.hasOwnWord }.sorted { ($0.fit, $0.place) < ($1.fit, $1.place) }
      .map(\.place)
  }

  /// The words without typing errors, by names with others beside them; `nil` if none is wrong, or nothing is near.
  public func corrected(by names: [(String, String)]) -> SearchWords? {
    var lines = SearchLines()
    for name in names { lines.append(name.0, name.1) }
    return lines.withBytes { corrected(by: $0) }
  }

  /// Folded text without "the" at its beginning, spaces and punctuation.
  private static func letters(_ folded: [UInt8]) -> [UInt8] {
    let words = folded.split(separator: 0x20)
    let own = words.count > 1 && words[0].elementsEqual("the".utf8) ? words.dropFirst() : words[...]
    return own.flatMap { $0.filter { !TextFolding.isMark($0) } }
  }
}
