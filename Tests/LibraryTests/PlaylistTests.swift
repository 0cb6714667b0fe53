import AudioModel
import ByteIO
import Database
import Glibc
import Testing

@testable import Library

/// Playlists: what happens to files, and what a listener undoes, loses no entry.
@Suite struct PlaylistTests {
  private let made = MadeCollection()

  /// A library of `a.mp3` to `d.mp3`.
  private func library() throws -> MusicLibrary {
    for (number, name) in ["a", "b", "c", "d"].enumerated() {
      made.add("\(name).mp3", sound: number, [("TIT2", name.uppercased())])
    }
    let library = try made.library()
    try made.scan(library)
    return library
  }

  private func entries(_ names: String...) -> [CollectedEntry] {
    names.map { CollectedEntry(location: .file(made.music.appending(BytePath($0)))) }
  }

  @discardableResult
  private func change(_ library: MusicLibrary, _ edit: PlaylistEdit) throws -> PlaylistOutcome {
    try PlaylistStore(library).perform(edit)
  }

  /// Names and titles: `Mix: A B`, with the state of files that are not here.
  private func shown(_ library: MusicLibrary) throws -> [String] {
    let view = try library.view()
    return try view.playlists.map { playlist in
      let items = try view.items(of: playlist, now: 0).map { $0.title + ($0.state == .here ? "" : "(\($0.state))") }
      return playlist.name + ":" + items.map { " " + $0 }.joined()
    }
  }

  private func paths(_ library: MusicLibrary, _ query: String) throws -> [String] {
    let view = try library.view()
    return LibrarySearch(view).tracks(try LibraryQuery(query, now: 0)).map {
      view.track($0).path.lastComponent.description
    }
  }

  // MARK: Changes

  @Test func `a playlist keeps an order of its own, and a track twice`() throws {
    let library = try library()
    #expect(
      try change(library, .create("Mix", entries("c.mp3", "a.mp3"))) == .done("playlist Mix made, with 2 tracks"))
    #expect(try change(library, .add("Mix", entries("c.mp3"))) == .done("1 track added to Mix"))
    #expect(try shown(library) == ["Mix: C A C"])
    #expect(try change(library, .move("Mix", number: 3, to: 1)) == .done("entry 3 of Mix moved to 1"))
    #expect(try shown(library) == ["Mix: C C A"])
    #expect(try change(library, .move("Mix", number: 1, to: 3)) == .done("entry 1 of Mix moved to 3"))
    #expect(try shown(library) == ["Mix: C A C"])
    #expect(try change(library, .remove("Mix", numbers: [1])) == .done("1 track removed from Mix"))
    #expect(try shown(library) == ["Mix: A C"])
    #expect(try change(library, .add("Mix", entries("d.mp3", "b.mp3"))) == .done("2 tracks added to Mix"))
    #expect(try shown(library) == ["Mix: A C D B"])
    #expect(try change(library, .remove("Mix", numbers: [4, 1, 4])) == .done("2 tracks removed from Mix"))
    #expect(try shown(library) == ["Mix: C D"])
  }

  @Test func `entries are moved and removed by identity, whatever their present position`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("a.mp3", "b.mp3", "c.mp3")))
    let view = try library.view()
    let ids = try view.items(of: try #require(view.playlist(named: "mix")), now: 0).compactMap(\.entry)
    try change(library, .moveEntries([ids[0]], by: 1))
    #expect(try shown(library) == ["Mix: B A C"])
    try change(library, .moveEntries([ids[0]], by: 9))
    #expect(try shown(library) == ["Mix: B C A"])
    try change(library, .moveEntries([ids[0]], by: .min))
    #expect(try shown(library) == ["Mix: A B C"])
    try change(library, .removeEntries([ids[1]]))
    #expect(try shown(library) == ["Mix: A C"])
    #expect(try change(library, .removeEntries([ids[1]])) == .refused("the entry is gone already"))
  }

  @Test func `several entries and playlists are changed as one act`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("a.mp3", "b.mp3", "c.mp3", "d.mp3")))
    let view = try library.view()
    let ids = try view.items(of: try #require(view.playlist(named: "mix")), now: 0).compactMap(\.entry)
    #expect(try change(library, .moveEntries([ids[2], ids[0]], by: 1)) == .done("2 tracks of Mix moved"))
    #expect(try shown(library) == ["Mix: B A D C"])
    #expect(try change(library, .moveEntries([ids[0], ids[2]], by: .max)) == .done("2 tracks of Mix moved"))
    #expect(try shown(library) == ["Mix: B D A C"])
    #expect(
      try change(library, .moveEntries([ids[0], ids[2]], by: 1)) == .done("2 tracks of Mix cannot be moved further"))
    #expect(try change(library, .removeEntries([ids[1], ids[2], -1])) == .done("2 tracks removed from Mix"))
    try change(library, .create("Other", entries("a.mp3")))
    #expect(try change(library, .delete(["Mix", "None"])) == .refused("there is no playlist None"))
    #expect(try change(library, .delete(["Mix", "Other"])) == .done("2 playlists deleted"))
    #expect(try shown(library) == [])
    for expected in [["Mix: D A", "Other: A"], ["Mix: D A"], ["Mix: B D A C"], ["Mix: B A D C"], ["Mix: A B C D"]] {
      _ = try library.undo()
      #expect(try shown(library) == expected)
    }
  }

  @Test func `each change is undone, the last one first`() throws {
    let library = try library()
    let edits: [PlaylistEdit] = [
      .create("Mix", entries("a.mp3", "b.mp3")), .add("Mix", entries("c.mp3", "d.mp3")),
      .move("Mix", number: 4, to: 2), .remove("Mix", numbers: [1, 4]), .add("Mix", entries("a.mp3")),
      .duplicate("Mix", as: "Copy"), .rename("Mix", to: "Other"), .delete(["Other"]), .create("Mix", []),
      .delete(["Copy"]),
      .save("Smart", query: "plays:0"), .save("Smart", query: "a"), .rename("Smart", to: "S"), .delete(["S"]),
      .replace("New", entries("a.mp3", "b.mp3")), .insert("New", entries("c.mp3", "d.mp3"), before: 2),
      .moveRange("New", 1...2, to: 3), .replace("New", entries("d.mp3")), .replace("New", []),
    ]
    var states = [try shown(library)]
    for edit in edits {
      if case .refused(let reason) = try change(library, edit) { Issue.record("\(edit): \(reason)") }
      states.append(try shown(library))
    }
    #expect(states[5] == ["Mix: D B A"] && states[6] == ["Copy: D B A", "Mix: D B A"])
    #expect(states[8] == ["Copy: D B A"] && states[11] == ["Mix:", "Smart: A B C D"])
    #expect(states[15...19].compactMap(\.last) == ["New: A B", "New: A C D B", "New: D B A C", "New: D", "New:"])
    for (edit, state) in zip(edits, states).reversed() {
      #expect(try library.undo() != nil)
      #expect(try shown(library) == state, "\(edit)")
    }
    // The first act added the folder.
    #expect(try library.undo() == "add \(made.music)" && library.undo() == nil)
  }

  @Test func `what is not possible says why, and changes nothing`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("a.mp3")))
    try change(library, .save("Smart", query: "a"))
    let state = try shown(library)
    let refusals: [(PlaylistEdit, String)] = [
      (.create("Mix", []), "there is a playlist Mix already"), (.create(" ", []), "a playlist needs a name"),
      (.create("a\nb", []), "the name of a playlist is one line"),
      (.rename("None", to: "New"), "there is no playlist None"),
      (.rename("Mix", to: "Smart"), "there is a playlist Smart already"),
      (.duplicate("Mix", as: "Mix"), "there is a playlist Mix already"),
      (.delete(["mix"]), "there is no playlist mix"), (.remove("None", numbers: [1]), "there is no playlist None"),
      (.remove("Mix", numbers: [2]), "there is no entry 2 in Mix, which has 1 track"),
      (.remove("Mix", numbers: [0]), "there is no entry 0 in Mix, which has 1 track"),
      (.move("Mix", number: 1, to: .max), "there is no entry \(Int.max) in Mix, which has 1 track"),
      (.add("Smart", entries("a.mp3")), "Smart is a smart playlist: its query decides about its tracks"),
      (.remove("Smart", numbers: [1]), "Smart is a smart playlist: its query decides about its tracks"),
      (.insert("Mix", entries("a.mp3"), before: 3), "there is no entry 3 in Mix, which has 1 track"),
      (.insert("None", entries("a.mp3"), before: 1), "there is no playlist None"),
      (.moveRange("Mix", 1...2, to: 1), "there is no entry 2 in Mix, which has 1 track"),
      (.moveRange("Mix", 0...Int.max, to: 1), "there is no entry 0 in Mix, which has 1 track"),
      (.replace("Smart", []), "Smart is a smart playlist: its query decides about its tracks"),
      (.save("Mix", query: "b"), "Mix is a playlist of tracks: choose another name"),
    ]
    for (edit, reason) in refusals { #expect(try change(library, edit) == .refused(reason), "\(edit)") }
    #expect(try shown(library) == state)
    #expect(try library.undo() == "make playlist Smart", "a refusal is no act")
  }

  @Test func `random changes equal those of an array, and each has a new revision`() throws {
    let library = try library()
    let store = PlaylistStore(library)
    try change(library, .create("Mix", []))
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next()
    var random = SeededGenerator(seed: seed)
    var model: [String] = []
    var (states, revisions) = ([model], [try store.revision()])
    for step in 0..<200 {
      let names = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
      }
      let added = names.map { CollectedEntry(location: .file(made.music.appending(BytePath($0 + ".mp3")))) }
      let rows = model.isEmpty ? nil : Int.random(in: 0..<model.count, using: &random)
      switch (Int.random(in: 0..<6, using: &random), rows) {
      case (0, let row?):
        try change(library, .remove("Mix", numbers: [row + 1]))
        model.remove(at: row)
      case (1...2, let row?):
        let count = Int.random(in: 1...model.count - row, using: &random)
        let target = Int.random(in: 0...model.count - count, using: &random)
        guard row != target else { continue }
        try change(library, .moveRange("Mix", row + 1...row + count, to: target + 1))
        let moved = model[row..<row + count]
        model.removeSubrange(row..<row + count)
        model.insert(contentsOf: moved, at: target)
      case (3, _) where step % 10 == 0:
        try change(library, .replace("Mix", added))
        model = names
      default:
        let place = Int.random(in: 0...model.count, using: &random)
        try change(library, .insert("Mix", added, before: place + 1))
        model.insert(contentsOf: names, at: place)
      }
      try #require(shown(library) == ["Mix:" + model.map { " " + $0.uppercased() }.joined()], "seed \(seed), \(step)")
      states.append(model)
      revisions.append(try store.revision())
    }
    #expect(Set(revisions).count == revisions.count, "seed \(seed)")
    for state in states.dropLast().reversed() {
      let last = try store.revision()
      _ = try library.undo()
      try #require(shown(library) == ["Mix:" + state.map { " " + $0.uppercased() }.joined()], "seed \(seed)")
      #expect(try store.revision() != last)
    }
  }

  // MARK: Files

  @Test func `renamed, moved, retagged and copied files stay in their lists`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("d.mp3", "c.mp3", "b.mp3", "a.mp3")))
    made.move("a.mp3", to: "x/renamed.mp3")
    made.add("b.mp3", sound: 1, [("TIT2", "New")])
    made.add("y/copied.mp3", sound: 2, [("TIT2", "Copied")])
    made.remove("c.mp3")
    try made.scan(library)
    #expect(try shown(library) == ["Mix: D Copied New A"])
    #expect(
      try paths(library, "playlist:mix") == ["d.mp3", "copied.mp3", "b.mp3", "renamed.mp3"], "in the order of the list")
  }

  @Test func `entries whose files are missing or away stay, and are back with them`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("b.mp3", "a.mp3")))
    let music = try contents("a.mp3")
    made.remove("a.mp3")
    try made.scan(library)
    #expect(try shown(library) == ["Mix: B A(missing)"])
    made.folder.write(BytePath("music/elsewhere.mp3"), music)
    try made.scan(library)
    #expect(try shown(library) == ["Mix: B A"])
    let away = made.folder["away"]
    _ = made.music.withCString { old in away.withCString { rename(old, $0) } }
    try made.scan(library)
    #expect(try shown(library) == ["Mix: B(away) A(away)"])
    _ = away.withCString { old in made.music.withCString { rename(old, $0) } }
    try made.scan(library)
    #expect(try shown(library) == ["Mix: B A"])
  }

  private func contents(_ name: String) throws -> [UInt8] {
    try wholeFile(made.music.appending(BytePath(name)), byteLimit: 1 << 20)
  }

  @Test func `forgotten tracks stay in their lists`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("a.mp3", "b.mp3")))
    let view = try library.view()
    try library.forget(LibrarySearch(view).tracks(try LibraryQuery("title:a", now: 0)).map(view.track))
    #expect(try shown(library) == ["Mix: A B"])
    #expect(try library.forgetRoot(made.music) && shown(library) == ["Mix: A B"])
  }

  @Test func `a new catalogue knows the lists again`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("b.mp3", "a.mp3")))
    for name in ["catalogue.db", "catalogue.db-wal", "catalogue.db-shm", "catalogue.map"] {
      _ = made.data.appending(BytePath(name)).withCString { unlink($0) }
    }
    made.move("a.mp3", to: "renamed.mp3")
    let new = try made.library()
    #expect(try shown(new) == ["Mix: B A(missing)"])
    try made.scan(new)
    #expect(try shown(new) == ["Mix: B A"] && paths(new, "playlist:Mix") == ["b.mp3", "renamed.mp3"])
  }

  @Test func `files outside the library are entries, and keep their place when it takes them`() throws {
    let library = try library()
    made.folder.makeFolder(made.folder["other"])
    made.folder.write(BytePath("other/o.mp3"), try contents("d.mp3"))
    let outside = CollectedEntry(location: .file(made.folder["other"].appending(BytePath("o.mp3"))))
    let gone = CollectedEntry(location: .file(made.folder["other"].appending(BytePath("gone.mp3"))))
    let away = CollectedEntry(location: .file(made.folder["none"].appending(BytePath("x.mp3"))))
    try change(library, .create("Mix", [outside, gone, away] + entries("a.mp3")))
    #expect(try shown(library) == ["Mix: o.mp3 gone.mp3(missing) x.mp3(away) A"])
    #expect(try paths(library, "playlist:Mix") == ["a.mp3"])
    try library.addRoot(made.folder["other"])
    try made.scan(library)
    #expect(try shown(library) == ["Mix: D gone.mp3(missing) x.mp3(away) A"])
    #expect(try paths(library, "playlist:Mix") == ["o.mp3", "a.mp3"])
  }

  @Test func `addresses and tracks of cue sheets are entries, without passwords`() throws {
    let library = try library()
    made.folder.write("music/album.cue", "")
    let sheet = made.music.appending(BytePath("album.cue"))
    let station = CollectedEntry(location: .url("http://me:secret@radio.example/live"), title: "Radio\nExample")
    let plain = CollectedEntry(location: .url("https://radio.example/"))
    try change(library, .create("Mix", [station, CollectedEntry(location: .track(sheet, number: 3)), plain]))
    #expect(try shown(library) == ["Mix: Radio Example album.cue#3 https://radio.example/"])
    let view = try library.view()
    let items = try view.items(of: try #require(view.playlist(named: "Mix")), now: 0)
    #expect(
      items.map(\.location) == [
        .url("http://radio.example/live"), .track(sheet, number: 3), .url("https://radio.example/"),
      ])
    try change(library, .remove("Mix", numbers: [1, 2, 3]))
    _ = try library.undo()
    #expect(try shown(library) == ["Mix: Radio Example album.cue#3 https://radio.example/"])
  }

  @Test func `a playlist file finds tracks by their sound after they have moved, and on another computer`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("c.mp3", "a.mp3", "d.mp3")))
    let view = try library.view()
    let items = try view.items(of: try #require(view.playlist(named: "Mix")), now: 0)
    let file = made.folder.write(BytePath("Saved.m3u8"), try PlaylistStore(library).file(of: items))
    // Another file has the place of the first one.
    made.move("c.mp3", to: "x/moved.mp3")
    made.move("b.mp3", to: "c.mp3")
    made.remove("d.mp3")
    try made.scan(library)
    let collector = MediaCollector(playableExtensions: ["mp3"])
    #expect(try PlaylistStore(library).read(file, with: collector) == .done("playlist Saved made, with 3 tracks"))
    #expect(try shown(library) == ["Mix: C A D(missing)", "Saved: C A D(missing)"])

    let other = try MusicLibrary(folder: made.folder["other"])
    made.folder.write(BytePath("there/1.mp3"), try contents("x/moved.mp3"))
    made.folder.write(BytePath("there/2.mp3"), try contents("c.mp3"))
    let moved = made.folder.write(
      BytePath("Moved.m3u8"),
      String(decoding: try wholeFile(file, byteLimit: 9999), as: UTF8.self)
        .replacing(made.music.description, with: "/elsewhere").utf8)
    _ = try PlaylistStore(other).read(moved, with: collector)
    #expect(try shown(other) == ["Moved: c.mp3(away) a.mp3(away) d.mp3(away)"])
    try other.addRoot(made.folder["there"])
    try made.scan(other)
    #expect(try shown(other) == ["Moved: C a.mp3(away) d.mp3(away)"])
  }

  // MARK: Queries

  @Test func `the field playlist finds, orders and excludes`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("c.mp3", "a.mp3", "c.mp3")))
    try change(library, .create("Long name", entries("b.mp3")))
    #expect(try paths(library, "playlist:MIX") == ["c.mp3", "a.mp3"])
    #expect(try paths(library, "playlist:Mix title:a") == ["a.mp3"])
    #expect(try paths(library, "playlist:Mix sort:title") == ["a.mp3", "c.mp3"])
    #expect(try paths(library, "-playlist:Mix") == ["b.mp3", "d.mp3"])
    #expect(try paths(library, "playlist:Mix | playlist:\"long name\"") == ["a.mp3", "b.mp3", "c.mp3"])
    #expect(try paths(library, "playlist:none") == [])
    try change(library, .create("mix", entries("d.mp3")))
    #expect(try paths(library, "playlist:mix") == ["d.mp3"])
    #expect(try paths(library, "playlist:Mix") == ["c.mp3", "a.mp3"])
    #expect(try LibraryQuery("playlist:Mix", now: 0).wholePlaylist != nil)
    #expect(try LibraryQuery("playlist:Mix limit:1", now: 0).wholePlaylist == nil)
    #expect(throws: QueryError.self) { try LibraryQuery("playlist:", now: 0) }
  }

  @Test func `a smart playlist may name another one, and one that names itself ends`() throws {
    let library = try library()
    try change(library, .create("Mix", entries("c.mp3", "a.mp3")))
    try change(library, .save("Smart", query: "playlist:Mix sort:title"))
    try change(library, .save("Self", query: "playlist:Smart | playlist:Self"))
    #expect(try paths(library, "playlist:smart") == ["a.mp3", "c.mp3"])
    #expect(try paths(library, "playlist:self") == ["a.mp3", "c.mp3"])
  }

  // MARK: Databases

  @Test func `lists of the first version are taken over, after a backup`() throws {
    made.folder.makeFolder(made.data)
    let path = made.data.appending(BytePath("listener.db"))
    do {
      let schema = DatabaseSchema(
        applicationID: LibrarySchema.listener.applicationID,
        migrations: Array(LibrarySchema.listener.migrations.prefix(1)))
      let old = try Database(path: path, schema: schema)
      try old.execute(
        """
        INSERT INTO recording (id, path, title, added, changed) VALUES (7, x'2f782f612e6d7033', 'A', 1, 1);
        INSERT INTO list VALUES (1, 'Smart', 'plays:0', 0), (2, 'Mix', NULL, 0);
        INSERT INTO entry VALUES (2, 1, 7), (2, 2, 7);
        """)
    }
    let library = try MusicLibrary(folder: made.data)
    #expect(try shown(library) == ["Mix: A(away) A(away)", "Smart:"])
    let backup = made.data.appending(BytePath("listener.db.version1.backup"))
    #expect(backup.withCString { access($0, F_OK) } == 0)
  }
}
