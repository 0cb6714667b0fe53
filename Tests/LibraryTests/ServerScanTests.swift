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
    #expect(totals.read == 1 && totals.unchanged == 50 && totals.missing == 0)
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
}
