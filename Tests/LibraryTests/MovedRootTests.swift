import ByteIO
import Database
import Glibc
import SoundServerSupport
import Testing

@testable import Library

/// Music that was moved to another disk, into a folder that is added while the old one is not there.
@Suite struct MovedRootTests {
  private let made = MadeCollection()
  private let first = [("TIT2", "A")]
  private let second = [("TIT2", "B")]
  private var big: BytePath { made.folder["big"] }
  private var gone: BytePath { made.folder["gone"] }

  private func rename(_ old: BytePath, to new: BytePath) {
    precondition(old.withCString { old in new.withCString { Glibc.rename(old, $0) } } == 0)
  }

  /// A library of two tracks, one of them rated; then copies in another folder, which is added, and no old folder.
  private func movedLibrary(isForgotten: Bool = false) throws -> MusicLibrary {
    made.add("a.mp3", sound: 1, first)
    made.add("b.mp3", sound: 2, second)
    let library = try made.library()
    try made.scan(library)
    try library.rate("a.mp3", 7)
    if isForgotten { try library.forget([library.track("a.mp3")]) }
    made.folder.write(BytePath("big/a.mp3"), madeMP3(sound: 1, first))
    made.folder.write(BytePath("big/b.mp3"), madeMP3(sound: 2, second))
    rename(made.music, to: gone)
    try library.addRoot(big)
    return library
  }

  private func rate(_ path: BytePath, _ rating: Int, _ library: MusicLibrary) throws {
    #expect(try library.changeRatings(of: [path]) { $0[0].rating = rating }.count == 1)
  }

  @Test func `a link to a folder of the library is that folder`() throws {
    made.add("in/a.mp3", sound: 1, first)
    let library = try made.library()
    try made.scan(library)
    let (link, inner) = (made.folder["link"], made.folder["inner"])
    for (name, target) in [(link, made.music), (inner, made.music.appending(BytePath("in")))] {
      #expect(target.withCString { target in name.withCString { symlink(target, $0) } } == 0)
    }
    #expect(try library.addRoot(try library.named(link)) == .known)
    #expect(try library.addRoot(try library.named(inner)) == .within(made.music))
    try rate(link.appending(BytePath("in/a.mp3")), 7, library)
    try rate(link.appending(BytePath("in/a.mp3")), 8, library)
    let track = try #require(try library.view().track(at: made.music.appending(BytePath("in/a.mp3"))))
    #expect(track.rating == 8)
    #expect(try library.named(made.folder["nothing"]) == made.folder["nothing"])
  }

  @Test func `the copies share ratings with the tracks that are away, until their folder is removed`() throws {
    let library = try movedLibrary()
    let totals = try LibraryScan(library, extensions: ["mp3"]).run([big])
    #expect(totals.read == 2 && totals.moved == 0 && totals.hasNewPaths)
    #expect(try made.scan(library).away == 2)
    #expect(try library.shown() == ["a.mp3 7 away", "a.mp3 7 here", "b.mp3 - away", "b.mp3 - here"])
    try rate(big.appending(BytePath("b.mp3")), 4, library)
    #expect(try library.shown() == ["a.mp3 7 away", "a.mp3 7 here", "b.mp3 4 away", "b.mp3 4 here"])
    #expect(try library.forgetRoot(made.music))
    #expect(try library.shown() == ["a.mp3 7 here", "b.mp3 4 here"])
  }

  @Test func `of two copies with one rating, that of the last removal comes back first`() throws {
    let library = try movedLibrary()
    try made.scan(library)
    rename(gone, to: made.music)
    try made.scan(library)
    func tracks() throws -> [LibraryTrack] {
      let view = try library.view()
      return (0..<view.index.trackCount).map(view.track).filter { $0.path.lastComponent == BytePath("a.mp3") }
    }
    let copies = try tracks()
    try #require(copies.count == 2 && copies[0].recording == copies[1].recording)
    for copy in copies { try library.forget([copy]) }
    #expect(try library.shown() == ["b.mp3 - here", "b.mp3 - here"])
    #expect(try library.undo() == "forget \(copies[1].path)")
    #expect(try tracks().map(\.path) == [copies[1].path])
    #expect(try library.undo() == "forget \(copies[0].path)")
    #expect(try library.shown() == ["a.mp3 7 here", "a.mp3 7 here", "b.mp3 - here", "b.mp3 - here"])
  }

  @Test func `both are there when the old folder is back, with one rating and one resume point`() throws {
    let library = try movedLibrary()
    try made.scan(library)
    rename(gone, to: made.music)
    #expect(try made.scan(library).unchanged == 4)
    let old = made.music.appending(BytePath("a.mp3"))
    try rate(old, 9, library)
    #expect(try library.recordPlay(of: old, heard: 200, duration: 260, isSkip: false, at: 1_700_000_000))
    try ResumeStore(library).set(old, to: 30, at: 1_700_000_000)
    #expect(try library.shown() == ["a.mp3 9 here", "a.mp3 9 here", "b.mp3 - here", "b.mp3 - here"])
    #expect(try ResumeStore(library).all().map(\.seconds) == [30])
    #expect(try library.listener.integer("SELECT count(*) FROM recording") == 2)
  }

  @Test func `tracks have moved when the old folder is there without them`() throws {
    let library = try movedLibrary()
    try made.scan(library)
    made.add("c.mp3", sound: 3)
    let totals = try made.scan(library)
    #expect(totals.moved == 2 && totals.missing == 0 && totals.read == 1)
    #expect(try library.shown() == ["a.mp3 7 here", "b.mp3 - here", "c.mp3 - here"])
    _ = big.appending(BytePath("a.mp3")).withCString { unlink($0) }
    #expect(try made.scan(library).missing == 1)
    #expect(try library.shown() == ["a.mp3 7 missing", "b.mp3 - here", "c.mp3 - here"])
  }

  @Test func `a track that shares its rating with a copy keeps it when it is renamed and retagged`() throws {
    let library = try movedLibrary()
    try made.scan(library)
    rename(gone, to: made.music)
    try made.scan(library)
    made.remove("a.mp3")
    made.add("album/a.mp3", sound: 1, first + [("TALB", "Album")])
    let totals = try made.scan(library)
    #expect(totals.moved == 1 && totals.missing == 0)
    #expect(try library.shown() == ["a.mp3 7 here", "a.mp3 7 here", "b.mp3 - here", "b.mp3 - here"])
  }

  @Test func `one copy shares, and no other track with the sound`() throws {
    let library = try movedLibrary()
    made.folder.write(BytePath("big/other/a.mp3"), madeMP3(sound: 1, first))
    made.folder.write(BytePath("big/hits.mp3"), madeMP3(sound: 1, first + [("TALB", "Hits")]))
    try made.scan(library)
    let shown = ["a.mp3 - here", "a.mp3 7 here", "b.mp3 - here", "hits.mp3 - here"]
    #expect(try library.shown().filter { $0.hasSuffix("here") } == shown)
    #expect(try library.forgetRoot(made.music))
    made.folder.write(BytePath("big/late.mp3"), madeMP3(sound: 1, first))
    try made.scan(library)
    #expect(try library.shown() == shown + ["late.mp3 - here"])
  }

  @Test func `the copy of a removed track is removed`() throws {
    let library = try movedLibrary(isForgotten: true)
    try made.scan(library)
    #expect(try library.shown() == ["b.mp3 - away", "b.mp3 - here"])
  }

  @Test func `tracks have moved if a link leads from the old folder to the new one`() throws {
    let library = try movedLibrary()
    made.folder.link("music", to: big.description)
    #expect(try LibraryScan(library, extensions: ["mp3"]).run([big]).moved == 2)
    #expect(try library.shown() == ["a.mp3 7 here", "b.mp3 - here"])
    try made.scan(library)
    #expect(try library.shown() == ["a.mp3 7 here", "b.mp3 - here"])
  }
}
