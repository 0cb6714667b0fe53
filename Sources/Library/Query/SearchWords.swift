/// The words of a search without a query language. A row has all of them, each in any of its fields; case, accents and
/// punctuation within words make no difference.
public struct SearchWords: Sendable, Hashable {
  /// Folded, in UTF-8.
  var words: [[UInt8]]

  /// The words of a text; `nil` if it has none.
  public init?(_ text: String) {
    words = text.split(whereSeparator: \.isWhitespace).map { TextFolding.folded(String($0)) }.filter { !$0.isEmpty }
    if words.isEmpty { return nil }
  }

  init(_ words: [[UInt8]]) { self.words = words }

  /// The words with spaces between them.
  var text: String { String(decoding: Array(words.joined(separator: [0x20])), as: UTF8.self) }

  /// The rank of a row that has none of the words in its fields, and was found by other facts.
  public var lastRank: Int { words.count * LibrarySearch.lastScore }

  /// The rank of a line of fields: the sum over all words of the best place of each; `nil` if a word is missing.
  func rank(of line: UnsafeRawBufferPointer) -> Int? {
    var rank = 0
    for word in words {
      guard let score = Self.score(of: word, in: line) else { return nil }
      rank += score
    }
    return rank
  }

  /// The best place of a word in a line of fields (`LibrarySearch.score`); `nil` if it is missing.
  static func score(of word: [UInt8], in line: UnsafeRawBufferPointer) -> Int? {
    [word, TextFolding.squeezed(word)].lazy.map { LibrarySearch.score(of: $0, in: line) }
      .first { $0 < LibrarySearch.lastScore }
  }
}

extension LibraryQuery {
  public init(_ words: SearchWords, limit: Int? = nil) {
    let conditions = words.words.map { Condition.text(nil, $0, isExact: false) }
    condition = conditions.count == 1 ? conditions[0] : .all(conditions)
    self.limit = limit
  }
}

extension LibrarySearch {
  /// The artists whose names have all words, the best first.
  public func artists(_ words: SearchWords) -> [Int] {
    let index = view.index
    return ranked(index.artistCount, words) { [index.word($0, IndexLayout.Artist.name)] }
  }

  /// The albums with all words in title and artist, the best first.
  public func albums(_ words: SearchWords) -> [Int] {
    let index = view.index
    return ranked(index.albumCount, words) {
      [index.word($0, IndexLayout.Album.title), index.word($0, IndexLayout.Album.artist)]
    }
  }

  private func ranked(_ count: Int, _ words: SearchWords, texts: (Int) -> [UInt32]) -> [Int] {
    var line: [UInt8] = []
    var found: [(rank: Int, row: Int)] = []
    for row in 0..<count {
      line.removeAll(keepingCapacity: true)
      for text in texts(row) { TextFolding.appendField(view.index.bytes(text), to: &line) }
      if let rank = line.withUnsafeBytes(words.rank) { found.append((rank, row)) }
    }
    return found.sorted { $0 < $1 }.map(\.row)
  }
}
