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
    let values = Self.fixedValues(of: field) ?? view.map { FieldValues(view: $0).values(of: field) } ?? []
    candidates = Self.best(values, beginning).map { sign + Self.quoted($0) }
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

  /// The values that begin with the text, then those with a later word that does.
  private static func best(_ values: [String], _ beginning: [UInt8]) -> [String] {
    let inside = [UInt8(ascii: " ")] + beginning
    let found = values.compactMap { value -> (String, isInside: Bool)? in
      // A phrase cannot contain the sign that ends it.
      guard !value.isEmpty, !value.contains("\"") else { return nil }
      let folded = TextFolding.folded(value)
      if folded.starts(with: beginning) { return (value, false) }
      return folded.firstRange(of: inside) != nil ? (value, true) : nil
    }
    return (found.filter { !$0.isInside } + found.filter(\.isInside)).prefix(limit).map(\.0)
  }

  private static func quoted(_ value: String) -> String {
    let isPlain = !value.hasPrefix("=") && !value.contains { $0.isWhitespace || "()|".contains($0) }
    return isPlain ? value : "\"\(value)\""
  }
}

/// The values of fields in a library, in natural order; none for fields with a value per track.
private struct FieldValues {
  let view: LibraryView
  private var index: LibraryIndex { view.index }

  init(view: LibraryView) { self.view = view }

  func values(of field: String) -> [String] {
    switch field {
    case "artist": names(.artists)
    case "albumartist": (0..<index.artistCount).map { view.artist($0).name }
    case "album": Self.sorted((0..<index.albumCount).map { view.album($0).title })
    case "genre": names(.genres)
    case "composer": names(.composers)
    case "format": Self.sorted(distinct(.format).map(index.text))
    case "playlist": view.playlists.map(\.name)
    default: []
    }
  }

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

  private func names(_ word: IndexLayout.Track) -> [String] { Self.sorted(distinct(word).flatMap(index.texts)) }

  private static func sorted(_ names: [String]) -> [String] {
    Set(names).map { ($0, TextFolding.folded($0)) }
      .sorted { $0.1 == $1.1 ? $0.0 < $1.0 : precedesNaturally($0.1, $1.1) }.map(\.0)
  }
}
