import AudioModel
import ByteIO
import Database
import Testing

@testable import Library

/// Tracks that are in a folder and on servers.
@Suite struct TwinTests {
  private struct Catalogue: ServerCatalogue {
    var tracks: [ServerTrack]?
    /// Fails in place of an answer.
    var fails = false

    mutating func next() throws(ServerFailure) -> [ServerTrack]? {
      if fails { throw ServerFailure("no answer") }
      defer { tracks = nil }
      return tracks
    }
  }

  private let made = MadeCollection()
  private let home = BytePath("segue://home")
  private let work = BytePath("segue://work")

  private func tags(_ title: String, number: Int = 1) -> [(String, String)] {
    [("TIT2", title), ("TPE1", "Artist"), ("TALB", "Album"), ("TRCK", "\(number)")]
  }

  private func track(
    _ id: String, _ title: String, number: Int = 1, disc: Int = 1, id recording: String? = nil, seconds: Double = 1
  ) -> ServerTrack {
    var track = ServerTrack(id: id)
    for (field, value) in [
      (CatalogueTags.Field.title, title), (.artist, "ARTIST"), (.album, "album"), (.albumArtist, "Artist"),
      (.disc, "\(disc)"), (.track, "\(number)"), (.recordingID, recording ?? ""),
    ] {
      track.tags.add(value, field)
    }
    track.duration = seconds
    return track
  }

  /// Adds the server if it is not known, and scans it.
  private func scan(
    _ library: MusicLibrary, _ server: BytePath? = nil, _ tracks: ServerTrack..., fails: Bool = false
  ) throws {
    let path = server ?? home
    // To add it once more would bring back what was forgotten.
    if try !library.roots().contains(where: { $0.path == path }) { try library.addRoot(path) }
    let root = try #require(try library.roots().first { $0.path == path })
    _ = try ServerScan(library, of: root).run(Catalogue(tracks: tracks, fails: fails))
  }

  private func tracks(_ library: MusicLibrary) throws -> [LibraryTrack] {
    let view = try library.view()
    return (0..<view.index.trackCount).map(view.track)
  }

  /// Names and ratings of all rows: `a.mp3 8 here`, and of places without rows: `(1 here)`.
  private func shown(_ library: MusicLibrary) throws -> [String] {
    try library.shown()
      + library.view().otherPlaces { _ in true }.map { "(\($0.path.lastComponent) \($0.state))" }.sorted()
  }

  @Test func `a track in a folder and on a server has one row, of its file`() throws {
    made.add("a.mp3", sound: 1, tags("Öne"))
    let library = try made.library()
    try made.scan(library)
    try scan(library, home, track("1", "one"), track("2", "Two", number: 2))
    #expect(try shown(library) == ["2 - here", "a.mp3 - here", "(1 here)"])
    let view = try library.view()
    #expect(try LibrarySearch(view).tracks(LibraryQuery("one", now: 0)).count == 1)
    #expect(view.track(at: home.appending(BytePath("1")))?.path == made.music.appending(BytePath("a.mp3")))
    #expect(try library.track("a.mp3").otherPlaces.map(\.path) == [home.appending(BytePath("1"))])
    #expect(try library.track("2").otherPlaces.isEmpty)
    let names = view.tracks(named: ["2", "3", "1", "2"], in: home).map { view.track($0).path.lastComponent.description }
    #expect(names == ["2", "a.mp3"])
  }

  @Test func `the server's track takes the place of a file that is gone, and of a folder that is away`() throws {
    made.add("a.mp3", sound: 1, tags("One"))
    made.add("b.mp3", sound: 2, tags("Two", number: 2))
    let library = try made.library()
    try made.scan(library)
    try scan(library, home, track("1", "One"))
    try library.rate("a.mp3", 8)
    made.move("a.mp3", to: "../a.mp3")
    let file = MediaLocation.file(made.music.appending(BytePath("a.mp3")))
    #expect(try library.view().otherPlace(of: file) == .url("segue://home/1"), "before a scan")
    try made.scan(library)
    #expect(try library.view().otherPlace(of: file) == .url("segue://home/1"))
    #expect(try shown(library) == ["1 8 here", "b.mp3 - here", "(a.mp3 missing)"])
    try library.rate("1", 9)
    made.move("../a.mp3", to: "a.mp3")
    try made.scan(library)
    #expect(try shown(library) == ["a.mp3 9 here", "b.mp3 - here", "(1 here)"])
    made.move("../music", to: "../other")
    try made.scan(library)
    #expect(try shown(library) == ["1 9 here", "b.mp3 - away", "(a.mp3 away)"])
    try scan(library, fails: true)
    #expect(try shown(library) == ["a.mp3 9 away", "b.mp3 - away", "(1 away)"])
  }

  @Test func `a second server takes the place of the first one that is away`() throws {
    let library = try MusicLibrary(folder: made.data)
    try scan(library, home, track("1", "One"), track("twice", "One"))
    try scan(library, work, track("w", "One"))
    #expect(try shown(library) == ["1 - here", "twice - here", "(w here)"], "what one server has twice has two rows")
    try scan(library, home, fails: true)
    #expect(try shown(library) == ["twice - away", "w - here", "(1 away)"])
  }

  @Test func `what was rated and played as two tracks is one, and is undone as one`() throws {
    made.add("a.mp3", sound: 1, tags("One"))
    let library = try MusicLibrary(folder: made.data)
    try scan(library, home, track("1", "One"))
    try library.rate("1", 7)
    try library.love([library.track("1")], true)
    let path = home.appending(BytePath("1"))
    #expect(try library.recordPlay(of: path, heard: 1, duration: 1, isSkip: false, at: 1000))
    let store = PlaylistStore(library)
    _ = try store.perform(.create("List", [.init(location: .url(path.description))]))
    try library.addRoot(made.music)
    try made.scan(library)
    #expect(try shown(library) == ["a.mp3 7 here", "(1 here)"])
    #expect(try library.recordPlay(of: path, heard: 1, duration: 1, isSkip: false, at: 2000))
    #expect(
      try library.recordPlay(
        of: made.music.appending(BytePath("a.mp3")), heard: 1, duration: 1, isSkip: false, at: 3000))
    let row = try library.track("a.mp3")
    #expect(row.plays == 3 && row.lastPlayed == 3000 && row.isLoved)
    let view = try library.view()
    #expect(try view.items(of: #require(view.playlist(named: "List")), now: 0).map(\.location) == [row.location])
    var undone: [String] = []
    while let text = try library.undo() { undone.append(text) }
    #expect(undone.contains("unlove segue://home/1") == false && undone.contains("rate segue://home/1 7"))
    // The additions are undone, too.
    try library.addRoot(made.music)
    #expect(try shown(library) == ["a.mp3 - here"])
    #expect(try !library.track("a.mp3").isLoved)
  }

  @Test func `both ratings stay apart from what is undone later`() throws {
    made.add("a.mp3", sound: 1, tags("One"))
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 3)
    try scan(library, home, track("x", "Other"))
    try library.rate("x", 9)
    try scan(library, home, track("x", "One"))
    #expect(try shown(library) == ["a.mp3 3 here", "(x here)"], "the file's counts")
    #expect(try library.undo() == "rate segue://home/x 9")
    #expect(try shown(library) == ["a.mp3 3 here", "(x here)"])
    try scan(library, home, track("x", "Third"))
    #expect(try shown(library) == ["a.mp3 3 here", "x 3 here"], "they are two again")
  }

  @Test func `a track of a server that becomes another one leaves the rating with its file`() throws {
    made.add("a.mp3", sound: 1, tags("One"))
    made.add("b.mp3", sound: 2, tags("Two", number: 2))
    let library = try made.library()
    try made.scan(library)
    try scan(library, home, track("1", "One"))
    _ = try library.view()
    try library.rate("a.mp3", 8)
    try scan(library, home, track("1", "Two", number: 2))
    #expect(try shown(library) == ["a.mp3 8 here", "b.mp3 - here", "(1 here)"])
  }

  @Test func `forgetting a track forgets all its places, and undo brings them back`() throws {
    made.add("a.mp3", sound: 1, tags("One"))
    let library = try made.library()
    try made.scan(library)
    try scan(library, home, track("1", "One"))
    try library.forget([library.track("a.mp3")])
    #expect(try shown(library) == [])
    try made.scan(library)
    try scan(library, home, track("1", "One"))
    #expect(try shown(library) == [])
    _ = try library.undo()
    #expect(try shown(library) == ["a.mp3 - here", "(1 here)"])
  }

  @Test func `forgetting a folder or a server leaves the track at its other place`() throws {
    made.add("a.mp3", sound: 1, tags("One"))
    let library = try made.library()
    try made.scan(library)
    try scan(library, home, track("1", "One"))
    _ = try library.view()
    try library.rate("a.mp3", 8)
    #expect(try library.forgetRoot(made.music))
    #expect(try shown(library) == ["1 8 here"])
    _ = try library.undo()
    #expect(try library.forgetRoot(home))
    #expect(try shown(library) == ["a.mp3 8 here"])
    _ = try library.undo()
    #expect(try shown(library) == ["a.mp3 8 here", "(1 here)"])
    made.loseCatalogue()
    let new = try MusicLibrary(folder: made.data)
    try made.scan(new)
    try scan(new, home, track("1", "One"))
    #expect(try shown(new) == ["a.mp3 8 here", "(1 here)"])
  }

  @Test(
    arguments: [
      (["TRCK": "2"], nil, 1.0, false), ([:], nil, 2.0, false), (["TIT2": "Uno"], nil, 1, false),
      (["TPOS": "2"], nil, 1, false), (["TPOS": "1/2"], nil, 1, true), (["TALB": "Other"], nil, 1, false),
      ([:], "id", 1, true),
    ] as [([String: String], String?, Double, Bool)])
  func `names, numbers and length decide`(
    _ changes: [String: String], _ id: String?, _ seconds: Double, _ areTwins: Bool
  ) throws {
    let plain = tags("One").filter { changes[$0.0] == nil }
    made.add("a.mp3", sound: 1, plain + changes.map { ($0.key, $0.value) })
    let library = try made.library()
    try made.scan(library)
    try scan(library, home, track("1", "One", id: id, seconds: seconds))
    #expect(try tracks(library).count == (areTwins ? 1 : 2))
  }

  @Test func `a recording of MusicBrainz decides before the names`() throws {
    var twins = Twins()
    func add(_ file: Int64, _ folder: String, _ fields: [(CatalogueTags.Field, String)], seconds: Double = 60) {
      var tags = CatalogueTags()
      for (field, value) in fields { tags.add(value, field) }
      let row = IndexBuilder.Row(
        file: file, recording: file, folder: Array(folder.utf8), name: [], state: .here, duration: seconds,
        isEstimated: false, format: "", bitRate: 0, facts: ListenerFacts())
      tags.stored.withUnsafeBytes { twins.add(row, tags: $0) }
    }
    let names: [(CatalogueTags.Field, String)] = [(.artist, "A"), (.title, "T"), (.album, "B")]
    add(1, "/music", [(.artist, "A"), (.title, "T (live)"), (.album, "B"), (.recordingID, "m1")])
    add(2, "segue://home", names + [(.recordingID, "M1")], seconds: 90)
    add(3, "/music", names + [(.recordingID, "m3")])
    add(4, "segue://home", names + [(.recordingID, "m4")])
    add(5, "segue://work", names)
    let outcome = twins.outcome()
    #expect(outcome.hidden == [2: 1, 5: 3] && outcome.recordings == outcome.hidden)
    #expect(outcome.merged == outcome.hidden)
  }

  @Test func `a pinned track is there when its server is away`() throws {
    let library = try MusicLibrary(folder: made.data)
    try scan(library, home, track("1", "One"), track("2", "Two", number: 2))
    let (one, two) = (home.appending(BytePath("1")), home.appending(BytePath("2")))
    let store = PinStore(library)
    #expect(try store.change([one, two, made.music], isPinned: true) == 2)
    #expect(try store.change([one], isPinned: true) == 0)
    try store.note(one, 1000)
    try scan(library, fails: true)
    #expect(try shown(library) == ["1 - here", "2 - away"])
    try store.note(two, 1000)
    #expect(try shown(library) == ["1 - here", "2 - here"])
    #expect(try store.change([one], isPinned: false) == 1)
    try store.note(one, nil)
    #expect(try shown(library) == ["1 - away", "2 - here"])
    #expect(try library.undo() == "unpin segue://home/1" && store.all().first?.isWanted == true)
    #expect(try library.undo() == "pin 2 tracks" && store.all().allSatisfy { !$0.isWanted })
  }
}
