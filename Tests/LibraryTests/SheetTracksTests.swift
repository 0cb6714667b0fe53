import ByteIO
import Glibc
import Testing

@testable import Library

/// The tracks of cue sheets are tracks of the library, in the place of the files that the sheets divide.
struct SheetTracksTests {
  private let made = MadeCollection()

  /// A sheet of two tracks of a file of 0.26 s.
  private func sheet(_ file: String, _ titles: String...) -> String {
    "PERFORMER Glenn\nTITLE Goldberg\nFILE \"\(file)\" WAVE\n"
      + titles.enumerated().map { "TRACK 0\($0 + 1) AUDIO\nTITLE \"\($1)\"\nINDEX 01 00:00:\($0)0\n" }.joined()
  }

  private func write(_ name: String, _ text: String) { made.folder.write("music/" + name, text) }

  /// Names, titles, ratings and states, by name.
  private func shown(_ library: MusicLibrary) throws -> [String] {
    let view = try library.view()
    return (0..<view.index.trackCount).map(view.track).map { track in
      let name = String(decoding: track.path.bytes.dropFirst(made.music.bytes.count + 1), as: UTF8.self)
      return "\(name) \(track.title) \(track.rating ?? 0) \(track.state)"
    }.sorted()
  }

  @Test func `tracks have tags of the sheet, and those of the file where that says nothing`() throws {
    made.add("a/album.mp3", sound: 1, [("TIT2", "Whole"), ("TYER", "1981"), ("TPE1", "Somebody"), ("TRCK", "7")])
    write("a/album.cue", sheet("album.wav", "Aria", "Variatio 1"))
    let library = try made.library()
    let totals = try made.scan(library)
    #expect(totals.found == 2 && totals.read == 2)
    #expect(try shown(library) == ["a/album.cue#1 Aria 0 here", "a/album.cue#2 Variatio 1 0 here"])
    let view = try library.view()
    let tracks = (0..<2).map(view.track)
    #expect(tracks.map(\.track) == [1, 2] && tracks.map(\.year) == [1981, 1981])
    #expect(tracks.map(\.artists) == [["Glenn"], ["Glenn"]] && tracks.allSatisfy { $0.album.title == "Goldberg" })
    #expect(tracks.map(\.duration) == [0.133, 0.127])
    #expect(tracks[1].location == .track(made.music.appending(BytePath("a/album.cue")), number: 2))
    let again = try made.scan(library)
    #expect(again.found == 2 && again.unchanged == 2 && !again.hasChanges)
  }

  /// `isWithin`: the sheet is a tag of the file.
  @Test(arguments: [false, true])
  func `ratings stay while sheet and file are changed, renamed and moved`(isWithin: Bool) throws {
    func put(_ first: String) {
      let text = sheet("album.mp3", first, "Two")
      made.replace("a/album.mp3", sound: 1, isWithin ? [("TXXX", "CUESHEET\0" + text)] : [])
      if !isWithin { write("a/album.cue", text) }
    }
    let name = isWithin ? "album.mp3" : "album.cue"
    put("One")
    let library = try made.library()
    var totals = try made.scan(library)
    #expect(totals.found == 2 && totals.read == 2)
    try library.rate("\(name)#2", 6)
    #expect(try shown(library) == ["a/\(name)#1 One 0 here", "a/\(name)#2 Two 6 here"])
    totals = try made.scan(library)
    #expect(totals.found == 2 && totals.unchanged == 2 && !totals.hasChanges)
    put("Eins")
    totals = try made.scan(library)
    #expect(totals.found == 2 && totals.retagged == 2)
    #expect(try shown(library) == ["a/\(name)#1 Eins 0 here", "a/\(name)#2 Two 6 here"])
    made.move("a", to: "b")
    totals = try made.scan(library)
    #expect(totals.moved == 2 && totals.read == 0 && totals.missing == 0)
    #expect(try shown(library) == ["b/\(name)#1 Eins 0 here", "b/\(name)#2 Two 6 here"])
    totals = try made.scan(library)
    #expect(totals.found == 2 && totals.unchanged == 2 && !totals.hasChanges)
    made.move("b/album.mp3", to: "gone.ogg")
    #expect(try made.scan(library).missing == 2)
    made.move("gone.ogg", to: "b/album.mp3")
    try made.scan(library)
    #expect(try shown(library) == ["b/\(name)#1 Eins 0 here", "b/\(name)#2 Two 6 here"])
  }

  @Test(arguments: [false, true]) func `a file that is whole again has its rating`(isWithin: Bool) throws {
    made.add("album.mp3", sound: 1, [("TIT2", "Whole")])
    let library = try made.library()
    try made.scan(library)
    try library.rate("album.mp3", 8)
    let text = sheet("album.mp3", "One", "Two")
    if isWithin {
      made.replace("album.mp3", sound: 1, [("TIT2", "Whole"), ("TXXX", "CUESHEET\0" + text)])
    } else {
      write("album.cue", text)
    }
    try made.scan(library)
    let name = isWithin ? "album.mp3" : "album.cue"
    #expect(try shown(library) == ["\(name)#1 One 0 here", "\(name)#2 Two 0 here"])
    try made.scan(library)
    #expect(try shown(library).count == 2)
    if isWithin { made.replace("album.mp3", sound: 1, [("TIT2", "Whole")]) } else { made.remove("album.cue") }
    let totals = try made.scan(library)
    #expect(totals.found == 1 && totals.missing == 2)
    #expect(try shown(library).filter { $0.hasSuffix("here") } == ["album.mp3 Whole 8 here"])
    let again = try made.scan(library)
    #expect(again.found == 1 && again.unchanged == 1 && !again.hasChanges)
  }

  @Test func `of a divided file that a link is found to lead to, the tracks are there once`() throws {
    made.add("b/album.mp3", sound: 1, [("TXXX", "CUESHEET\0" + sheet("album.mp3", "One", "Two"))])
    let library = try made.library()
    try made.scan(library)
    made.folder.makeFolder(made.music.appending(BytePath("a")))
    #expect(symlink("../b/album.mp3", made.music.appending(BytePath("a/album.mp3")).description) == 0)
    for _ in 0..<2 {
      try made.scan(library)
      let here = try shown(library).filter { $0.hasSuffix("here") }
      #expect(here == ["a/album.mp3#1 One 0 here", "a/album.mp3#2 Two 0 here"])
    }
  }

  @Test func `copies of an album keep their own tracks`() throws {
    for folder in ["a", "b"] {
      made.add("\(folder)/album.mp3", sound: 1)
      write("\(folder)/album.cue", sheet("album.mp3", "One", "Two"))
    }
    let library = try made.library()
    try made.scan(library)
    made.add("c/album.mp3", sound: 1)
    write("c/album.cue", sheet("album.mp3", "One", "Two"))
    #expect(try made.scan(library).moved == 0)
    #expect(try shown(library).count { $0.hasSuffix("here") } == 6)
  }

  @Test func `a file with one track stays as it is, and no file is divided twice`() throws {
    made.add("one.mp3", sound: 1, [("TIT2", "Single")])
    made.add("cd/two.mp3", sound: 2)
    write("one.cue", sheet("one.mp3", "Renamed"))
    write("a.cue", sheet("cd/two.mp3", "One", "Two"))
    write("cd/b.cue", sheet("two.mp3", "Three", "Four"))
    write("broken.cue", sheet("gone.mp3", "Five", "Six"))
    let library = try made.library()
    try made.scan(library)
    #expect(
      try shown(library) == [
        "a.cue#1 One 0 here", "a.cue#2 Two 0 here", "one.mp3 Single 0 here",
      ])
  }

  @Test func `tracks are played, rated and listed like files`() throws {
    made.add("album.mp3", sound: 1)
    write("album.cue", sheet("album.mp3", "One", "Two"))
    let library = try made.library()
    try made.scan(library)
    let path = made.music.appending(BytePath("album.cue#2"))
    #expect(try library.recordPlay(of: path, heard: 1, duration: 1, isSkip: false, at: 1))
    #expect(try library.changeRatings(of: [path]) { $0[0].rating = 9 }.map(\.title) == ["Two"])
    #expect(try library.track("album.cue#2").plays == 1 && library.track("album.cue#2").rating == 9)
    let entry = CollectedEntry(location: MediaLocation(libraryPath: path))
    _ = try PlaylistStore(library).perform(.create("List", [entry]))
    func items() throws -> [PlaylistItem] {
      let view = try library.view()
      return try view.items(of: #require(view.playlist(named: "List")), now: 0)
    }
    #expect(try items().map(\.title) == ["Two"] && items().map(\.location) == [entry.location])
    made.move("album.cue", to: "renamed.cue")
    try made.scan(library)
    #expect(try items().map(\.location.name) == ["renamed.cue#2"])
  }
}
