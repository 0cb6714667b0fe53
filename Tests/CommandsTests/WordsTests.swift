import Testing

@testable import Commands

/// The words of a line.
struct WordsTests {
  @Test func `names are words, or one name with spaces if the words are invalid`() {
    #expect(WrittenNames("a 'b c' d\\ e \"f'g\"").words == ["a", "b c", "d e", "f'g"])
    #expect(WrittenNames("Don't Stop.mp3").words == ["Don't Stop.mp3"])
    #expect(WrittenNames("  ").isEmpty)
    #expect((["a", "b c"] as WrittenNames).text == "a 'b c'")
  }

  @Test func `a query has no quotes of a program, and those of its own`() {
    #expect((["artist:bach", "genre:\"free jazz\""] as WrittenNames).query == "artist:bach genre:\"free jazz\"")
    #expect(WrittenNames("artist:\"o'neil x\" \"so what\"").query == "artist:\"o'neil x\" \"so what\"")
    #expect(WrittenNames("artist:o'neil").query == "artist:o'neil")
    #expect(WrittenNames("'year:1720 bach'").query == "year:1720 bach")
  }

  @Test func `a name is taken for another one if few letters differ`() {
    let names = ["play", "shuffle", "repeat", "next", "a"]
    for (word, name) in [
      ("paly", "play"), ("pla", "play"), ("shufle", "shuffle"), ("hsuffel", "shuffle"), ("repeet", "repeat"),
    ] { #expect(nearest(to: word, among: names) == name) }
    for word in ["", "b", "pxxy", "sleep", "sffl"] { #expect(nearest(to: word, among: names) == nil, "\(word)") }
  }
}
