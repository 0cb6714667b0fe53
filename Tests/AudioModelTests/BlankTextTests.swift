import AudioModel
import Testing

/// Text of which nothing can be seen is no text.
struct BlankTextTests {
  static let blank = [
    "", " ", "\t\n", "\u{a0}\u{3000}", "\u{200b}", "\u{feff}\u{2060}", "\u{3164}", "\u{115f}\u{1160}", "\u{2800}", "\0",
  ]

  @Test(arguments: blank) func `blanks, fillers and characters without a width are not a title`(text: String) {
    #expect(text.isBlank)
    var tags = TrackTags()
    (tags.title, tags.artist, tags.album, tags.albumArtist) = (text, text, text, text)
    tags.fields.append(text, to: .genre)
    #expect(tags == TrackTags())
  }

  @Test(arguments: ["a", " a ", "\u{200b}é", "…", "🎵", "\u{301}"]) func `any sign that is seen is one`(text: String) {
    var tags = TrackTags()
    tags.title = text
    #expect(!text.isBlank && tags.title == text)
  }
}
