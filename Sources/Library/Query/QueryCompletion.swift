/// Completions of the last word of an unfinished query: fields, and the values that a field has in the library.
public struct QueryCompletion: Sendable, Hashable {
  /// The number of characters before the completed word.
  public var start: Int
  /// Whole words as they are typed, the best first. Names of fields end with a colon.
  public var candidates: [String]

  /// The largest number of candidates.
  static let limit = 500

  /// - Parameters:
  ///   - text: The query up to the cursor.
  ///   - view: The library, which may be read from a disk; without one only fields and fixed values are known.
  public init(_ text: String, in view: LibraryView?) {
    let characters = Array(text)
    start = Self.lastWord(characters)
    let word = String(characters[start...])
    guard let colon = word.firstIndex(of: ":") else {
      candidates = LibraryQuery.fieldNames.filter { $0.hasPrefix(word.lowercased()) }.map { $0 + ":" }
      return
    }
    let field = word[..<colon].lowercased()
    let typed = word[colon...].dropFirst()
    let sign = field + (typed.hasPrefix("=") ? ":=" : ":")
    let beginning = TextFolding.folded(String(typed.drop { $0 == "=" }).replacing("\"", with: ""))
    if let values = Self.fixedValues(of: field) {
      candidates = values.filter { TextFolding.folded($0).starts(with: beginning) }.map { sign + $0 }
    } else {
      let values = view.map { FieldValues(view: $0).values(of: field) } ?? []
      candidates = Self.best(values, beginning).map { sign + Self.quoted($0) }
    }
  }

  /// The start of the last word, behind signs before it: its phrase may be unfinished.
  private static func lastWord(_ characters: [Character]) -> Int {
    var start = 0
    var isQuoted = false
    for (place, character) in characters.enumerated() {
      if character == "\"" { isQuoted.toggle() }
      if !isQuoted, character.isWhitespace || "()|".contains(character) { start = place + 1 }
    }
    if start < characters.count, characters[start] == "-" { start += 1 }
    return start
  }

  private static func fixedValues(of field: String) -> [String]? {
    switch field {
    case "sort": LibraryQuery.sortableNames.flatMap { [$0, $0 + "-"] }
    case "state": ["here", "away", "missing"]
    case "loved": ["yes", "no"]
    case "shuffle": LibraryQuery.Shuffle.allCases.map(\.rawValue)
    default: nil
    }
  }

  /// The values that begin with the text, then those with a later word that does, each in natural order.
  private static func best(_ values: Set<String>, _ beginning: [UInt8]) -> [String] {
    let inside = ByteFinder([UInt8(ascii: " ")] + beginning)
    var (first, others): ([(String, [UInt8])], [(String, [UInt8])]) = ([], [])
    for value in values where Self.canBeTyped(value) {
      let folded = TextFolding.folded(value)
      if folded.starts(with: beginning) {
        first.append((value, folded))
      } else if folded.withUnsafeBytes({ inside.first(in: $0, from: 0) }) != nil {
        others.append((value, folded))
      }
    }
    let precedes = { (a: (String, [UInt8]), b: (String, [UInt8])) in
      a.1 == b.1 ? a.0 < b.0 : precedesNaturally(a.1, b.1)
    }
    return (first.sorted(by: precedes) + others.sorted(by: precedes)).prefix(limit).map(\.0)
  }

  /// False for a text with the sign that ends a phrase, or with characters that control a terminal: tags are anyone's.
  private static func canBeTyped(_ value: String) -> Bool {
    !value.isEmpty
      && value.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        case .format: !scalar.properties.isBidiControl
        default: scalar != "\""
        }
      }
  }

  private static func quoted(_ value: String) -> String {
    let isPlain = !value.hasPrefix("=") && !value.contains { $0.isWhitespace || "()|".contains($0) }
    return isPlain ? value : "\"\(value)\""
  }
}

/// The values of fields in a library; none for fields with a value per track.
private struct FieldValues {
  let view: LibraryView
  private var index: LibraryIndex { view.index }

  init(view: LibraryView) { self.view = view }

  func values(of field: String) -> Set<String> {
    switch field {
    case "artist": names(.artists)
    case "albumartist": Set((0..<index.artistCount).lazy.map { view.artist($0).name })
    case "album": Set((0..<index.albumCount).lazy.map { view.album($0).title })
    case "genre": names(.genres)
    case "format": Set(distinct(.format).lazy.map(index.text))
    case "playlist": Set(view.playlists.lazy.map(\.name))
    default: IndexLayout.tags.first { $0.name == field }.map { names($0.word) } ?? []
    }
  }

  private func names(_ word: IndexLayout.Track) -> Set<String> { Set(distinct(word).lazy.flatMap(index.texts)) }

  /// There are few combinations of names: each one is read once, however many tracks have it.
  private func distinct(_ word: IndexLayout.Track) -> Set<UInt32> {
    var words: Set<UInt32> = []
    var last: UInt32?
    for track in 0..<index.trackCount {
      let value = index.word(track, word)
      // Neighbours have the same, mostly.
      if value != last { words.insert(value) }
      last = value
    }
    return words
  }
}
