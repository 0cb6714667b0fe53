import AudioModel
import ByteIO
import Database
import Glibc
import SoundServerSupport
import Synchronization
import Threads
import Testing

@testable import Library

/// Changes of files, and the listener's facts about them: no case loses a rating.
@Suite struct LibraryScanTests {
  private let made = MadeCollection()

  @Test func `a first scan reads all, a second nothing`() throws {
    made.add(
      "one/a.mp3", sound: 1, [("TIT2", "Aria"), ("TPE1", "Glenn Gould"), ("TALB", "Goldberg"), ("TRCK", "1/32")])
    made.add("one/b.mp3", sound: 2)
    made.folder.write("music/one/cover.jpg", "no music")
    made.folder.write("music/.hidden/c.mp3", "hidden")
    let library = try made.library()
    var totals = try made.scan(library)
    #expect(totals.found == 2 && totals.read == 2 && totals.unchanged == 0 && totals.bad == 0)
    #expect(!totals.hasNewPaths)
    totals = try made.scan(library)
    #expect(totals.found == 2 && totals.read == 0 && totals.unchanged == 2)
    let track = try library.view().track(0)
    let facts = try [library.view().track(0), library.view().track(1)].first { $0.title == "Aria" }
    #expect(facts?.artists == ["Glenn Gould"] && facts?.album.title == "Goldberg" && facts?.track == 1)
    #expect(abs((track.duration ?? 0) - 0.261) < 0.001 && track.format == ".mp3")
  }

  @Test func `names in a set that was guessed are found by both readings`() throws {
    // ID3v2.3, encoding 0: "Кино", "Группа крови" and "Звезда по имени Солнце" in Windows-1251.
    func frame(_ name: String, _ text: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0, 0, 0, UInt8(text.count + 1), 0, 0, 0] + text
    }
    let names: [(String, [UInt8])] = [
      ("TPE1", [0xca, 0xe8, 0xed, 0xee]),
      ("TIT2", [0xc3, 0xf0, 0xf3, 0xef, 0xef, 0xe0, 0x20, 0xea, 0xf0, 0xee, 0xe2, 0xe8]),
      ("TALB", [0xc7, 0xe2, 0xe5, 0xe7, 0xe4, 0xe0, 0x20, 0xef, 0xee, 0x20, 0xe8, 0xec, 0xe5, 0xed, 0xe8]),
    ]
    let body = names.flatMap { frame($0, $1) }
    made.folder.write(
      BytePath("music/a.mp3"),
      Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(body.count)] + body + madeMP3(sound: 1))
    made.add("b.mp3", sound: 2, [("TIT2", "Other")])
    let library = try made.library()
    try made.scan(library)
    let view = try library.view()
    #expect(try library.track("a.mp3").title == "Группа крови")
    func found(_ text: String) throws -> [String] {
      LibrarySearch(view).tracks(try LibraryQuery(text, now: 0), seed: 0).map { view.track($0).title }
    }
    for text in ["кино", "группа", "Êèíî", "ãðóïïà êðîâè", "çâåçäà"] {
      #expect(try found(text) == ["Группа крови"], "\(text)")
    }
    #expect(try found("b") == ["Other"])
  }

  @Test func `a file that cannot be read is listed, and read again only when it changes`() throws {
    made.folder.write("music/broken.mp3", "no sound in here")
    made.add("good.mp3", sound: 1)
    let library = try made.library()
    #expect(try made.scan(library).bad == 1)
    #expect(try UnreadStore(library).bad(limit: 9).map(\.path) == [made.music.appending(BytePath("broken.mp3"))])
    #expect(try UnreadStore(library).badCount() == 1 && UnreadStore(library).bad(limit: 0).isEmpty)
    #expect(try library.shown() == ["good.mp3 - here"])
    let again = try made.scan(library)
    #expect(again.read == 0 && again.bad == 1)
    made.add("broken.mp3", sound: 2)
    let mended = try made.scan(library)
    #expect(mended.bad == 0 && mended.read == 1)
    #expect(try library.shown() == ["broken.mp3 - here", "good.mp3 - here"])
  }

  @Test func `a file that was refused is read again by another version of its reader, under any name`() throws {
    made.folder.write("music/a.mp3", "no sound\0in here")
    let library = try made.library()
    func scan(_ version: String) throws -> ScanTotals {
      let reader = ForeignReader(name: { _ in version }) { path in
        version == "3" ? .success(MediaInformation()) : .failure(ForeignFailure("no \(version) for it"))
      }
      return try LibraryScan(library, extensions: ["mp3"], foreign: reader).run()
    }
    #expect(try scan("1").bad == 1)
    let again = try scan("1")
    #expect(again.read == 0 && again.bad == 1 && !again.hasChanges)
    made.move("a.mp3", to: "b.mp3")
    #expect(try scan("1").moved == 1)
    let refused = try scan("2")
    #expect(refused.read == 1 && refused.bad == 1 && refused.retagged == 0)
    #expect(try UnreadStore(library).bad(limit: 9).map(\.reason) == ["no 2 for it"])
    #expect(try scan("3").bad == 0)
    #expect(try library.shown() == ["b.mp3 - here"])
    #expect(try scan("4").read == 0)
  }

  @Test func `names of one file in several folders are tracks, and leave one by one`() throws {
    made.add("A/1.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    try library.rate("1.mp3", 4)
    for name in ["B/2.mp3", "B/3.mp3", "C/1.mp3"] { made.link("A/1.mp3", to: name) }
    #expect(try made.scan(library).found == 4)
    #expect(try made.scan(library).unchanged == 4)
    func shown() throws -> [String] {
      let view = try library.view()
      return (0..<view.index.trackCount).map(view.track).map { "\($0.path) \($0.rating ?? 0) \($0.state)" }.sorted()
    }
    let all = ["A/1.mp3 4", "B/2.mp3 0", "B/3.mp3 0", "C/1.mp3 0"].map { "\(made.music)/\($0) here" }
    #expect(try shown() == all)
    made.move("B/3.mp3", to: "D/4.mp3")
    #expect(try made.scan(library).moved == 1)
    made.move("A/1.mp3", to: "A/5.mp3")
    #expect(try made.scan(library).moved == 1)
    let moved = ["A/5.mp3 4", "B/2.mp3 0", "C/1.mp3 0", "D/4.mp3 0"].map { "\(made.music)/\($0) here" }
    #expect(try shown() == moved)
    made.remove("B/2.mp3")
    #expect(try made.scan(library).missing == 1)
  }

  /// Steps of the databases for so many files of one sound that come to a library.
  private static func steps(of count: Int, _ arrange: (MadeCollection, MusicLibrary) throws -> Void) throws -> Int {
    let made = MadeCollection()
    made.add("first.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    for number in 0..<count { made.add("old/\(number).mp3", sound: 1) }
    try made.scan(library)
    try arrange(made, library)
    let before = library.catalogue.stepCount + library.listener.stepCount
    let totals = try made.scan(library)
    #expect(totals.found >= count)
    return library.catalogue.stepCount + library.listener.stepCount - before
  }

  /// New files, files that were copied to other places, and files that traded names with others.
  @Test(arguments: ["new", "copied", "traded", "linked"])
  func `the work grows with the number of files of one sound, not with its square`(kind: String) throws {
    func steps(_ count: Int) throws -> Int {
      try Self.steps(of: count) { made, _ in
        for number in 0..<count {
          switch kind {
          case "new": made.add("new/\(number).mp3", sound: 1)
          case "copied":
            made.add("new/\(number).mp3", sound: 1)
            made.remove("old/\(number).mp3")
          case "linked": made.link("old/0.mp3", to: "new/\(number).mp3")
          default:
            made.add("new/\(number).mp3", sound: 1)
            made.move("new/\(number).mp3", to: "old/\((number + 1) % count).mp3")
          }
        }
      }
    }
    let (few, many) = (try steps(40), try steps(160))
    #expect(many < few * 5, "\(few) steps, then \(many)")
  }

  @Test func `files that cannot be read now are kept as they are, and read by the next scan`() throws {
    made.add("a.mp3", sound: 1, [("TIT2", "Old")])
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 7)
    made.replace("a.mp3", sound: 1, [("TIT2", "New and longer")])
    made.add("b.mp3", sound: 2)
    var isConnected = true
    let scan = LibraryScan(
      library, extensions: ["mp3"],
      report: { [made] _ in
        // The walk has found them.
        if isConnected { for name in ["a.mp3", "b.mp3"] { made.move(name, to: ".away/" + name) } }
        isConnected = false
      })
    let totals = try scan.run()
    #expect(totals.unreadFiles.count == 2 && totals.read == 0 && totals.bad == 0 && totals.missing == 0)
    let names = totals.unreadFiles.first.map(\.path.lastComponent.description).sorted()
    #expect(names == ["a.mp3", "b.mp3"] && totals.unreadFolders.count == 0)
    #expect(totals.sentence.contains("2 not read (") && totals.sentence.contains(".mp3: cannot open: No such file or"))
    #expect(try library.shown() == ["a.mp3 7 here"] && library.view().track(0).title == "Old")
    for name in ["a.mp3", "b.mp3"] { made.move(".away/" + name, to: name) }
    #expect(try made.scan(library).read == 2)
    #expect(try library.shown() == ["a.mp3 7 here", "b.mp3 - here"])
  }

  /// Takes all privileges from this thread (capset(2)).
  private static func giveUpPrivileges() throws {
    let call = try #require(dlsym(nil, "capset"))
    let capset = unsafeBitCast(call, to: (@convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> CInt).self)
    let (version, none) = ([UInt32(0x2008_0522), 0], [UInt32](repeating: 0, count: 6))
    try #require(capset(version, none) == 0)
  }

  @Test func `a file that cannot be looked up is kept as it is, and its folder and those below are scanned`() throws {
    for (sound, name) in ["a.mp3", "b.mp3", "below/c.mp3"].enumerated() { made.add(name, sound: sound) }
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 8)
    made.remove("a.mp3")
    // Only privileged threads may follow such a link (proc(5)). The first mapping is that of the program.
    let range = String(decoding: contents(of: "/proc/self/maps"), as: UTF8.self).prefix { $0 != " " }
    made.folder.link("music/a.mp3", to: "/proc/self/map_files/\(range)")
    made.add("d.mp3", sound: 4)
    let totals = try limited { [data = made.data] in
      try Self.giveUpPrivileges()
      return try LibraryScan(MusicLibrary(folder: data), extensions: ["mp3"]).run()
    }
    #expect(totals.unreadFiles.count == 1 && totals.found == 4 && totals.read == 1 && totals.unchanged == 2)
    #expect(totals.unreadFolders.count == 0)
    #expect(totals.missing == 0 && totals.away == 0)
    #expect(totals.sentence.contains("/music/a.mp3: cannot read: Operation not permitted)"))
    #expect(try library.shown() == ["a.mp3 8 here", "b.mp3 - here", "c.mp3 - here", "d.mp3 - here"])
    made.remove("a.mp3")
    #expect(try made.scan(library).missing == 1)
  }

  @Test func `files and folders that may not be read are counted and named, and read once they may`() throws {
    for (sound, name) in ["a.mp3", "b.mp3", "closed/c.mp3"].enumerated() { made.add(name, sound: sound) }
    let library = try made.library()
    let (file, closed) = (made.music.appending(BytePath("a.mp3")), made.music.appending(BytePath("closed")))
    for path in [file, closed] { #expect(path.withCString { chmod($0, 0) } == 0) }
    let totals = try limited { [data = made.data] in
      try Self.giveUpPrivileges()
      return try LibraryScan(MusicLibrary(folder: data), extensions: ["mp3"]).run()
    }
    for path in [file, closed] { #expect(path.withCString { chmod($0, 0o700) } == 0) }
    #expect(totals.read == 1 && totals.bad == 0)
    let reason = "cannot open: Permission denied"
    #expect(totals.unreadFiles.first == [BadFile(path: file, reason: reason)])
    #expect(totals.unreadFolders.first == [BadFile(path: closed, reason: reason)])
    #expect(totals.sentence.contains("1 not read (\(file): \(reason)), 1 folder not read (\(closed): \(reason))"))
    let unread = [BadFile(path: file, reason: reason), BadFile(path: closed, reason: reason)]
    #expect(try UnreadStore(library).refused() == unread && UnreadStore(library).bad(limit: 9).isEmpty)
    // The scan of another folder says nothing about them.
    let other = made.folder["other"]
    made.folder.makeFolder(other)
    try library.addRoot(other)
    _ = try LibraryScan(library, extensions: ["mp3"]).run([other])
    #expect(try UnreadStore(library).refused() == unread)
    let again = try made.scan(library)
    #expect(again.read == 2 && again.unreadFiles.count == 0 && again.unreadFolders.count == 0)
    #expect(try UnreadStore(library).refused().isEmpty)
  }

  @Test func `a renamed file keeps its rating and is not read`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 8)
    made.move("a.mp3", to: "other/b.mp3")
    let totals = try made.scan(library)
    #expect(totals.moved == 1 && totals.read == 0 && totals.missing == 0)
    #expect(try library.shown() == ["b.mp3 8 here"])
  }

  @Test(arguments: [false, true]) func `renamed files and folders keep what is known of them, under the old names too`(
    isFolder: Bool
  ) throws {
    made.add("old/a.mp3", sound: 1)
    made.add("old/b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    let (old, gone) = (made.music.appending(BytePath("old/a.mp3")), made.music.appending(BytePath("old/b.mp3")))
    try library.rate("a.mp3", 8)
    try library.listener.execute("UPDATE recording SET added=1000")
    try library.recordPlay(of: old, heard: 1, duration: 1, isSkip: false, at: 2000)
    _ = try PlaylistStore(library).perform(.create("Mix", [CollectedEntry(location: .file(old))]))
    if isFolder { made.move("old", to: "new") } else { made.move("old/a.mp3", to: "new/a.mp3") }
    #expect(try library.newPath(of: old) == nil)
    #expect(try made.scan(library).moved == (isFolder ? 2 : 1))
    let new = made.music.appending(BytePath("new/a.mp3"))
    #expect(try library.newPath(of: old) == new && (library.newPath(of: gone) != nil) == isFolder)
    // It has played on under its old name.
    #expect(try library.recordPlay(of: old, heard: 1, duration: 1, isSkip: false, at: 3000))
    let track = try library.track("a.mp3")
    #expect(track.path == new && track.rating == 8 && track.plays == 2 && track.added == 1000)
    #expect(try library.view().playlists.first?.entries.map(\.recording) == [track.recording])
    // Another file with the old name is another track.
    made.add("old/a.mp3", sound: 3)
    try made.scan(library)
    #expect(try library.recordPlay(of: old, heard: 1, duration: 1, isSkip: false, at: 4000))
    let view = try library.view()
    #expect(view.track(at: old)?.plays == 1 && view.track(at: new)?.plays == 2)
  }

  @Test func `files that trade names keep their ratings`() throws {
    made.add("a.mp3", sound: 1)
    made.add("b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 1)
    try library.rate("b.mp3", 2)
    made.move("a.mp3", to: "x")
    made.move("b.mp3", to: "a.mp3")
    made.move("x", to: "b.mp3")
    #expect(try made.scan(library).moved == 2)
    #expect(try library.shown() == ["a.mp3 2 here", "b.mp3 1 here"])
  }

  @Test func `numbers that shift by one keep their ratings`() throws {
    for number in 1...5 { made.add("\(number).mp3", sound: number) }
    let library = try made.library()
    try made.scan(library)
    for number in 1...5 { try library.rate("\(number).mp3", number) }
    for number in (1...5).reversed() { made.move("\(number).mp3", to: "\(number + 1).mp3") }
    made.add("1.mp3", sound: 100)
    let totals = try made.scan(library)
    #expect(totals.moved == 5 && totals.missing == 0)
    #expect(
      try library.shown()
        == ["1.mp3 - here", "2.mp3 1 here", "3.mp3 2 here", "4.mp3 3 here", "5.mp3 4 here", "6.mp3 5 here"])
  }

  @Test(arguments: [false, true]) func `a retagged file keeps its rating`(getsNewInode: Bool) throws {
    made.add("a.mp3", sound: 1, [("TIT2", "Old")])
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 7)
    let tags = [("TIT2", "New and longer"), ("TPE1", "Somebody")]
    if getsNewInode { made.replace("a.mp3", sound: 1, tags) } else { made.add("a.mp3", sound: 1, tags) }
    let totals = try made.scan(library)
    #expect(totals.retagged == 1 && totals.read == 1 && totals.moved == 0)
    #expect(try library.shown() == ["a.mp3 7 here"])
    #expect(try library.view().track(0).title == "New and longer")
  }

  @Test func `a file that was copied to another disk, renamed and retagged keeps its rating`() throws {
    made.add("a.mp3", sound: 1, [("TIT2", "Old")])
    made.add("b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 9)
    made.add("elsewhere/c.mp3", sound: 1, [("TIT2", "New")])
    made.remove("a.mp3")
    let totals = try made.scan(library)
    #expect(totals.moved == 1 && totals.missing == 0 && totals.read == 1)
    #expect(try library.shown() == ["b.mp3 - here", "c.mp3 9 here"])
  }

  @Test func `another rip in its place keeps the rating`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 6)
    made.replace("a.mp3", sound: 99)
    #expect(try made.scan(library).retagged == 1)
    #expect(try library.shown() == ["a.mp3 6 here"])
  }

  @Test func `a copy beside the original is another track`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 6)
    made.add("copy.mp3", sound: 1)
    let totals = try made.scan(library)
    #expect(totals.moved == 0 && totals.read == 1)
    #expect(try library.shown() == ["a.mp3 6 here", "copy.mp3 - here"])
  }

  @Test func `a removed file is missing, and has its rating again when it comes back`() throws {
    made.add("a.mp3", sound: 1)
    made.add("b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 5)
    made.remove("a.mp3")
    #expect(try made.scan(library).missing == 1)
    #expect(try library.shown() == ["a.mp3 5 missing", "b.mp3 - here"])
    #expect(try made.scan(library).missing == 0)
    made.add("new/place.mp3", sound: 1)
    try made.scan(library)
    #expect(try library.shown() == ["b.mp3 - here", "place.mp3 5 here"])
  }

  @Test func `plays, ratings and entries are those of the file that has the place, not of the one before`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    let path = made.add("b.mp3", sound: 2)
    try made.scan(library)
    made.remove("b.mp3")
    made.move("a.mp3", to: "b.mp3")
    try made.scan(library)
    try library.recordPlay(of: path, heard: 200, duration: 260, isSkip: false, at: 1_700_000_000)
    _ = try library.changeRatings(of: [path]) { $0[0].rating = 6 }
    _ = try PlaylistStore(library).perform(.create("list", [CollectedEntry(location: .file(path))]))
    #expect(try library.shown() == ["b.mp3 - missing", "b.mp3 6 here"])
    let view = try library.view()
    let track = try #require((0..<2).map(view.track).first { $0.state == .here })
    #expect(track.plays == 1 && view.playlists.first?.entries.map(\.recording) == [track.recording])
  }

  /// Moves the first sound out of the music, as it is or as a copy.
  private func leave(_ name: String, for place: String, asCopy: Bool) {
    guard asCopy else { return made.move(name, to: "../" + place) }
    made.folder.write(BytePath(place), madeMP3(sound: 1))
    made.remove(name)
  }

  @Test(arguments: [false, true]) func `files that leave a folder keep their ratings if only the new one is scanned`(
    areCopied: Bool
  ) throws {
    made.add("books/a.mp3", sound: 1)
    made.add("b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 7)
    let books = made.folder["books"]
    leave("books/a.mp3", for: "books/a.mp3", asCopy: areCopied)
    try library.addRoot(books)
    #expect(try LibraryScan(library, extensions: ["mp3"]).run([books]).moved == 1)
    #expect(try library.shown() == ["a.mp3 7 here", "b.mp3 - here"])
    #expect(try made.scan(library).unchanged == 2)
  }

  @Test(arguments: [false, true]) func `a copy shares the rating of a file whose disk is away, the file itself moves`(
    isSameFile: Bool
  ) throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 7)
    let other = made.folder["other"]
    leave("a.mp3", for: "other/a.mp3", asCopy: !isSameFile)
    // As if another disk had been mounted at the folder.
    if !isSameFile { try library.catalogue.execute("UPDATE file SET device=device+1") }
    try library.addRoot(other)
    #expect(try LibraryScan(library, extensions: ["mp3"]).run([other]).moved == (isSameFile ? 1 : 0))
    #expect(try library.shown() == (isSameFile ? ["a.mp3 7 here"] : ["a.mp3 7 here", "a.mp3 7 here"]))
  }

  @Test(arguments: [false, true]) func `music of a forgotten folder keeps its ratings when it is added again`(
    isCopied: Bool
  ) throws {
    made.add("rock/a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 7)
    #expect(try library.forgetRoot(made.music))
    if isCopied { made.folder.write(BytePath("copy/a.mp3"), madeMP3(sound: 1)) }
    try library.addRoot(isCopied ? made.folder["copy"] : made.music.appending(BytePath("rock")))
    #expect(try made.scan(library).moved == 1)
    #expect(try library.shown() == ["a.mp3 7 here"])
  }

  @Test func `of several missing files with one sound the tags decide, or nothing`() throws {
    made.add("a.mp3", sound: 1, [("TIT2", "A"), ("TALB", "X")])
    made.add("b.mp3", sound: 1, [("TIT2", "A"), ("TALB", "Y")])
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 1)
    try library.rate("b.mp3", 2)
    made.remove("a.mp3")
    made.remove("b.mp3")
    try made.scan(library)
    made.add("y.mp3", sound: 1, [("TIT2", "A"), ("TALB", "Y")])
    made.add("z.mp3", sound: 1, [("TIT2", "Other"), ("TALB", "Z")])
    try made.scan(library)
    #expect(try library.shown().filter { $0.hasPrefix("y") } == ["y.mp3 2 here"])
  }

  @Test func `an empty mount point is away, and all is back with the disk`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 5)
    made.folder.makeFolder(made.folder["disk"])
    made.move("a.mp3", to: "../disk/a.mp3")
    let totals = try made.scan(library)
    #expect(totals.away == 1 && totals.missing == 0 && totals.found == 0)
    #expect(try library.shown() == ["a.mp3 5 away"])
    #expect(try library.roots().first?.state == .away)
    made.move("../disk/a.mp3", to: "a.mp3")
    #expect(try made.scan(library).unchanged + made.scan(library).unchanged >= 1)
    #expect(try library.shown() == ["a.mp3 5 here"])
  }

  @Test func `of a disk in a folder of the root all is away while it is not mounted, and what was forgotten stays so`()
    throws
  {
    for (sound, name) in ["disk/a.mp3", "disk/b.mp3", "disk/album/c.mp3", "d.mp3"].enumerated() {
      made.add(name, sound: sound)
    }
    let library = try made.library()
    try made.scan(library)
    let view = try library.view()
    try library.forget((0..<4).map(view.track).filter { $0.path.lastComponent == BytePath("b.mp3") })
    for name in ["disk/a.mp3", "disk/b.mp3", "disk/album/c.mp3"] { made.remove(name) }
    _ = made.music.appending(BytePath("disk/album")).withCString { rmdir($0) }
    try library.catalogue.execute("UPDATE file SET device=device+1 WHERE name<>CAST('d.mp3' AS BLOB)")
    let totals = try made.scan(library)
    #expect(totals.away == 2 && totals.missing == 0 && totals.unchanged == 1)
    #expect(try library.shown() == ["a.mp3 - away", "c.mp3 - away", "d.mp3 - here"])
    #expect(try library.catalogue.integer("SELECT count(*) FROM file WHERE state=4") == 1)
  }

  @Test func `a root that is gone is away`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    let gone = made.folder["gone"]
    _ = made.music.withCString { old in gone.withCString { rename(old, $0) } }
    #expect(try made.scan(library).away == 1)
    #expect(try library.shown() == ["a.mp3 - away"])
  }

  @Test func `links in a circle give each file once, and a link to a file with two names adds no third one`() throws {
    made.add("one/a.mp3", sound: 1)
    made.folder.link("music/one/loop", to: made.music.description)
    made.folder.link("music/again", to: made.music.description + "/one")
    made.folder.link("music/one/z.mp3", to: made.music.description + "/one/a.mp3")
    made.link("one/a.mp3", to: "one/hard.mp3")
    let library = try made.library()
    // The second name of the file is a track.
    #expect(try made.scan(library).found == 2)
    #expect(try made.scan(library).found == 2)
  }

  @Test func `a scan ends its lock even if a child process has its descriptors`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    var held: CInt = -1
    defer { close(held) }
    // As a fork would, which shares the lock with it.
    let scan = LibraryScan(
      library, extensions: ["mp3"],
      report: { _ in
        guard held < 0 else { return }
        let lock = "\(library.folder)/scan.lock"
        held = (3..<1024 as Range<CInt>).first { path(of: $0) == lock }.map { dup($0) } ?? -1
      })
    _ = try scan.run()
    #expect(held >= 0)
    #expect(try made.scan(library).unchanged == 1)
  }

  private func path(of descriptor: CInt) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test func `names that are not UTF-8 are names`() throws {
    let name = Array("music/caf".utf8) + [0xe9] + Array(".mp3".utf8)
    let path = made.folder.write(BytePath(name), madeMP3(sound: 1))
    let library = try made.library()
    #expect(try made.scan(library).read == 1)
    #expect(try library.view().track(0).path == path)
    #expect(try made.scan(library).unchanged == 1)
  }

  @Test func `a clock that was set back hides no change`() throws {
    let path = made.add("a.mp3", sound: 1, [("TIT2", "Old")])
    let library = try made.library()
    try made.scan(library)
    var status = stat()
    _ = path.withCString { stat($0, &status) }
    made.add("a.mp3", sound: 1, [("TIT2", "New")])
    // The same size and time as before.
    var times = [status.st_atim, status.st_mtim]
    _ = path.withCString { utimensat(AT_FDCWD, $0, &times, 0) }
    #expect(try made.scan(library).retagged == 1)
    #expect(try library.view().track(0).title == "New")
  }

  @Test func `a cancelled scan keeps what it has read, and the next one continues`() throws {
    for number in 0..<1200 { made.add("\(number).mp3", sound: number) }
    let library = try made.library()
    let calls = Atomic(0)
    let first = try LibraryScan(
      library, extensions: ["mp3"], isCancelled: { calls.add(1, ordering: .relaxed).newValue > 3 }
    ).run()
    #expect(first.isCancelled && first.missing == 0)
    let second = try made.scan(library)
    #expect(!second.isCancelled && first.read + second.read == 1200 && second.unchanged == first.read)
    #expect(try library.view().index.trackCount == 1200)
  }

  @Test func `a scan that is cancelled while it walks ends, and the next one reads all`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    let isCancelled = Atomic(false)
    let first = try LibraryScan(
      library, extensions: ["mp3"], isCancelled: { isCancelled.load(ordering: .relaxed) },
      report: { _ in isCancelled.store(true, ordering: .relaxed) }
    ).run()
    #expect(first.isCancelled && first.found == 1 && first.read == 0)
    #expect(try made.scan(library).read == 1)
  }

  @Test func `a file on which a scan crashed is skipped and listed, one during which it was killed is not`() throws {
    let path = made.add("deadly.mp3", sound: 1)
    made.add("good.mp3", sound: 2)
    let library = try made.library()
    try leaveNote(path, isCrash: true)
    try leaveNote(made.music.appending(BytePath("good.mp3")), isCrash: false, slot: 4)
    #expect(try made.scan(library).bad == 1)
    #expect(try UnreadStore(library).bad(limit: 9).first?.path == path)
    #expect(try UnreadStore(library).bad(limit: 9).first?.reason == "segue crashed while it read this file")
    #expect(try made.scan(library).read == 0)
    made.add("deadly.mp3", sound: 3)
    #expect(try made.scan(library).bad == 0)
  }

  /// Leaves the note of a scan that ended while it read a file.
  private func leaveNote(_ path: BytePath, isCrash: Bool, slot: Int = 3) throws {
    let file = made.data.appending(BytePath("reading"))
    var bytes = (try? wholeFile(file, byteLimit: 1 << 20)) ?? []
    let start = slot * 4120
    bytes += [UInt8](repeating: 0, count: max(0, 64 * 4120 - bytes.count))
    (bytes[start], bytes[start + 16]) = (UInt8(path.bytes.count), isCrash ? 1 : 0)
    bytes.replaceSubrange((start + 24)..<(start + 24 + path.bytes.count), with: path.bytes)
    made.folder.write(file, bytes)
  }

  @Test func `two scans of one library do not meet`() throws {
    made.add("a.mp3", sound: 1)
    let (first, second) = (try made.library(), try MusicLibrary(folder: made.data))
    let outcome = Mutex("")
    _ = try LibraryScan(
      first, extensions: ["mp3"],
      report: { _ in
        do { _ = try LibraryScan(second, extensions: ["mp3"]).run() } catch { outcome.withLock { $0 = "\(error)" } }
      }
    ).run()
    #expect(outcome.withLock { $0 }.contains("another scan is running"))
  }

  @Test func `a new catalogue knows the listener's facts by the sound`() throws {
    made.add("a.mp3", sound: 1)
    do {
      let library = try made.library()
      try made.scan(library)
      try library.rate("a.mp3", 10)
    }
    made.move("a.mp3", to: "b.mp3")
    for name in ["catalogue.db", "catalogue.db-wal", "catalogue.db-shm", "catalogue.map"] {
      _ = made.data.appending(BytePath(name)).withCString { unlink($0) }
    }
    let library = try made.library()
    try made.scan(library)
    #expect(try library.shown() == ["b.mp3 10 here"])
  }

  @Test func `a catalogue finds its tracks in a new database of the listener`() throws {
    made.add("a.mp3", sound: 1)
    try made.scan(made.library())
    for name in ["listener.db", "listener.db-wal", "listener.db-shm"] {
      _ = made.data.appending(BytePath(name)).withCString { unlink($0) }
    }
    let library = try made.library()
    #expect(try made.scan(library).read == 1)
    try library.rate("a.mp3", 8)
    #expect(try library.shown() == ["a.mp3 8 here"])
    #expect(try made.scan(library).unchanged == 1)
  }

  @Test func `an older copy of the listener's database gives no track the ratings of another`() throws {
    made.add("a.mp3", sound: 1)
    let copy = made.data.appending(BytePath("copy.db"))
    do {
      let library = try made.library()
      try made.scan(library)
      try library.listener.backUp(to: copy)
      made.add("b.mp3", sound: 2)
      try made.scan(library)
    }
    for name in ["listener.db-wal", "listener.db-shm"] {
      _ = made.data.appending(BytePath(name)).withCString { unlink($0) }
    }
    let path = made.data.appending(BytePath("listener.db"))
    try #require(copy.withCString { old in path.withCString { rename(old, $0) } } == 0)
    made.add("c.mp3", sound: 3)
    let library = try made.library()
    let totals = try made.scan(library)
    #expect(totals.unchanged == 1 && totals.read == 2, "only the files whose recordings are lost are read again")
    try library.rate("c.mp3", 8)
    #expect(try library.shown() == ["a.mp3 - here", "b.mp3 - here", "c.mp3 8 here"])
  }

  @Test func `a damaged catalogue is renamed, a damaged index is written again`() throws {
    made.add("a.mp3", sound: 1)
    do {
      let library = try made.library()
      try made.scan(library)
      try library.rate("a.mp3", 3)
    }
    for name in ["catalogue.db", "catalogue.map"] {
      made.folder.write("data/" + name, String(repeating: "damage", count: 1000))
    }
    for name in ["catalogue.db-wal", "catalogue.db-shm"] {
      _ = made.data.appending(BytePath(name)).withCString { unlink($0) }
    }
    let library = try made.library()
    #expect(library.remark?.contains("set aside") == true)
    try made.scan(library)
    #expect(try library.shown() == ["a.mp3 3 here"])
  }

  @Test func `acts are undone one after another`() throws {
    made.add("a.mp3", sound: 1)
    made.add("b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 4)
    try library.rate("a.mp3", 9)
    let view = try library.view()
    try library.forget((0..<2).map(view.track))
    #expect(try library.shown() == [])
    // A scan does not bring back what was forgotten.
    #expect(try made.scan(library).unchanged == 2)
    #expect(try library.shown() == [])
    #expect(try library.undo() == "forget 2 tracks")
    #expect(try library.shown() == ["a.mp3 9 here", "b.mp3 - here"])
    _ = try library.undo()
    #expect(try library.shown() == ["a.mp3 4 here", "b.mp3 - here"])
    #expect(try library.forgetRoot(made.music))
    #expect(try library.shown() == [])
    _ = try library.undo()
    _ = try library.undo()
    #expect(try library.shown() == ["a.mp3 - here", "b.mp3 - here"])
  }

  @Test(arguments: [false, true]) func `a folder in another one keeps its tracks when the outer one goes`(
    isUndone: Bool
  ) throws {
    made.add("in/a.mp3", sound: 1)
    made.add("in/deep/b.mp3", sound: 2)
    made.add("c.mp3", sound: 3)
    let library = try MusicLibrary(folder: made.data)
    try library.addRoot(made.music.appending(BytePath("in")))
    try made.scan(library)
    try library.addRoot(made.music)
    made.add("in/new/d.mp3", sound: 4)
    try made.scan(library)
    if isUndone {
      #expect(try library.undo() == "add \(made.music)")
    } else {
      #expect(try library.forgetRoot(made.music))
    }
    let inner = ["a.mp3 - here", "b.mp3 - here", "d.mp3 - here"]
    #expect(try library.shown() == inner)
    #expect(try made.scan(library).unchanged == 3)
    #expect(try library.shown() == inner)
    guard !isUndone else { return }
    _ = try library.undo()
    #expect(try library.shown() == ["a.mp3 - here", "b.mp3 - here", "c.mp3 - here", "d.mp3 - here"])
    try made.scan(library)
    #expect(try library.shown() == ["a.mp3 - here", "b.mp3 - here", "c.mp3 - here", "d.mp3 - here"])
    // The inner one is a part of the outer one.
    #expect(try library.forgetRoot(made.music.appending(BytePath("in"))))
    #expect(try library.shown().count == 4)
  }

  @Test func `a file is rated and loved by its path, each as one act`() throws {
    let path = made.add("a.mp3", sound: 1, [("TIT2", "Aria")])
    let library = try made.library()
    try made.scan(library)
    let first = try library.changeRatings(of: [path]) { $0[0].rating = ($0[0].rating ?? 0) + 12 }.first
    #expect(first?.new.rating == 10 && first?.title == "Aria", "limited to 10")
    #expect(try library.changeRatings(of: [path]) { $0[0].isLoved.toggle() }.first?.new.isLoved == true)
    #expect(try library.changeRatings(of: [path]) { _ in }.first?.new.rating == 10, "what does not change is no act")
    #expect(try library.changeRatings(of: [made.music.appending(BytePath("b.mp3"))]) { _ in }.isEmpty)
    #expect(try library.view().track(0).isLoved)
    try library.listener.execute("UPDATE recording SET rating=9223372036854775807")
    let more = try library.changeRatings(of: [path]) { $0[0].rating = ($0[0].rating ?? 0) + 1 }.first
    #expect(more?.new.rating == 10, "not trusted")
    #expect(try library.undo() == "love Aria")
    #expect(try !library.view().track(0).isLoved && library.shown() == ["a.mp3 10 here"])
    #expect(try library.undo() == "rate Aria 10")
    #expect(try library.shown() == ["a.mp3 - here"])
  }

  @Test func `several files are rated and loved as one act, and each gets its own number`() throws {
    let paths = ["a.mp3", "b.mp3"].enumerated().map { made.add($1, sound: $0 + 1) }
    let library = try made.library()
    try made.scan(library)
    try library.rate("b.mp3", 4)
    let missing = made.music.appending(BytePath("c.mp3"))
    let rated = try library.changeRatings(of: paths + [missing]) { tracks in
      for index in tracks.indices { tracks[index].rating = (tracks[index].rating ?? 0) + 1 }
    }
    #expect(rated.map(\.new.rating) == [1, 5])
    #expect(try library.shown() == ["a.mp3 1 here", "b.mp3 5 here"])
    #expect(try library.undo() == "rate 2 tracks")
    #expect(try library.shown() == ["a.mp3 - here", "b.mp3 4 here"])
    _ = try library.changeRatings(of: paths) { for index in $0.indices { $0[index].isLoved = true } }
    #expect(try library.undo() == "love 2 tracks")
  }

  /// On a disk of another computer the mode is DELETE.
  @Test(arguments: ["WAL", "DELETE"]) func `ratings and removals wait for the disk, a scan does not`(
    mode: String
  ) throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try library.listener.execute("PRAGMA journal_mode=\(mode)")
    func levels() -> [Int64?] {
      [library.listener, library.catalogue].map { try? $0.integer("PRAGMA synchronous") }
    }
    var found: Set<[Int64?]> = []
    _ = try LibraryScan(library, extensions: ["mp3"], report: { _ in found.insert(levels()) }).run()
    // NORMAL and FULL.
    #expect(found == [[mode == "WAL" ? 1 : 2, 1]] && levels() == [2, 2])
  }

  @Test func `while a file is read slowly, others can be rated`() throws {
    let path = made.add("a.mp3", sound: 1)
    made.folder.write(BytePath("music/slow.mp3"), Array(repeating: 0, count: 1000))
    let rating = try made.library()
    let (isReleased, readCount, badCount) = (Guarded(false), Guarded(0), Guarded(0))
    let scan = WorkerThread(named: "slow") { [data = made.data] in
      guard let library = try? MusicLibrary(folder: data) else { return }
      let slow = ForeignReader(name: { _ in "slow" }) { _ in
        _ = waitUntil { isReleased.withLock { $0 } }
        return .failure(ForeignFailure("slow"))
      }
      let scan = LibraryScan(
        library, extensions: ["mp3"], foreign: slow,
        report: { progress in readCount.withLock { $0 = progress.read } })
      let totals = try? scan.run()
      badCount.withLock { $0 = totals?.bad ?? 0 }
    }
    #expect(
      try waitUntil {
        try !rating.changeRatings(of: [path]) { for index in $0.indices { $0[index].rating = 7 } }.isEmpty
      })
    // Reported after it is saved. Later the scan would have given up the slow file.
    #expect(waitUntil { readCount.withLock { $0 } != 0 } && readCount.withLock { $0 } == 1)
    isReleased.withLock { $0 = true }
    scan.join()
    #expect(badCount.withLock { $0 } == 1)
    #expect(try rating.shown().first == "a.mp3 7 here")
  }

  @Test func `records come to another library, twice as once`() throws {
    made.add("a.mp3", sound: 1)
    made.add("b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 8)
    let path = made.music.appending(BytePath("a.mp3"))
    try library.recordPlay(of: path, heard: 200, duration: 260, isSkip: false, at: 1_700_000_000)
    try library.recordPlay(of: path, heard: 3, duration: 260, isSkip: true, at: 1_700_000_500)
    try ResumeStore(library).set(path, to: 61.5, at: 1_700_000_600)
    var records: [ListenerRecord] = []
    try ListenerRecord.forEach(of: library) { records.append($0) }
    let other = try MusicLibrary(folder: made.folder["other"])
    made.move("a.mp3", to: "renamed.mp3")
    try other.addRoot(made.music)
    for _ in 0..<2 { _ = try ListenerRecord.add(records, to: other) }
    try made.scan(other)
    #expect(try other.shown() == ["b.mp3 - here", "renamed.mp3 8 here"])
    let view = try other.view()
    let track = try #require((0..<2).map(view.track).first { $0.rating == 8 })
    #expect(track.plays == 1 && track.skips == 1 && track.lastPlayed == 1_700_000_000)
    #expect(try ResumeStore(other).all().map(\.seconds) == [61.5])
  }

  @Test func `resume points follow a moved file, and wait for one that is not known yet`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    let (old, new) = (made.music.appending(BytePath("a.mp3")), made.music.appending(BytePath("renamed.mp3")))
    let later = made.music.appending(BytePath("later.mp3"))
    try ResumeStore(library).set(old, to: 61.5, at: 1_700_000_000)
    try ResumeStore(library).set(later, to: nil, at: 1_700_000_000)
    try ResumeStore(library).set(later, to: 30, at: 1_700_000_000)
    try ResumeStore(library).set(later, to: 90, at: 1_700_000_000)
    made.move("a.mp3", to: "renamed.mp3")
    made.add("later.mp3", sound: 2)
    try made.scan(library)
    func places() throws -> [BytePath: Double] {
      Dictionary(try ResumeStore(library).all().map { ($0.path, $0.seconds) }, uniquingKeysWith: { $1 })
    }
    #expect(try places() == [new: 61.5, later: 90])
    #expect(try library.shown() == ["later.mp3 - here", "renamed.mp3 - here"])
    try ResumeStore(library).set(new, to: nil, at: 1_700_000_000)
    #expect(try places() == [later: 90])
  }

  @Test func `an index of older rows replaces no later one, and a change during the writing is indexed again`() throws {
    made.add("a.mp3", sound: 1)
    let (first, second) = (try made.library(), try made.library())
    try made.scan(first)
    let old = try first.draftIndex()
    made.add("b.mp3", sound: 2)
    try made.scan(second)
    // Written from rows before the change: it does not count as an index of the change.
    try first.install(old)
    #expect(try first.view().index.trackCount == 2)
    let late = try second.draftIndex()
    made.add("c.mp3", sound: 3)
    try made.scan(first)
    #expect(try first.view().index.trackCount == 3)
    try second.install(late)
    #expect(LibraryIndex(folder: made.data)?.trackCount == 3, "the later index stays")
    #expect(try second.view().index.trackCount == 3)
  }

  @Test func `an index that is written during a scan hides nothing of the rest`() throws {
    for number in 0..<300 { made.add("\(number).mp3", sound: number) }
    let (library, other) = (try made.library(), try made.library())
    var (reads, counts): ([Int], [Int]) = ([], [])
    let scan = LibraryScan(
      library, extensions: ["mp3"],
      report: { progress in
        guard progress.isSaved else { return }
        reads.append(progress.read)
        counts.append((try? other.view().index.trackCount) ?? -1)
      })
    _ = try scan.run()
    #expect(counts == reads && reads.contains(256))
    #expect(try other.view().index.trackCount == 300)
  }

  @Test func `progress says when all that was read is saved, and lists can be made then`() throws {
    for number in 0..<300 { made.add("\(number).mp3", sound: number) }
    let library = try made.library()
    var (counts, saved, reads): ([Int], [Int], [Int]) = ([], [], [])
    let scan = LibraryScan(
      library, extensions: ["mp3"],
      report: { progress in
        reads.append(progress.read)
        guard progress.isSaved else { return }
        saved.append(progress.read)
        counts.append((try? library.view().index.trackCount) ?? -1)
      })
    _ = try scan.run()
    #expect(counts == saved && saved.contains(256))
    #expect(reads == reads.sorted() && reads.last == 300)
    #expect(try library.view().index.trackCount == 300)
  }

  @Test func `genres are listed with their tracks`() throws {
    made.add("a.mp3", sound: 1, [("TIT2", "A"), ("TCON", "Rock")])
    made.add("b.mp3", sound: 2, [("TIT2", "B"), ("TCON", "Jazz")])
    made.add("c.mp3", sound: 3, [("TIT2", "C"), ("TCON", "Rock")])
    made.add("d.mp3", sound: 4, [("TIT2", "D")])
    let library = try made.library()
    try made.scan(library)
    let view = try library.view()
    #expect(view.genres().map { "\($0.name) \($0.trackCount)" } == ["Jazz 1", "Rock 2"])
    #expect(view.tracks(ofGenre: "Rock").map { view.track($0).title } == ["A", "C"])
    #expect(view.tracks(ofGenre: "Folk") == [])
  }
}
