import AudioModel
import ByteIO
import Library
import Testing

/// Requests for lyrics, and the choice among the answers.
@Suite struct LyricsServiceTests {
  private func song(_ title: String = "Aria", duration: Double = 185.25) throws -> LyricsService.Song {
    var tags = TrackTags()
    (tags.title, tags.artist, tags.album) = (title, "Björk & Co", "1/2")
    return try #require(LyricsService.Song(tags, duration: duration))
  }

  @Test(arguments: ["https://lrclib.net", "https://lrclib.net/"])
  func `an address names the song, escaped`(base: String) throws {
    let service = LyricsService(WebAddress(base))
    #expect(
      try service.exactAddress(of: song("100 % ~a?")).text
        == "https://lrclib.net/api/get?track_name=100%20%25%20~a%3F&artist_name=Bj%C3%B6rk%20%26%20Co&album_name=1%2F2"
        + "&duration=185")
    #expect(
      try LyricsService(WebAddress("http://host/x")).searchAddress(of: song()).text
        == "http://host/x/api/search?track_name=Aria&artist_name=Bj%C3%B6rk%20%26%20Co")
  }

  @Test(arguments: [
    ("", "A", 10.0), ("T", "", 10), ("T", "A", 0), ("T", "A", .infinity), ("T", "A", .nan), ("T", "A", 1e9),
  ])
  func `a song without title, artist or a usual duration is not looked for`(
    title: String, artist: String, duration: Double
  ) {
    var tags = TrackTags()
    (tags.title, tags.artist) = (title, artist)
    #expect(LyricsService.Song(tags, duration: duration) == nil)
    #expect(LyricsService.Song(TrackTags(), duration: nil) == nil)
  }

  private typealias Candidate = LyricsService.Candidate

  private static let synced = "[00:01.00]One\n[03:00.00]Two"

  private static let rows: [(candidates: [Candidate], choice: String?)] = [
    ([], nil),
    ([Candidate(plain: "words", duration: 185)], "words"),
    ([Candidate(plain: "words", duration: 185), Candidate(synced: synced, plain: "p", duration: 187)], synced),
    // Of another recording, or of an unknown one.
    ([Candidate(synced: synced, duration: 200)], nil),
    ([Candidate(synced: synced)], nil),
    // Nearer ones first.
    ([Candidate(plain: "far", duration: 187.5), Candidate(plain: "near", duration: 184)], "near"),
    // Lines behind the end belong to another recording; texts without times are no synced lyrics.
    ([Candidate(synced: "[00:01.00]One\n[09:00.00]Late", plain: "p", duration: 185)], "p"),
    ([Candidate(synced: "One", plain: "p", duration: 185)], "p"),
    ([Candidate(synced: "", plain: "", duration: 185)], nil),
    ([Candidate(duration: 185, isInstrumental: true)], "(instrumental)"),
  ]

  @Test(arguments: rows.indices)
  func `lyrics with times that fit the duration are chosen`(index: Int) throws {
    let row = Self.rows[index]
    #expect(try LyricsService.choice(among: row.candidates, for: song()) == row.choice)
  }
}
