import AudioModel
import ByteIO
import Database
import Glibc
import Playback
import SoundServerSupport
import Streaming
import Testing

@testable import Commands
@testable import Desk
@testable import Library

/// Asks a desk about the library.
private struct LibraryAsker {
  let desk: Desk

  init(_ folders: UserFolders) {
    desk = Desk(
      folders: folders, saver: nil, collector: MediaCollector(playableExtensions: ["mp3"]), network: Network(),
      waveformFolder: nil
    ) {}
  }

  func request(_ request: LibraryRequest, number: Int? = nil, loaded: BytePath? = nil) {
    desk.ask(.library(request, loaded: loaded), from: .session(request: number))
  }

  func take() -> [Reply] { desk.take(forClients: false) }
  func settle(within limit: TimeSpan) { desk.finish(within: limit) }
}

/// The library behind the faces, on made collections and real databases.
struct LibraryDeskTests {
  private let folder: TemporaryFolder
  private let worker: LibraryAsker
  private var music: BytePath { BytePath(folder("home/Music")) }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["home", "home/Music", "all", "all/data"] { try #require(mkdir(folder(name), 0o700) == 0) }
    let folders = UserFolders(all: BytePath(folder("all")), home: BytePath(folder("home")))
    worker = LibraryAsker(folders)
  }

  private func add(
    _ name: String, sound: Int, title: String, artist: String? = nil, album: String? = nil, genre: String? = nil,
    number: Int? = nil, disc: Int? = nil, year: Int? = nil
  ) throws {
    let tags: [(String, String?)] = [
      ("TIT2", title), ("TPE1", artist), ("TALB", album), ("TCON", genre), ("TRCK", number.map(String.init)),
      ("TPOS", disc.map(String.init)), ("TDRC", year.map(String.init)),
    ]
    let bytes = madeMP3(sound: sound, tags.compactMap { name, text in text.map { (name, $0) } })
    // At once: a scan that follows changes must not meet half of it.
    let part = folder("home/part")
    try write(bytes, to: part)
    try #require(rename(part, music.appending(BytePath(name)).description) == 0)
  }

  private func addAlbums() throws {
    try add(
      "1.mp3", sound: 1, title: "Aria", artist: "Bach", album: "Goldberg", genre: "Baroque", number: 1, year: 1741)
    try add("2.mp3", sound: 2, title: "Variatio 1", artist: "Bach", album: "Goldberg", genre: "Baroque", number: 2)
    try add("3.mp3", sound: 3, title: "Air", artist: "Bach", album: "Suites", genre: "Baroque", number: 1, year: 1731)
    try add("4.mp3", sound: 4, title: "So What", artist: "Miles Davis", album: "Kind of Blue", genre: "Jazz", number: 1)
  }

  /// Waits until an outcome satisfies a condition; all outcomes up to there.
  @discardableResult
  private func outcomes(
    of other: LibraryAsker? = nil, until isLast: (Reply) -> Bool
  ) throws -> [Reply] {
    var all: [Reply] = []
    let isThere = waitUntil(milliseconds: 5) {
      all += (other ?? worker).take()
      return all.contains(where: isLast)
    }
    try #require(isThere, "\(all)")
    return all
  }

  private func listing(_ list: LibraryList) throws -> LibraryListing {
    worker.request(.list(list))
    let all = try outcomes { outcome in
      if case (_, .library(.list(let listing))) = outcome { listing.list == list } else { false }
    }
    let listings = all.compactMap { if case (_, .library(.list(let listing))) = $0 { listing } else { nil } }
    return try #require(listings.last { $0.list == list })
  }

  private func isSaid(_ outcome: Reply, _ part: String) -> Bool {
    if case (_, .said(let text)) = outcome { text.contains(part) } else { false }
  }

  private func isChanged(_ outcome: Reply) -> Bool {
    if case (_, .library(.changed)) = outcome { true } else { false }
  }

  private func scan() throws {
    worker.request(.add(music))
    try outcomes { isSaid($0, "scan: ") }
    _ = worker.take()
  }

  @Test func `without a library the music folder is offered, and nothing is made`() throws {
    worker.request(.open)
    try outcomes(until: isChanged)
    #expect(
      try listing(.overview).rows == [
        LibraryRow(.offer(BytePath("~/Music")), "No music yet. Press Enter to add ~/Music")
      ])
    #expect(try listing(.artists).rows == [])
    #expect(access(folder("all/data/catalogue.db"), F_OK) != 0, "a look makes nothing")
  }

  @Test func `an open library follows its folders, also new ones, and says only what has changed`() throws {
    try addAlbums()
    try scan()
    try add("5.mp3", sound: 5, title: "Blue in Green")
    worker.request(.open)
    var all = try outcomes { isSaid($0, "library updated: 5 files found: 1 read, 4 unchanged") }
    try #require(rename(folder("home/Music/5.mp3"), folder("home/Music/renamed.mp3")) == 0)
    all += try outcomes { isSaid($0, "library updated: 5 files found: 4 unchanged, 1 moved") }
    try #require(mkdir(folder("home/Music/new"), 0o700) == 0)
    try add("new/6.mp3", sound: 6, title: "Flamenco Sketches")
    all += try outcomes { isSaid($0, "library updated: 6 files found: 1 read, 5 unchanged") }
    try add("new/7.mp3", sound: 7, title: "All Blues")
    all += try outcomes { isSaid($0, "library updated: 7 files found: 1 read, 6 unchanged") }
    #expect(try listing(.search("blues")).rows.map(\.title) == ["All Blues"])
    try #require(unlink(folder("home/Music/1.mp3")) == 0)
    all += try outcomes { isSaid($0, "library updated: 6 files found: 6 unchanged, 1 missing") }
    #expect(all.count { if case (_, .said) = $0 { true } else { false } } == 5, "\(all)")
  }

  /// True if this process watches a folder (proc(5), "fdinfo").
  private func isWatched(_ name: String) throws -> Bool {
    var status = stat()
    try #require(stat(folder(name), &status) == 0)
    let mark = " ino:\(String(status.st_ino, radix: 16)) sdev:"
    return (0..<1024).contains {
      let text = String(decoding: contents(of: "/proc/self/fdinfo/\($0)"), as: UTF8.self)
      return text.contains("inotify wd:") && text.contains(mark)
    }
  }

  @Test func `the player's own files in a folder of the library are not watched: each scan would cause the next`()
    throws
  {
    for name in ["all/state", "all/state/lyrics", "all/z"] { try #require(mkdir(folder(name), 0o700) == 0) }
    worker.request(.add(BytePath(folder("all"))))
    try outcomes { isSaid($0, "scan: ") }
    worker.request(.open)
    // The last folder of the walk.
    #expect(try waitUntil(milliseconds: 20) { try isWatched("all/z") })
    #expect(try isWatched("all"))
    for name in ["all/data", "all/state", "all/state/lyrics"] { #expect(try !isWatched(name), "\(name)") }
  }

  @Test func `an added folder is scanned, and its lists are there`() throws {
    try addAlbums()
    worker.request(.add(BytePath("~/Music")))
    let all = try outcomes { isSaid($0, "scan: 4 files found: 4 read") }
    #expect(all.contains { if case (_, .library(.scanning(.some))) = $0 { true } else { false } })
    // Told by another thread than the sentence, before or after it.
    if !all.contains(where: isChanged) { try outcomes(until: isChanged) }
    #expect(try listing(.overview).rows.prefix(2).map { "\($0.title) \($0.note)" } == ["Artists 2", "Albums 3"])
    #expect(try listing(.artists).rows.map { "\($0.title) \($0.note)" } == ["Bach 2 albums", "Miles Davis 1 album"])
    let albums = try listing(.albumsOf(artist: "Bach")).rows
    #expect(albums.map { "\($0.title) \($0.year ?? 0)" } == ["Suites 1731", "Goldberg 1741"])
    let goldberg: LibraryList? = if case .list(let list) = albums[1].content { list } else { nil }
    let tracks = try listing(try #require(goldberg))
    #expect(tracks.rows.map { "\($0.number ?? 0) \($0.title)" } == ["1 Aria", "2 Variatio 1"])
    #expect(tracks.rows[0].content == .track(.file(music.appending(BytePath("1.mp3"))), isHere: true))
    #expect(try listing(.genres).rows.map { "\($0.title) \($0.note)" } == ["Baroque 3 tracks", "Jazz 1 track"])
    #expect(try listing(.genre("Jazz")).rows.map(\.title) == ["Kind of Blue"])
    #expect(try listing(.neverPlayed).total == 4)
    #expect(try listing(.favourites).rows == [] && listing(.mostPlayed).rows == [] && listing(.playlists).rows == [])
    #expect(try listing(.search("davis what")).rows.map(\.title) == ["So What"])
  }

  @Test func `each disc of an album stands below a row for it`() throws {
    for name in ["CD1", "CD2"] { try #require(mkdir(folder("home/Music/" + name), 0o700) == 0) }
    for (disc, count) in [(1, 2), (2, 1)] {
      for number in 1...count {
        let (sound, title) = (disc * 10 + number, "Tagged \(disc).\(number)")
        try add("\(sound).mp3", sound: sound, title: title, artist: "A", album: "Tagged", number: number, disc: disc)
        // The name of the folder says which disc it is.
        try add(
          "CD\(disc)/\(number).mp3", sound: sound + 100, title: "Named \(disc).\(number)", artist: "A", album: "Named",
          number: number)
      }
    }
    try add("single.mp3", sound: 99, title: "Single", artist: "A", album: "Single", number: 1, disc: 1)
    try scan()
    let albums = try listing(.albumsOf(artist: "A")).rows
    #expect(albums.map(\.title) == ["Named", "Single", "Tagged"])
    for (row, name) in [(albums[0], "Named"), (albums[2], "Tagged")] {
      guard case .list(let album) = row.content else { continue }
      let rows = try listing(album).rows
      #expect(
        rows.map { "\($0.title) \($0.note.contains("track") ? $0.note : "")" } == [
          "Disc 1 2 tracks", "\(name) 1.1 ", "\(name) 1.2 ", "Disc 2 1 track", "\(name) 2.1 ",
        ])
      guard case .list(let disc) = rows[0].content else { continue }
      #expect(try listing(disc).rows.map(\.title) == ["\(name) 1.1", "\(name) 1.2"])
    }
    guard case .list(let single) = albums[1].content else { return }
    #expect(try listing(single).rows.map(\.title) == ["Single"])
  }

  @Test func `a folder has the tracks that the library knows, without those of folders in it`() throws {
    try addAlbums()
    try #require(mkdir(folder("home/Music/CD1"), 0o700) == 0)
    try add("CD1/5.mp3", sound: 5, title: "Inner", artist: "A", album: "B", number: 1)
    try scan()
    for (folder, titles) in [
      (music, ["Air", "Aria", "So What", "Variatio 1"]), (music.appending(BytePath("CD1")), ["Inner"]),
      (music.parent, []),
    ] {
      worker.request(.folder(folder))
      let answers = try outcomes { if case (_, .library(.folder(_, of: folder))) = $0 { true } else { false } }
      let rows = answers.compactMap { if case (_, .library(.folder(let rows, of: _))) = $0 { rows } else { nil } }.last
      #expect(rows?.map(\.title).sorted() == titles)
    }
  }

  @Test func `Home lists albums to continue, new ones, those with plays, and playlists`() throws {
    try addAlbums()
    try add("5.mp3", sound: 5, title: "Variatio 2", artist: "Bach", album: "Goldberg", number: 3)
    try scan()
    let new = try listing(.home)
    #expect(new.sections == [LibrarySection("New", note: "3 albums", count: 3)])
    for name in ["1.mp3", "2.mp3"] {
      let listen = Listen(path: music.appending(BytePath(name)), heard: 200, duration: 260, isSkip: false)
      worker.desk.record(.heard(listen, at: 1_700_000_000))
    }
    #expect(worker.desk.finishPlays { _ in } == nil)
    #expect(try answer(.add("Mix", entries("4.mp3"))) == .done("playlist Mix made, with 1 track"))
    #expect(try waitUntil(milliseconds: 20) { try listing(.home).sections.count == 4 })
    let home = try listing(.home)
    #expect(
      home.sections.map { "\($0.title) \($0.count)" } == ["Continue 1", "New 3", "Played a lot 1", "Playlists 1"])
    #expect(
      home.rows.map { "\($0.title), \($0.artist ?? "-"), \($0.note)" }.filter { !$0.hasSuffix(", ") }
        == ["Goldberg, Bach, track 3", "Mix, -, 1 track"])
    let rest = try #require(home.rows.first)
    guard case .list(let list) = rest.content else { return #expect(Bool(false), "\(rest)") }
    worker.request(.collect([list], .played))
    let all = try outcomes { if case (_, .collected) = $0 { true } else { false } }
    for case (_, .collected(_, _, from: let paths)) in all {
      #expect(paths == [music.appending(BytePath("5.mp3"))], "the album from there")
    }
  }

  @Test func `a folder that is a book is collected with the place where it was left`() throws {
    for number in 1...3 {
      try add("\(number).mp3", sound: number, title: "Part \(number)", artist: "Eliot", album: "Book", number: number)
    }
    try scan()
    let second = music.appending(BytePath("2.mp3"))
    worker.desk.record(.heard(Listen(path: second, heard: 200, duration: 2600, isSkip: false), at: 1_700_000_000))
    worker.desk.record(.resume(ResumePoints.Change(path: second, seconds: 100), at: 1_700_000_000))
    #expect(worker.desk.finishPlays { _ in } == nil)
    for (paths, bookmark) in [([music], 1), ([1, 2, 3].map { music.appending(BytePath("\($0).mp3")) }, nil)]
      as [([BytePath], Int?)]
    {
      worker.desk.ask(.collect(paths, .played), from: .session(request: nil))
      for case (_, .collected(let collection, _, _)) in try outcomes(until: { $0.1.endsAct }) {
        #expect(collection.entries.count == 3 && collection.bookmark == bookmark)
      }
    }
  }

  @Test func `a repair by work that says nothing is said by the next that can, once`() throws {
    let data = BytePath(folder("all/data"))
    do {
      let library = try MusicLibrary(folder: data)
      _ = try library.view()
      _ = try PlaylistStore(library).perform(.create("Mix", []))
      try ListenerBackups(data).update(of: library, now: 1_800_000_000)
    }
    let database = data.appending(BytePath("listener.db")).description
    try write(Array(repeating: UInt8(ascii: "x"), count: 9000), to: database)
    #expect(LibraryConnection.lastView(in: data)?.playlists.map(\.name) == ["Mix"])
    var said: [String] = []
    for _ in 0..<2 { _ = try LibraryConnection(data) { said.append($0) }.open() }
    #expect(said.count == 1 && said.first?.contains("ratings and playlists come from its backup") == true)
  }

  @Test func `Home of a library without albums has no sections`() throws {
    try scan()
    #expect(try listing(.home).sections.isEmpty)
  }

  @Test func `albums are listed by genre, by decade and by the time at which they came, and sorted`() throws {
    try addAlbums()
    try add("6.mp3", sound: 6, title: "Late", artist: "Cage", album: "Late", genre: "Baroque", number: 1, year: 1958)
    try scan()
    let listen = Listen(path: music.appending(BytePath("6.mp3")), heard: 200, duration: 260, isSkip: false)
    worker.desk.record(.heard(listen, at: 1_700_000_000))
    #expect(worker.desk.finishPlays { _ in } == nil)
    worker.request(.open)
    try outcomes(until: isChanged)
    func titles(_ list: LibraryList) throws -> [String] { try listing(list).rows.map(\.title) }
    #expect(try titles(.genre("Baroque")) == ["Suites", "Goldberg", "Late"])
    #expect(
      try listing(.decades).rows.map { "\($0.title) \($0.note)" } == [
        "1950s 1 album", "1740s 1 album", "1730s 1 album",
      ])
    #expect(try titles(.decade(1740)) == ["Goldberg"] && Set(titles(.recentlyAdded)).count == 4)
    let sorted = try AlbumOrder.allCases.filter { $0 != .added }.map { try titles(.ordered(.albums, $0)) }
    #expect(
      sorted == [
        ["Suites", "Goldberg", "Late", "Kind of Blue"], ["Goldberg", "Kind of Blue", "Late", "Suites"],
        ["Suites", "Goldberg", "Late", "Kind of Blue"], ["Late", "Suites", "Goldberg", "Kind of Blue"],
      ])
    let late = try #require(listing(.ordered(.genre("Baroque"), .plays)).rows.first)
    #expect(late.plays == 1 && late.year == 1958 && late.note == "1 track")
    guard case .list(let album) = late.content else { return #expect(Bool(false)) }
    #expect(try listing(album).heading == ["Late", "Cage", "1958, Baroque", "1 track"])
  }

  @Test func `Home is answered when the databases were read, so that its parts do not move`() throws {
    try addAlbums()
    try scan()
    let index = try #require(LibraryIndex(folder: BytePath(folder("all/data"))))
    var reader = LibraryReader(LibraryContents(view: LibraryView(index), isWhole: false))
    #expect(reader.perform(.list(.home), now: 0) == nil && reader.perform(.list(.albums), now: 0) != nil)
    _ = reader.perform(.use(LibraryContents(view: LibraryView(index))), now: 0)
    #expect(reader.perform(.list(.home), now: 0) != nil)
  }

  @Test func `the queue of another program is collected with its place`() throws {
    try addAlbums()
    try scan()
    var view = LibraryView(try #require(LibraryIndex(folder: BytePath(folder("all/data")))))
    let (paths, recordings) = ([2, 0].map { view.track($0).path }, [2, 0].map { view.track($0).recording })
    for (recordings, seconds) in [
      (recordings, 61.5), (recordings, nil), ([1 << 40] + recordings, 61.5),
    ] as [([Int64], Double?)] {
      view.queueOffers = [.init(server: "home", program: nil, recordings: recordings, seconds: seconds)]
      var reader = LibraryReader(LibraryContents(view: view))
      let task = LibraryReader.Task.collect([.queue(server: "home")], .played, .session(request: nil))
      guard case .collected(let found, let destination, _)? = reader.perform(task, now: 0) else {
        return #expect(Bool(false), "nothing was found")
      }
      // Not into another track than that of the place.
      #expect(found == paths && destination == .list(from: 0, at: recordings.count == 2 ? seconds : nil))
    }
  }

  @Test func `the queue for a server is in the database when the program ends`() throws {
    try addAlbums()
    try scan()
    let root = BytePath("segue://home")
    for (track, time) in [("1", Int64(1000)), ("2", 1060)] {
      let kept = QueueMachine.Kept(root: root, queue: ServerQueue(tracks: [track], seconds: 5))
      worker.desk.record(.queue(kept, at: time))
    }
    #expect(worker.desk.finishPlays { _ in } == nil)
    let library = try MusicLibrary(folder: BytePath(folder("all/data")))
    #expect(try ServerQueues(library).waiting(for: root) == ServerQueue(tracks: ["2"], seconds: 5, changed: 1060))
  }

  @Test func `another start lists at once from the index, and a missing file is not played`() throws {
    try addAlbums()
    try scan()
    #expect(unlink(music.appending(BytePath("2.mp3")).description) == 0)
    worker.request(.scan)
    try outcomes { isSaid($0, "1 missing") }
    worker.request(.collect([.albumsOf(artist: "Bach")], .played))
    let all = try outcomes { if case (_, .collected) = $0 { true } else { false } }
    for case (_, .collected(_, let destination, from: let paths)) in all {
      #expect(paths.map(\.lastComponent.description) == ["3.mp3", "1.mp3"] && destination == .played)
    }
    let folders = UserFolders(all: BytePath(folder("all")), home: BytePath(folder("home")))
    let data = try #require(folders.data)
    let index = try #require(LibraryIndex(folder: data))
    var reader = LibraryReader(LibraryContents(view: LibraryView(index)))
    let outcome = reader.perform(.list(.search("variatio")), now: 0)
    let listing: LibraryListing? = if case .answer(.list(let listing))? = outcome { listing } else { nil }
    #expect(listing?.rows.map(\.note) == ["missing"] && listing?.rows.first?.playablePath == nil)
  }

  @Test func `the listener is told while an old index is written anew`() throws {
    try addAlbums()
    try scan()
    func states(_ worker: LibraryAsker) throws -> [LibraryScanState?] {
      worker.request(.open)
      // The lists are there before this is said, or after it.
      let all = try outcomes(of: worker) { if case (_, .library(.scanning(nil))) = $0 { true } else { false } }
      return all.compactMap { if case (_, .library(.scanning(let state))) = $0 { .some(state) } else { nil } }
    }
    #expect(try !states(worker).contains(.indexing))
    worker.settle(within: .seconds(60))
    _ = worker.take()
    let library = try MusicLibrary(folder: BytePath(folder("all/data")))
    try library.catalogue.execute("UPDATE property SET value='0' WHERE name='index'")
    let folders = UserFolders(all: BytePath(folder("all")), home: BytePath(folder("home")))
    let other = LibraryAsker(folders)
    #expect(try states(other).starts(with: [.indexing, nil]))
    other.settle(within: .seconds(60))
  }

  @Test func `the finder gets artists, albums and tracks, and may collect them`() throws {
    try addAlbums()
    try scan()
    let found = try listing(.found("bach"))
    #expect(
      found.rows.map { "\($0.title) \($0.note)" } == [
        "Bach 2 albums", "Suites 1 track", "Goldberg 2 tracks", "Air 0:00", "Aria 0:00", "Variatio 1 0:00",
      ])
    #expect(found.total == 6)
    #expect(found.rows.prefix(2).map(\.content).first == .list(.albumsOf(artist: "Bach")))
    #expect(try listing(.found("bach var")).rows.map(\.title) == ["Variatio 1"])
    #expect(try listing(.found("")).rows == [] && listing(.found("none")).rows == [])
    worker.request(.collect([.found("jazz")], .turn(.end)))
    let all = try outcomes { if case (_, .collected) = $0 { true } else { false } }
    guard case (_, .collected(_, .turn(.end), from: let paths))? = all.last else {
      return #expect(Bool(false), "\(all)")
    }
    #expect(paths == [music.appending(BytePath("4.mp3"))])
  }

  @Test func `a query with an error is refused, and a list that is too long is cut`() throws {
    try addAlbums()
    try scan()
    worker.request(.list(.search("yaer:1741")))
    let all = try outcomes { if case (_, .library(.refused)) = $0 { true } else { false } }
    for case (_, .library(.refused(let list, let reason))) in all {
      #expect(list == .search("yaer:1741") && reason.hasPrefix("letter 1: no field \"yaer\""))
    }
    worker.request(.forget(BytePath("/nowhere")))
    try outcomes { isSaid($0, "/nowhere was not added") }
    worker.request(.add(BytePath("/nowhere")))
    try outcomes { isSaid($0, "cannot add /nowhere: No such file or directory") }
    worker.request(.forget(music))
    try outcomes { isSaid($0, "is no longer in the library; undo brings it back") }
    #expect(try listing(.overview).rows.map(\.content) == [.offer(BytePath("~/Music"))])
  }

  @Test func `a rating is answered with its number, and the lists follow`() throws {
    try addAlbums()
    try scan()
    func answer(_ request: LibraryRequest, _ number: Int) throws -> CommandAnswer? {
      worker.request(request, number: number)
      let all = try outcomes { if case (.session(request: number), .acted(_)) = $0 { true } else { false } }
      return all.compactMap { if case (_, .acted(let answer)) = $0 { answer } else { nil } }.last
    }
    /// The lists follow behind the answer.
    func favourites(become names: [String]) throws -> Bool {
      try waitUntil(milliseconds: 20) {
        let rows = try listing(.favourites).rows
        return rows.map { "\($0.title) \($0.rating ?? -1) \($0.isLoved)" } == names
      }
    }
    let (aria, air) = (music.appending(BytePath("1.mp3")), music.appending(BytePath("3.mp3")))
    #expect(try answer(.rate(.set(9), [aria]), 4) == .done("rated 9: Aria"))
    #expect(try answer(.rate(.by(-20), [air]), 5) == .done("rated 0: Air"))
    #expect(try answer(.rate(.toggleLove, [air]), 6) == .done("loved: Air"))
    let missing = music.appending(BytePath("0.mp3"))
    #expect(try answer(.rate(.toggleLove, [air, aria, missing]), 6) == .done("loved: 2 tracks; 1 not in the library"))
    #expect(try answer(.rate(.toggleLove, [air, aria]), 6) == .done("unloved: 2 tracks"))
    #expect(try answer(.rate(.by(1), [air, aria]), 6) == .done("rated: 2 tracks"))
    #expect(try answer(.undo, 6) == .done("undone: rate 2 tracks"))
    let suites = LibraryList.album(LibraryAlbumName(artist: "Bach", title: "Suites", firstTrack: air))
    let goldberg = LibraryList.album(LibraryAlbumName(artist: "Bach", title: "Goldberg", firstTrack: aria))
    #expect(try answer(.rateLists(.set(6), [goldberg]), 6) == .done("rated 6: Goldberg (2 tracks)"))
    #expect(try answer(.rate(.set(9), [aria]), 6) == .done("rated 9: Aria"))
    #expect(
      try waitUntil(milliseconds: 20) {
        try listing(goldberg).heading.last == "2 tracks, rated 8"
          && listing(.albumsOf(artist: "Bach")).rows.compactMap(\.rating).contains(8)
      })
    #expect(try answer(.rateLists(.set(2), [goldberg, suites]), 6) == .done("rated 2: 3 tracks"))
    #expect(try answer(.undo, 6) == .done("undone: rate 3 tracks 2"))
    #expect(try answer(.undo, 6) == .done("undone: rate Aria 9"))
    #expect(try answer(.undo, 6) == .done("undone: rate 2 tracks 6"))
    #expect(try answer(.undo, 6) == .done("undone: unlove 2 tracks"))
    #expect(try answer(.undo, 6) == .done("undone: love Aria"))
    #expect(try favourites(become: ["Aria 9 false", "Air 0 true"]))
    for path in [aria, missing] {
      worker.request(.track(path))
      let answers = try outcomes { if case (_, .library(.track(_, of: path))) = $0 { true } else { false } }
      let known = answers.compactMap { if case (_, .library(.track(let track, _))) = $0 { track } else { nil } }.last
      #expect((known?.rating, known?.plays) == (path == aria ? (9, 0) : (nil, nil)))
    }
    #expect(
      try answer(.rate(.love(true), [music.appending(BytePath("0.mp3"))]), 7)
        == .refused("0.mp3 is not in the library: type :library add FOLDER for its folder"))
    #expect(try answer(.undo, 8) == .done("undone: love Air"))
    #expect(try answer(.rate(.set(nil), [aria]), 9) == .done("rating removed: Aria"))
    let files = CommandAnswer.refused("only tracks of servers can be pinned: files are here")
    #expect(
      try answer(.rate(.pin(true), [aria]), 10) == files && answer(.rateLists(.pin(true), [.artists]), 11) == files)
    let distant = BytePath("segue://home/1")
    #expect(
      try answer(.rate(.pin(true), [distant]), 12) == .done("1 track pinned: fetched in the background"))
    #expect(try answer(.undo, 13) == .done("undone: pin segue://home/1"))
    #expect(try favourites(become: []))
  }

  @Test func `a rating does not wait for a scan`() throws {
    try addAlbums()
    try scan()
    // Holds up the scan, as a slow disk does.
    let library = try MusicLibrary(folder: BytePath(folder("all/data")))
    try library.catalogue.execute("BEGIN IMMEDIATE")
    mkdir(music.appending(BytePath("new")).description, 0o700)
    try add("new/5.mp3", sound: 5, title: "New")
    worker.request(.scan)
    try outcomes { if case (_, .library(.scanning(.some))) = $0 { true } else { false } }
    worker.request(.rate(.set(9), [music.appending(BytePath("1.mp3"))]), number: 3)
    let all = try outcomes {
      if case (.session(request: 3), .acted(.done("rated 9: Aria"))) = $0 { true } else { false }
    }
    #expect(!all.contains { isSaid($0, "scan: ") })
    try library.catalogue.execute("COMMIT")
    try outcomes { isSaid($0, "scan: ") }
    #expect(try listing(.favourites).rows.map(\.title) == ["Aria"])
  }

  @Test func `undo takes back the last change, also during a scan and before one of a folder`() throws {
    try addAlbums()
    try scan()
    let library = try MusicLibrary(folder: BytePath(folder("all/data")))
    try library.catalogue.execute("BEGIN IMMEDIATE")
    // A new folder: the scan waits for the catalogue before it locks the ratings.
    try #require(mkdir(music.appending(BytePath("new")).description, 0o700) == 0)
    try add("new/5.mp3", sound: 5, title: "New")
    worker.request(.scan)
    try outcomes { if case (_, .library(.scanning(.some))) = $0 { true } else { false } }
    let aria = music.appending(BytePath("1.mp3"))
    // Behind the scan: not the last change when the rating is.
    try #require(mkdir(folder("home/other"), 0o700) == 0)
    worker.request(.add(BytePath(folder("home/other"))))
    worker.request(.rate(.set(4), [aria]), number: 1)
    worker.request(.undo, number: 2)
    worker.request(.rate(.set(9), [aria]), number: 3)
    let all = try outcomes { if case (.session(request: 3), .acted(_)) = $0 { true } else { false } }
    let answers = all.compactMap { if case (_, .acted(let answer)) = $0 { answer } else { nil } }
    #expect(answers == [.done("rated 4: Aria"), .done("undone: rate Aria 4"), .done("rated 9: Aria")])
    try library.catalogue.execute("COMMIT")
    try outcomes { isSaid($0, "scan: 0 files found") }
    #expect(try listing(.favourites).rows.map(\.title) == ["Aria"])
    worker.request(.forget(music))
    worker.request(.undo, number: 4)
    try outcomes {
      if case (.session(request: 4), .acted(.done("undone: forget \(music)"))) = $0 { true } else { false }
    }
  }

  @Test func `without a library a rating is refused and nothing is made`() throws {
    worker.request(.rate(.toggleLove, [music.appending(BytePath("1.mp3"))]), number: 1)
    try outcomes { if case (.session(request: 1), .acted(.refused)) = $0 { true } else { false } }
    worker.request(.undo, number: 2)
    try outcomes { if case (.session(request: 2), .acted(.refused)) = $0 { true } else { false } }
    #expect(access(folder("all/data/catalogue.db"), F_OK) != 0)
  }

  // MARK: Playlists

  /// The answer to a request about a playlist.
  private func answer(_ request: PlaylistRequest, loaded: BytePath? = nil) throws -> CommandAnswer? {
    worker.request(.playlist(request), number: 5, loaded: loaded)
    let all = try outcomes { if case (.session(request: 5), .acted(_)) = $0 { true } else { false } }
    return all.compactMap { if case (.session(request: 5), .acted(let answer)) = $0 { answer } else { nil } }.last
  }

  /// True as soon as a list has these titles: lists follow behind the answer.
  private func rows(_ list: LibraryList, become titles: [String]) throws -> Bool {
    try waitUntil(milliseconds: 20) { try listing(list).rows.map { "\($0.title) \($0.note)" } == titles }
  }

  private func entries(_ names: String...) -> PlaylistRequest.Source {
    .entries(names.map { CollectedEntry(location: .file(music.appending(BytePath($0)))) })
  }

  @Test func `playlists are made of files, lists, queries and addresses, and listed in their order`() throws {
    try addAlbums()
    try scan()
    let station = PlaylistRequest.Source.entries([
      CollectedEntry(location: .url("http://radio.example/"), title: "Radio")
    ])
    #expect(try answer(.add("Mix", entries("4.mp3"))) == .done("playlist Mix made, with 1 track"))
    #expect(try answer(.add("Mix", .lists([.albumsOf(artist: "Bach")]))) == .done("3 tracks added to Mix"))
    #expect(try answer(.add("Mix", .names(WrittenNames("title:so"), in: nil))) == .done("1 track added to Mix"))
    #expect(try answer(.add("Mix", station)) == .done("1 track added to Mix"))
    #expect(try answer(.add("Mix", .names(["1.mp3"], in: music))) == .done("1 track added to Mix"))
    #expect(
      try answer(.add("Mix", .names(["none.mp3"], in: music)))
        == .refused("no file, address or track matches none.mp3"))
    #expect(try answer(.edit(.save("New", query: "yaer:1"))).map { "\($0)".contains("no field") } == true)
    #expect(try answer(.edit(.save("New", query: "sort:title limit:1"))) == .done("playlist New saved"))
    #expect(try rows(.playlists, become: ["Mix 7 tracks", "New sort:title limit:1"]))
    #expect(
      try rows(
        .playlist("Mix"),
        become: ["So What 0:00", "Air 0:00", "Aria 0:00", "Variatio 1 0:00", "So What 0:00", "Radio ", "Aria 0:00"]))
    let shown = try listing(.playlist("Mix")).rows
    #expect(shown.map(\.number) == Array(1...7) && Set(shown.compactMap(\.entry)).count == 7)
    #expect(shown[5].content == .track(.url("http://radio.example/"), isHere: true))
    #expect(try listing(.playlist("New")).rows.map { "\($0.title) \($0.entry ?? 0)" } == ["Air 0"])
    worker.request(.collect([.playlist("Mix")], .played))
    let all = try outcomes { if case (_, .collected) = $0 { true } else { false } }
    for case (_, .collected(_, _, from: let paths)) in all {
      #expect(
        paths.map(\.lastComponent.description)
          == ["4.mp3", "3.mp3", "1.mp3", "2.mp3", "4.mp3", "radio.example", "1.mp3"])
    }
    worker.desk.ask(.find(["mix"], .whole, in: nil), from: .session(request: 8))
    try outcomes {
      if case (.session(request: 8), .collected(let found, .list(from: 0, at: nil), from: let paths)) = $0 {
        found.match == "playlist Mix" && paths.count == 7
      } else {
        false
      }
    }
    #expect(try answer(.edit(.removeEntries([try #require(shown[0].entry)]))) == .done("1 track removed from Mix"))
    worker.request(.undo, number: 6)
    try outcomes {
      if case (.session(request: 6), .acted(.done("undone: remove 1 track from Mix"))) = $0 { true } else { false }
    }
    let parts = PlaylistRequest.Source.parts([station, .lists([.albumsOf(artist: "Bach")]), entries("4.mp3")])
    #expect(try answer(.add("Parts", parts)) == .done("playlist Parts made, with 5 tracks"), "one change")
    #expect(
      try rows(
        .playlist("Parts"), become: ["Radio ", "Air 0:00", "Aria 0:00", "Variatio 1 0:00", "So What 0:00"]))
  }

  @Test func `stations get the names of the loaded playlist, and of saved and recent streams`() throws {
    try #require(mkdir(folder("all/state"), 0o700) == 0)
    try write("#EXTINF:-1,A\nhttp://a/\n".utf8, to: folder("x.m3u"))
    try write("#EXTINF:-1,Other\nhttp://a/\n#EXTINF:-1,B\nhttp://b/\n".utf8, to: folder("all/state/streams.m3u8"))
    try write("#EXTINF:-1,C\nhttp://c/\n".utf8, to: folder("all/state/recent-streams.m3u8"))
    func stations(_ addresses: String...) -> [CollectedEntry] {
      addresses.map { CollectedEntry(location: .url($0)) }
    }
    let queue = PlaylistRequest.Source.entries(
      stations("http://a/", "http://b/", "http://c/", "http://d/")
        + [CollectedEntry(location: .url("http://b/"), title: "Mine")])
    #expect(
      try answer(.create("Mix", queue), loaded: BytePath(folder("x.m3u"))) == .done("playlist Mix made, with 5 tracks"))
    // As clients of MPD do it.
    #expect(try answer(.edit(.add("Mix", stations("http://a/")))) == .done("1 track added to Mix"))
    // A list is not answered before the library is open.
    worker.request(.open)
    try outcomes(until: isChanged)
    #expect(try rows(.playlist("Mix"), become: ["A ", "B ", "C ", "http://d/ ", "Mine ", "Other "]))
  }

  @Test func `without a library a playlist can be made, and is listed`() throws {
    try add("1.mp3", sound: 1, title: "Aria")
    #expect(try answer(.add("Mix", entries("1.mp3", "gone.mp3"))) == .done("playlist Mix made, with 2 tracks"))
    worker.request(.open)
    try outcomes(until: isChanged)
    #expect(try rows(.playlists, become: ["Mix 2 tracks"]))
    #expect(try listing(.overview).rows.map(\.title) == ["No music yet. Press Enter to add ~/Music", "Playlists"])
    let shown = try listing(.playlist("Mix")).rows
    #expect(shown.map { "\($0.title) \($0.note)" } == ["1.mp3 ", "gone.mp3 missing"])
    #expect(shown.map { $0.playablePath?.lastComponent.description } == ["1.mp3", nil])
  }

  @Test func `a query names tracks for the queue, or its error`() throws {
    try addAlbums()
    try scan()
    func collected(_ query: String) throws -> Reply? {
      worker.request(.collect([.search(query)], .turn(.end)), number: 7)
      let isAnswer = { (outcome: Reply) in
        switch outcome {
        case (.session(request: 7), .collected(_, _, _)), (.session(request: 7), .acted(_)): true
        default: false
        }
      }
      return try outcomes(until: isAnswer).first(where: isAnswer)
    }
    guard case (_, .collected(_, .turn(.end), from: let paths))? = try collected("artist:bach year:1741") else {
      Issue.record("no tracks")
      return
    }
    #expect(paths == [music.appending(BytePath("1.mp3"))])
    for (query, reason) in [
      ("artist:nobody", "no file, address or track matches artist:nobody"),
      ("yaer:1741", "no file of that name, and as a query: letter 1: no field \"yaer\""),
    ] {
      guard case (_, .acted(.refused(let text)))? = try collected(query) else {
        Issue.record("no refusal")
        return
      }
      #expect(text.hasPrefix(reason))
    }
  }

  @Test func `queries are completed from the library, and before there is one by the fields`() throws {
    func completions(_ query: String) throws -> [String] {
      worker.request(.complete(query))
      var found: [String] = []
      try outcomes { outcome in
        guard case (_, .library(.completions(let completion, of: query))) = outcome else { return false }
        found = completion.candidates
        return true
      }
      return found
    }
    #expect(try completions("gen") == ["genre:"])
    #expect(try completions("artist:mi") == [])
    try addAlbums()
    try scan()
    #expect(try completions("artist:mi") == ["artist:\"Miles Davis\""])
  }

  @Test func `the names of playlists are available for completion`() throws {
    _ = try answer(.create("Two", .names([], in: nil)))
    _ = try answer(.create("one", .names([], in: nil)))
    worker.request(.open)
    try outcomes { if case (_, .library(.playlists(["one", "Two"]))) = $0 { true } else { false } }
  }

  @Test func `a playlist file keeps its order, relative paths and what is missing; exported it is the same`() throws {
    try addAlbums()
    try scan()
    let file = BytePath(folder("home/Road trip.m3u8"))
    try write(
      "#EXTM3U\nMusic/3.mp3\nMusic/gone.mp3\n#EXTINF:-1,Radio\nhttp://radio.example/\n../home/Music/1.mp3\n".utf8,
      to: file.description)
    #expect(try answer(.read(["Road trip.m3u8"], in: file.parent)) == .done("playlist Road trip made, with 4 tracks"))
    #expect(
      try answer(.read(["Road trip.m3u8"], in: file.parent)) == .refused("there is a playlist Road trip already"))
    #expect(try rows(.playlist("Road trip"), become: ["Air 0:00", "gone.mp3 missing", "Radio ", "Aria 0:00"]))
    let target = BytePath(folder("home/out.m3u8"))
    worker.request(.playlist(.write("Road trip", to: target, replacesOther: false, in: nil)), number: 7)
    let said = "4 tracks written to \(target)"
    try outcomes { if case (.session(request: 7), .acted(.done(said))) = $0 { true } else { false } }
    do {
      let text = String(decoding: contents(of: target.description), as: UTF8.self)
      #expect(
        text.replacing(/#SEGUE-KEY:[0-9a-f]{32}\n/, with: "") == """
          #EXTM3U
          #EXTINF:0,Bach - Air
          \(music)/3.mp3
          \(music)/gone.mp3
          #EXTINF:-1,Radio
          http://radio.example/
          #EXTINF:0,Bach - Aria
          \(music)/1.mp3

          """)
    }
    #expect(
      try answer(.write("None", to: nil, replacesOther: false, in: nil)) == .refused("there is no playlist None"))
  }

  @Test func `a change of a playlist does not wait for a scan`() throws {
    try addAlbums()
    try scan()
    let library = try MusicLibrary(folder: BytePath(folder("all/data")))
    try library.catalogue.execute("BEGIN IMMEDIATE")
    mkdir(music.appending(BytePath("new")).description, 0o700)
    try add("new/5.mp3", sound: 5, title: "New")
    worker.request(.scan)
    try outcomes { if case (_, .library(.scanning(.some))) = $0 { true } else { false } }
    #expect(try answer(.add("Mix", .lists([.genre("Jazz")]))) == .done("playlist Mix made, with 1 track"))
    try library.catalogue.execute("COMMIT")
    try outcomes { isSaid($0, "scan: ") }
    #expect(try rows(.playlist("Mix"), become: ["So What 0:00"]))
  }

  @Test func `a stopped scan ends, and the next one continues`() throws {
    for number in 0..<400 { try add("\(number).mp3", sound: number, title: "\(number)") }
    worker.request(.add(music))
    // The scan may have read any number of files.
    worker.request(.stop)
    try outcomes { isSaid($0, "scan stopped: ") || isSaid($0, "scan: ") }
    worker.settle(within: .seconds(60))
    worker.request(.scan)
    try outcomes { isSaid($0, "scan: 400 files found") }
    #expect(try listing(.neverPlayed).total == 400)
  }

  @Test func `the first rows of a search in a large library are those of the whole search`() throws {
    try addAlbums()
    try scan()
    let folders = UserFolders(all: BytePath(folder("all")), home: BytePath(folder("home")))
    let data = try #require(folders.data)
    let index = try #require(LibraryIndex(folder: data))
    var reader = LibraryReader(LibraryContents(view: LibraryView(index)))
    func titles(_ outcome: LibraryReader.Outcome?) -> [String]? {
      if case .answer(.list(let listing))? = outcome { listing.rows.map(\.title) } else { nil }
    }
    let search = LibraryReader.Task.list(.search("a"))
    #expect(titles(reader.begin(search, now: 0, leastCount: 4)) == ["Air", "Aria"])
    #expect(titles(reader.perform(search, now: 0)) == ["Air", "Aria", "Variatio 1", "So What"])
    #expect(titles(reader.begin(search, now: 0, leastCount: 5)) == nil, "the whole search is there at once")
    #expect(titles(reader.begin(.list(.search("bach")), now: 0, leastCount: 4)) == nil, "no title begins so")
    #expect(titles(reader.begin(.list(.artists), now: 0, leastCount: 4)) == nil)
    // A search that nobody wants any more ends early, with some of its rows.
    #expect(titles(reader.perform(search, now: 0) { false })?.count ?? 9 <= 4)
    let finding = LibraryReader.Task.list(.found("a"))
    let (first, all) = (titles(reader.begin(finding, now: 0, leastCount: 4)), titles(reader.perform(finding, now: 0)))
    #expect(first?.isEmpty == false && all?.starts(with: first ?? []) == true, "\(first ?? []) \(all ?? [])")
  }

  @Test func `of several searches only the last one is done, and lists are not dropped`() {
    let tasks: [LibraryReader.Task] = [
      .list(.search("b")), .list(.artists), .list(.found("x")), .list(.search("ba")), .use(LibraryContents()),
      .list(.search("bac")), .folder(BytePath("/a")), .list(.found("xy")), .folder(BytePath("/b")),
    ]
    let lists = LibraryReader.wanted(tasks).map { task in
      switch task {
      case .list(let list): list.title
      case .use: "use"
      case .complete: "complete"
      case .collect: "collect"
      case .track: "track"
      case .folder(let path): path.description
      }
    }
    #expect(lists == ["Artists", "use", "search: bac", "search: xy", "/b"])
    #expect(LibraryReader.wanted([]).isEmpty)
  }

  @Test func `a database that cannot be opened is reported in place of an empty library, and else leaves the lists`() {
    var reader = LibraryReader(nil)
    #expect(reader.perform(.list(.overview), now: 0) == nil, "nothing is known yet")
    _ = reader.perform(.use(LibraryContents(problem: "install the package libsqlite3-0")), now: 0)
    guard case .answer(.list(let listing))? = reader.perform(.list(.overview), now: 0) else {
      Issue.record("no list")
      return
    }
    #expect(listing.rows == [] && listing.remark == "install the package libsqlite3-0")
  }

  @Test(
    arguments: [
      ("XDG_MUSIC_DIR=\"$HOME/Musik\"\n", "/home/x/Musik"), ("XDG_MUSIC_DIR=\"/srv/music\"", "/srv/music"),
      ("# XDG_MUSIC_DIR=\"/no\"\nXDG_DOWNLOAD_DIR=\"/no\"\n", nil), ("XDG_MUSIC_DIR=\"$HOME/\"", "/home/x"),
      ("XDG_MUSIC_DIR=\"relative\"", nil), ("XDG_MUSIC_DIR=", nil), ("", nil),
    ] as [(String, String?)]) func `the music folder of xdg-user-dirs`(file: String, folder: String?)
  {
    let found = UserFolders.musicFolder(inUserDirs: Array(file.utf8), home: BytePath("/home/x"))
    #expect(found == folder.map { BytePath($0) })
  }

  @Test func `a scan is shown four times a second, and indexed after its first batch and then seldom`() {
    var reporter = ScanReporter()
    let start = MonotonicTime.zero + .seconds(100)
    func progress(_ read: Int) -> ScanProgress {
      ScanProgress(found: 900, toRead: 800, read: read, folder: BytePath("/"), isSaved: true)
    }
    let states = [(0, 0), (10, 200), (200, 2200)].map { read, milliseconds in
      reporter.state(progress(read), at: start + .milliseconds(milliseconds))
    }
    #expect(states == [0, nil, 100].map { $0.map { .init(found: 900, toRead: 800, read: $0 * 2, rate: $0) } })
    let isFirstDue = reporter.isIndexDue(at: start)
    reporter.hasIndexed(at: start + .seconds(1))
    let areDue = [20.0, 21].map { reporter.isIndexDue(at: start + .seconds($0)) }
    #expect(isFirstDue && areDue == [false, true])
  }

  @Test(arguments: [(0, "0"), (999, "999"), (5000, "5,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
  func `numbers are written in groups`(number: Int, text: String) { #expect(grouped(number) == text) }
}
