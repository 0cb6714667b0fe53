import AudioModel
import Testing

@testable import Library

/// The rule by which rows of all kinds are found and ranked.
struct SearchLinesTests {
  /// The titles of the rows that are found, the best first.
  private func found(_ text: String, _ rows: [[String?]]) throws -> [String] {
    var lines = SearchLines()
    for row in rows { lines.append(row.first ?? nil, row.dropFirst().first ?? nil, row.dropFirst(2).first ?? nil) }
    #expect(lines.count == rows.count)
    return lines.matches(try #require(SearchWords(text))).sorted { ($0.rank, $0.row) < ($1.rank, $1.row) }
      .map { (rows[$0.row].first ?? nil) ?? "" }
  }

  @Test(arguments: [
    ("metalica", "Metallica"), ("mettalica", "Metallica"), ("emtallica", "Metallica"), ("mettal", "Metallica"),
    ("bjrok homogneic", "Homogenic"), ("homogenik bjork", "Homogenic"), ("tchaikovskij", "Tchaikovsky"),
    ("metal", nil), ("mxtxlica", nil), ("bxx", nil), ("homogenic metallica", nil),
    ("bjorkk xyzzyx", nil),
  ]) func `typing errors are forgiven: one in four letters, two in eight`(text: String, title: String?) throws {
    var lines = SearchLines()
    let rows = ["Metallica", "Homogenic", "Tchaikovsky"]
    for (row, artist) in zip(rows, [nil, "Björk", nil]) { lines.append(row, artist) }
    let found = lines.nearMatches(try #require(SearchWords(text))).map { rows[$0.row] }
    #expect(found == [title].compactMap(\.self))
  }

  @Test(
    arguments: [
      ("var", [["Bavaria"], ["Two Variations"], ["Variatio"]], ["Variatio", "Two Variations", "Bavaria"]),
      // Within a place, the title before the artist before the album.
      ("bach", [["3", nil, "Bach"], ["2", "Bach"], ["Bach"]], ["Bach", "2", "3"]),
      // The beginning of any field before the beginning of a word in the title.
      ("bach", [["For Bach"], ["Aria", "Bach"]], ["Aria", "For Bach"]),
      // Several words in any field and any order; each must be there.
      ("goldberg aria", [["Aria", "Bach", "Goldberg"], ["Aria", "Verdi", nil], ["Goldberg"]], ["Aria"]),
      ("aria var", [["Variatio", "Aria"], ["Ariavar"], ["Aria var"]], ["Variatio", "Aria var", "Ariavar"]),
      // Folding as in the library.
      ("bjork", [["Björk"], ["Bjark"]], ["Björk"]), ("STRASSE", [["Straße"]], ["Straße"]),
      ("acdc", [["AC/DC"]], ["AC/DC"]), ("ac-dc", [["AC/DC"], ["AC-DC"], ["acdc"]], ["AC-DC", "acdc", "AC/DC"]),
      ("京", [["東京"]], ["東京"]),
      // A word is not found across fields or rows.
      ("ab", [["a", "b"], ["a"], ["b"]], []), ("x", [[nil, nil, nil]], []),
    ] as [(String, [[String?]], [String])])
  func `rows are ranked by the places of the words`(text: String, rows: [[String?]], order: [String]) throws {
    #expect(try found(text, rows) == order)
  }

  @Test func `a text without words finds nothing, and an empty list is not an error`() throws {
    #expect(SearchWords(" \t") == nil && SearchWords("") == nil && SearchWords("\u{301}") == nil)
    #expect(SearchLines().matches(try #require(SearchWords("a"))) == [])
  }

  @Test func `a row is found once, wherever its words stand, as a search of each line finds it`() throws {
    var generator = SeededGenerator(seed: 7)
    let letters = Array("ab -")
    let text = {
      String(
        (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in letters.randomElement(using: &generator) })
    }
    for _ in 0..<300 {
      let rows = (0..<5).map { _ in [text(), text()] }
      guard let words = SearchWords(text()) else { continue }
      var lines = SearchLines()
      for row in rows { lines.append(row[0], row[1]) }
      let expected = rows.indices.compactMap { row -> SearchLines.Match? in
        var line = SearchLines()
        line.append(rows[row][0], rows[row][1])
        return line.matches(words).first.map { SearchLines.Match(row: row, rank: $0.rank) }
      }
      #expect(lines.matches(words) == expected)
    }
  }
}
