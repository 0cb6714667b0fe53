import ByteIO
import Playback
import Testing

@testable import Commands
@testable import Player

/// The end of the current album among the entries that play next.
struct AlbumSearchTests {
  private var search = AlbumSearch()

  private static func entries(_ range: Range<Int>) -> [QueueEntry] {
    range.map { QueueEntry(id: $0, location: .file(BytePath("/music/\($0 / 20)/\($0).mp3"))) }
  }

  private static func facts(_ album: String?, _ artist: String? = nil) -> TrackFacts {
    var facts = TrackFacts()
    (facts.album, facts.albumArtist) = (album, artist)
    return facts
  }

  @Test mutating func `it is known as soon as the tags up to it are`() {
    let first = search.begin(Self.entries(0..<4))
    #expect(first == [0, 1, 2, 3])
    #expect(search.end == nil)
    search.note(Self.facts("A"), of: 0)
    search.note(Self.facts("B"), of: 2)
    #expect(search.end == nil)
    search.note(Self.facts("A"), of: 1)
    #expect(search.end == 1)
    search.note(Self.facts("C"), of: 99)
    let second = search.begin(Self.entries(1..<5))
    #expect(second == [4], "nothing is read twice")
    #expect(search.end == 1)
    let third = search.begin(Self.entries(2..<4))
    #expect(third.isEmpty && search.end == nil)
  }

  @Test mutating func `without tags the folder decides, and another album artist is another album`() {
    _ = search.begin(Self.entries(18..<22))
    for id in 18..<22 { search.note(Self.facts(nil), of: id) }
    #expect(search.end == 19)
    _ = search.begin(Self.entries(30..<32))
    search.note(Self.facts("A", "X"), of: 30)
    search.note(Self.facts("A", "Y"), of: 31)
    #expect(search.end == 30)
  }

  @Test mutating func `the end of the queue ends the album; the limit of the search does not`() {
    let all = Self.entries(0..<20)
    _ = search.begin(Array(all.prefix(AlbumSearch.limit)))
    for entry in all { search.note(Self.facts("A"), of: entry.id) }
    #expect(search.end == nil)
    _ = search.begin(Array(all.suffix(AlbumSearch.limit - 1)))
    for entry in all { search.note(Self.facts("A"), of: entry.id) }
    #expect(search.end == 19)
    let none = search.begin([])
    #expect(none.isEmpty && search.end == nil)
  }
}
