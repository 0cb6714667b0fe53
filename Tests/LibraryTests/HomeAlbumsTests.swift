import ByteIO
import Database
import Testing

@testable import Library

/// The albums of the view Home, from the databases of a made collection.
struct HomeAlbumsTests {
  private let made = MadeCollection()
  private let library: MusicLibrary

  init() throws {
    var sound = 0
    for (album, count) in [("Air", 3), ("Book", 2), ("Coda", 2)] {
      for number in 1...count {
        sound += 1
        made.add(
          "\(album)\(number).mp3", sound: sound,
          [("TIT2", "\(album) \(number)"), ("TPE1", album), ("TALB", album), ("TRCK", "\(number)")])
      }
    }
    library = try made.library()
    try made.scan(library)
  }

  private func play(_ names: String..., isSkip: Bool = false) throws {
    for name in names {
      let path = made.music.appending(BytePath(name + ".mp3"))
      try library.recordPlay(of: path, heard: 200, duration: 260, isSkip: isSkip, at: 1_700_000_000)
    }
  }

  /// The tracks with which to continue, with the places in them.
  private func unfinished() throws -> [String] {
    try library.view().unfinishedAlbums(limit: 9).map { "\($0.track.title) \(Int($0.place ?? 0))" }
  }

  @Test func `an album is continued after two of its tracks in a row, but not after its last one`() throws {
    #expect(try unfinished() == [])
    try play("Air1", "Coda1")
    #expect(try unfinished() == [], "single tracks, as in a shuffled queue")
    try play("Air2")
    #expect(try unfinished() == ["Air 3 0"])
    try play("Air3", isSkip: true)
    #expect(try unfinished() == ["Air 3 0"], "a track that was left at its beginning")
    try play("Air3")
    #expect(try unfinished() == [])
  }

  @Test func `a book is continued where it was left, and the last one comes first`() throws {
    try play("Air1", "Air2", "Book1")
    try ResumeStore(library).set(made.music.appending(BytePath("Book1.mp3")), to: 61.5, at: 1_700_000_000)
    #expect(try unfinished() == ["Book 1 61", "Air 3 0"])
    try play("Air2", isSkip: true)
    #expect(try unfinished() == ["Air 2 0", "Book 1 61"])
    try play("Book2", isSkip: true)
    #expect(try unfinished() == ["Air 2 0", "Book 1 61"], "another part that was left at its beginning")
    made.remove("Book1.mp3")
    try made.scan(library)
    #expect(try unfinished() == ["Air 2 0"], "a missing file")
  }

  @Test func `files that are an album have the place where it was left`() throws {
    func place(_ names: String...) throws -> String? {
      let files = names.map { MediaLocation.file(made.music.appending(BytePath($0 + ".mp3"))) }
      return try library.view().unfinished(in: files).map { "\($0.row) \(Int($0.album.place ?? 0))" }
    }
    try play("Book2")
    #expect(try place("Book1", "Book2") == nil)
    try ResumeStore(library).set(made.music.appending(BytePath("Book2.mp3")), to: 61.5, at: 1_700_000_000)
    #expect(try place("Book1", "Book2") == "1 61")
    #expect(try place("Book1", "Book2", "Air1") == nil && place("Book1") == nil && place() == nil)
  }

  @Test func `the plays of albums are those of the index and those since then`() throws {
    func mostPlayed(limit: Int = 9) throws -> [String] {
      let view = try library.view()
      return view.mostPlayedAlbums(limit: limit).map { "\(view.album($0).title) \(view.albumPlays()[$0] ?? 0)" }
    }
    #expect(try mostPlayed() == [])
    try play("Coda1", "Air1", "Coda2")
    #expect(try mostPlayed() == ["Coda 2", "Air 1"])
    // A scan with news writes the index anew.
    made.add("other.mp3", sound: 99, [("TALB", "Other")])
    try made.scan(library)
    try play("Air1", "Air2")
    #expect(try mostPlayed() == ["Air 3", "Coda 2"] && mostPlayed(limit: 1) == ["Air 3"])
  }

  @Test func `the ratings of albums are means of the index and of the changes since then`() throws {
    func ratings() throws -> [String] {
      let view = try library.view()
      return view.albumRatings().map { "\(view.album($0.key).title) \($0.value)" }.sorted()
    }
    func rate(_ rating: Int?, _ names: String...) throws {
      _ = try library.changeRatings(of: names.map { made.music.appending(BytePath($0 + ".mp3")) }) { tracks in
        for index in tracks.indices { tracks[index].rating = rating }
      }
    }
    #expect(try ratings() == [])
    try rate(10, "Air1", "Air2")
    try rate(0, "Coda1")
    #expect(try ratings() == ["Air 10", "Coda 0"])
    // A scan with news writes the index anew.
    made.add("other.mp3", sound: 99, [("TALB", "Other")])
    try made.scan(library)
    #expect(try ratings() == ["Air 10", "Coda 0"])
    try rate(7, "Air2", "Coda2")
    try rate(nil, "Coda1")
    #expect(try ratings() == ["Air 9", "Coda 7"])
    try rate(nil, "Air1", "Air2", "Coda2")
    #expect(try ratings() == [])
  }

  @Test func `the newest albums are those added last`() throws {
    try library.listener.execute("UPDATE recording SET added=1000, changed=changed+1")
    made.add("late.mp3", sound: 99, [("TALB", "Late")])
    try made.scan(library)
    let view = try library.view()
    #expect(view.newestAlbums(limit: 2).map { view.album($0).title } == ["Late", "Air"])
    made.add("loose.mp3", sound: 98, [("TIT2", "Loose")])
    try made.scan(library)
    let all = try library.view()
    let newest = all.newestAlbums(limit: 9)
    #expect(newest.count == 5 && newest.last.map { all.album($0).rule } == .noAlbum, "newer, but no album")
    #expect(all.newestAlbums(limit: 4).allSatisfy { all.album($0).rule != .noAlbum })
    let albums = all.untaggedLast(Array(0..<all.index.albumCount)).map { all.album($0) }
    #expect(albums.prefix(4).map(\.title) == ["Air", "Book", "Coda", "Late"] && albums.last?.rule == .noAlbum)
    #expect(all.artistsInOrder.map { all.artist($0).name } == ["Air", "Book", "Coda", ""])
    #expect(view.albumCount(addedSince: 1001) == 1 && view.albumCount(addedSince: 1000) == 4)
  }
}
