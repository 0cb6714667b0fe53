import AudioModel
import ByteIO
import Database
import Testing

@testable import Library

/// Tracks of a server in the catalogue, beside those of a folder.
@Suite struct ServerScanTests {
  private struct Catalogue: ServerCatalogue {
    var pages: [[ServerTrack]]
    /// Fails after the pages.
    var failure: ServerFailure?

    mutating func next() throws(ServerFailure) -> [ServerTrack]? {
      if !pages.isEmpty { return pages.removeFirst() }
      if let failure { throw failure }
      return nil
    }
  }

  private let made = MadeCollection()
  private let server = BytePath("segue://home")

  private func track(_ id: String, _ title: String, album: String = "Album") -> ServerTrack {
    var track = ServerTrack(id: id)
    for (field, value) in [
      (CatalogueTags.Field.title, title), (.artist, "Artist"), (.album, album), (.albumArtist, "Artist"),
    ] {
      track.tags.add(value, field)
    }
    (track.duration, track.byteCount) = (60, 1000)
    return track
  }

  private func library() throws -> MusicLibrary {
    let library = try MusicLibrary(folder: made.data)
    try library.addRoot(server)
    return library
  }

  @discardableResult
  private func scan(
    _ library: MusicLibrary, _ pages: [[ServerTrack]], failure: String? = nil, isQuick: Bool = false,
    isCancelled: @escaping () -> Bool = { false }
  ) throws -> ScanTotals {
    let root = try #require(try library.roots().first { $0.path == server })
    return try ServerScan(library, of: root, isQuick: isQuick, isCancelled: isCancelled)
      .run(Catalogue(pages: pages, failure: failure.map { ServerFailure($0) }))
  }

  private func tracks(_ library: MusicLibrary) throws -> [String: LibraryTrack] {
    let view = try library.view()
    return Dictionary(uniqueKeysWithValues: (0..<view.index.trackCount).map { (view.track($0).title, view.track($0)) })
  }

  @Test func `the gain that a server says is played where it was not measured`() throws {
    let library = try library()
    var loud = track("1", "Loud")
    for (value, field) in [("-7.5", CatalogueTags.Field.trackGain), ("0.5", .trackPeak), ("-6", .albumGain)] {
      loud.tags.add(value, field)
    }
    try scan(library, [[loud, track("2", "Unknown")]])
    _ = try library.view()
    let gains = MeasuredGains(folder: made.data)
    let gain = try #require(gains.gain(of: server.appending(BytePath("1"))))
    #expect(gain.track == -7.5 && gain.trackPeak == 0.5 && gain.album == -6 && gain.albumPeak == nil)
    #expect(gains.gain(of: server.appending(BytePath("2"))) == nil)
  }

  @Test func `a first scan takes all, a second one only what has changed`() throws {
    let library = try library()
    var totals = try scan(library, [[track("1", "One"), track("a/b", "Two")], [], [track("1", "One")]])
    #expect(totals.found == 2 && totals.read == 2 && totals.unchanged == 0)
    let first = try tracks(library)
    #expect(first["One"]?.location == .url("segue://home/1") && first["Two"]?.location == .url("segue://home/a%2Fb"))
    #expect(first["One"]?.duration == 60 && first["One"]?.artist == "Artist" && first["One"]?.album.title == "Album")
    totals = try scan(library, [[track("1", "One"), track("a/b", "Two")]])
    #expect(totals.unchanged == 2 && totals.read == 0 && !totals.hasChanges)
    totals = try scan(library, [[track("1", "Uno"), track("a/b", "Two")]])
    #expect(totals.unchanged == 1 && totals.retagged == 1)
    #expect(try tracks(library).keys.sorted() == ["Two", "Uno"])
  }

  @Test func `what the server no longer has is missing, and comes back with its rating`() throws {
    let library = try library()
    try scan(library, [[track("1", "One"), track("2", "Two")]])
    try library.rate([try #require(try tracks(library)["Two"])], 9)
    var totals = try scan(library, [[track("1", "One")]])
    #expect(totals.missing == 1)
    #expect(try tracks(library)["Two"]?.state == .missing && tracks(library)["One"]?.state == .here)
    totals = try scan(library, [[track("1", "One"), track("2", "Two")]])
    #expect(try tracks(library)["Two"]?.state == .here && tracks(library)["Two"]?.rating == 9)
  }

  @Test func `a server that fails is away, and loses nothing`() throws {
    let library = try library()
    try scan(library, [[track("1", "One"), track("2", "Two")]])
    var totals = try scan(library, [[track("1", "One")]], failure: "no answer")
    #expect(totals.away == 1 && totals.missing == 0)
    #expect(try tracks(library).values.allSatisfy { $0.state == .away })
    #expect(try library.roots().first?.reason == "no answer")
    totals = try scan(library, [])
    #expect(try library.roots().first?.state == .away && totals.missing == 0, "it lists no tracks")
    try scan(library, [[track("1", "One"), track("2", "Two")]])
    #expect(try tracks(library).values.allSatisfy { $0.state == .here })
    #expect(try library.roots().first?.state == .here)
  }

  @Test func `a scan that is cancelled loses nothing`() throws {
    let library = try library()
    try scan(library, [[track("1", "One"), track("2", "Two")]])
    let totals = try scan(library, [[track("1", "One")]], isCancelled: { true })
    #expect(totals.isCancelled && totals.missing == 0)
    #expect(try tracks(library).values.allSatisfy { $0.state == .here })
  }

  @Test func `a quick scan ends where nothing is new`() throws {
    let library = try library()
    let pages = (0..<60).map { [track("\($0)", "Title \($0)")] }
    try scan(library, Array(pages[..<10]), failure: "it broke")
    #expect(try scan(library, pages, isQuick: true).read == 50, "it was never complete")
    let totals = try scan(library, [[track("new", "New")]] + pages, isQuick: true)
    #expect(totals.read == 1 && totals.unchanged == 10 && totals.missing == 0)
    #expect(try tracks(library).count == 61)
  }

  @Test func `a folder and a server do not touch each other`() throws {
    made.add("a.mp3", sound: 1, [("TIT2", "Local")])
    let library = try made.library()
    try library.addRoot(server)
    try scan(library, [[track("1", "One")]])
    #expect(try made.scan(library).found == 1)
    #expect(try tracks(library).keys.sorted() == ["Local", "One"])
    #expect(try LoudnessStore(library).filesToMeasure().count == 1, "what is on a server is not fetched to be measured")
    #expect(try library.forgetRoot(server))
    #expect(try tracks(library).keys.sorted() == ["Local"])
    _ = try library.undo()
    #expect(try tracks(library).keys.sorted() == ["Local", "One"])
  }

  @Test func `albums of several artists stay apart, and plays are counted`() throws {
    let library = try library()
    try scan(library, [[track("1", "One", album: "A")], [track("2", "Two", album: "B")]])
    #expect(try library.view().index.albumCount == 2)
    let path = try #require(MediaLocation.url("segue://home/2").libraryPath)
    #expect(try library.recordPlay(of: path, heard: 60, duration: 60, isSkip: false, at: 1000))
    #expect(try tracks(library)["Two"]?.plays == 1)
    #expect(try StoredTags(library).facts(ofTrack: path)?.tags.first(.title) == "Two")
  }

  // MARK: Ratings

  /// A track that the server rates.
  private func rated(_ rating: Int, isLoved: Bool = false, id: String = "1") -> ServerTrack {
    var track = track(id, "Title \(id)")
    (track.rating, track.isLoved) = (rating, isLoved)
    return track
  }

  /// What the server is to be told: the rating and the love, as text.
  private func changes(_ library: MusicLibrary) throws -> [String] {
    try ServerRatings(library).changes().all.map { change in
      let rating = change.rating.map { "\($0)" } ?? "-"
      return "\(change.path.lastComponent) \(rating) \(change.isLoved.map { $0 ? "loved" : "unloved" } ?? "-")"
    }
  }

  /// The treatment of a rating by a server.
  enum Treatment: CaseIterable { case keeps, keepsSilently, forgets, refuses }

  /// Tells the server.
  private func tell(_ library: MusicLibrary, _ treatment: Treatment = .keeps) throws {
    let ratings = try ServerRatings(library)
    let (all, end) = try ratings.changes()
    for change in all {
      var track = rated(0)
      if treatment == .keeps { (track.rating, track.isLoved) = (change.rating ?? 0, change.isLoved ?? false) }
      if treatment == .refuses {
        try ratings.noteRefusal(of: change)
      } else {
        try ratings.noteTold(change, treatment == .keepsSilently ? nil : track)
      }
    }
    try ratings.finish(until: end)
  }

  private func rating(_ library: MusicLibrary, _ id: String = "1") throws -> (rating: Int?, isLoved: Bool) {
    let track = try #require(try tracks(library)["Title \(id)"])
    return (track.rating, track.isLoved)
  }

  @Test func `ratings of the server are taken, and that can be undone`() throws {
    let library = try library()
    try scan(library, [[rated(4, isLoved: true), rated(0, id: "2")]])
    #expect(try rating(library) == (8, true) && rating(library, "2") == (nil, false))
    #expect(try changes(library) == [], "it has them already")
    try scan(library, [[rated(2), rated(0, id: "2")]])
    #expect(try rating(library) == (4, false))
    #expect(try library.undo() == "take ratings from segue://home: 1 track")
    #expect(try rating(library) == (8, true))
    #expect(try changes(library) == ["1 4 loved"], "the server follows")
  }

  @Test func `a rating is told to the server once`() throws {
    let library = try library()
    try scan(library, [[rated(0), rated(0, id: "2")]])
    try library.rate([try #require(try tracks(library)["Title 1"])], 7)
    #expect(try changes(library) == ["1 4 -"])
    #expect(try changes(MusicLibrary(folder: made.data)) == ["1 4 -"], "also after a restart")
    try tell(library)
    #expect(try changes(library) == [])
    try scan(library, [[rated(4), rated(0, id: "2")]])
    #expect(try rating(library).rating == 7, "the server's steps are larger")
    try library.love([try #require(try tracks(library)["Title 1"])], true)
    #expect(try changes(library) == ["1 - loved"])
    try tell(library, .keepsSilently)
    try library.love([try #require(try tracks(library)["Title 1"])], false)
    #expect(try changes(library) == ["1 - unloved"], "before the server has said it")
    _ = try library.undo()
    #expect(try changes(library) == [])
  }

  @Test func `of two changes that here counts`() throws {
    let library = try library()
    try scan(library, [[rated(1)]])
    try library.rate([try #require(try tracks(library)["Title 1"])], 10)
    try scan(library, [[rated(3, isLoved: true)]])
    #expect(try rating(library) == (10, true), "love is apart")
    #expect(try changes(library) == ["1 5 -"])
    try tell(library)
    try scan(library, [[rated(2, isLoved: true)]])
    #expect(try rating(library) == (4, true) && changes(library) == [], "a later change there")
  }

  @Test func `the rating that did not count comes back by undo`() throws {
    let library = try library()
    try scan(library, [[rated(1)]])
    try library.rate([try #require(try tracks(library)["Title 1"])], 10)
    try scan(library, [[rated(3)]])
    try tell(library)
    try scan(library, [[rated(5)]])
    #expect(try library.undo() == "keep own ratings, not those of segue://home: 1 track")
    #expect(try rating(library).rating == 6 && changes(library) == ["1 3 -"])
  }

  @Test(arguments: [Treatment.forgets, .keepsSilently, .refuses])
  func `a server that keeps no ratings takes none away`(_ treatment: Treatment) throws {
    let library = try library()
    try scan(library, [[rated(0)]])
    try library.rate([try #require(try tracks(library)["Title 1"])], 10)
    try tell(library, treatment)
    for _ in 0..<2 { try scan(library, [[rated(0)]]) }
    #expect(try rating(library).rating == 10 && changes(library) == [])
  }

  @Test func `plays elsewhere count, without a time only those here`() throws {
    let library = try library()
    var track = track("1", "One")
    track.playCount = 9
    try scan(library, [[track]])
    #expect(try tracks(library)["One"]?.plays == 0)
    track.lastPlayed = 5000
    try scan(library, [[track]])
    #expect(try tracks(library)["One"]?.plays == 9 && tracks(library)["One"]?.lastPlayed == 5000)
    let path = try #require(MediaLocation.url("segue://home/1").libraryPath)
    try library.recordPlay(of: path, heard: 60, duration: 60, isSkip: false, at: 6000)
    (track.playCount, track.lastPlayed) = (10, 6000)
    try scan(library, [[track]])
    #expect(try tracks(library)["One"]?.plays == 10, "it is the same play")
    #expect(try changes(library) == [])
  }
}
