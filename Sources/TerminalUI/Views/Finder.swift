internal import Library

/// Ranks the rows of all sources of the finder by one rule: the places of the words in their fields. Pure.
struct Finder: Sendable {
  /// The sources, in the order of rows that are equally good.
  enum Source: Int, Sendable, CaseIterable {
    case queue, library, playlists, streams, chapters, files, sheets, lyrics
  }

  /// A row that was found.
  struct Hit: Sendable, Hashable {
    let source: Source
    /// The number of the row in its source.
    let row: Int
  }

  private var lines = [SearchLines](repeating: SearchLines(), count: Source.allCases.count)

  mutating func set(_ source: Source, _ lines: SearchLines) { self.lines[source.rawValue] = lines }

  /// The rows that have all words, the best first; without any, those that have them in spite of typing errors.
  ///
  /// - Parameter whole: A source whose rows are all shown, those without the words last: it was searched by other facts.
  func hits(_ words: SearchWords, whole: Source? = nil) -> [Hit] {
    // The rank, the source and the row in one number sort fast.
    var keys: [UInt64] = []
    func add(_ source: Source, _ row: Int, _ rank: Int) {
      let rank = UInt64(min(rank, 0xffff))
      keys.append(rank << 48 | UInt64(source.rawValue) << 40 | UInt64(truncatingIfNeeded: row) & 0xff_ffff_ffff)
    }
    let exact = lines.map { $0.matches(words) }
    let isExact = exact.contains { !$0.isEmpty }
    for source in Source.allCases {
      let matches = isExact ? exact[source.rawValue] : lines[source.rawValue].nearMatches(words)
      for match in matches { add(source, match.row, match.rank) }
      guard source == whole else { continue }
      let known = Set(matches.map(\.row))
      for row in 0..<lines[source.rawValue].count where !known.contains(row) { add(source, row, words.lastRank) }
    }
    return keys.sorted().compactMap { key in
      Source(rawValue: Int(key >> 40 & 0xff)).map { Hit(source: $0, row: Int(key & 0xff_ffff_ffff)) }
    }
  }
}
