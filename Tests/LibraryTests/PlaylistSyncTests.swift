import AudioModel
import ByteIO
import Database
import Testing

@testable import Library

/// Playlists of a server and their copies here, with a server in memory.
@Suite struct `Playlists of a server` {
  private final class Server: ServerPlaylists {
    private(set) var lists: [ServerPlaylist] = []
    /// The changes that it was told, and those that it took without an answer.
    private(set) var told: [String] = []
    private var lastID = 0
    /// Gives no answer to changes, after it has taken them or so many tracks of them.
    var losesAnswer = false
    var keptCount = Int.max
    var refuses = false
    /// The answers to changes of playlists, by their IDs.
    var failures: [String: ServerFailure] = [:]
    var saysVersions = true
    /// Removes one track for each request, the last one that was named, as Funkwhale does.
    var removesOne = false
    private(set) var questionCount = 0
    /// Done once, while a change is being sent.
    var meanwhile: (() -> Void)?

    private func doMeanwhile() {
      let body = meanwhile
      meanwhile = nil
      body?()
    }

    func change(_ name: String, _ tracks: [String], isOwn: Bool = true) {
      let place = lists.firstIndex { $0.name == name }
      if place == nil { lastID += 1 }
      var list = place.map { lists[$0] } ?? ServerPlaylist(id: "p\(lastID)", name: name)
      (list.tracks, list.count, list.isOwn) = (tracks.map { ServerTrack(id: $0) }, tracks.count, isOwn)
      note(&list)
      if let place { lists[place] = list } else { lists.append(list) }
    }

    func remove(_ name: String) { lists.removeAll { $0.name == name } }

    private func note(_ list: inout ServerPlaylist) {
      list.version = saysVersions ? "\(Int(list.version ?? "0").map { $0 + 1 } ?? 1)" : nil
    }

    private func edit(_ id: String, _ text: String, _ body: (inout ServerPlaylist) -> Void) throws(ServerFailure) {
      told.append(text)
      if refuses { throw ServerFailure("no", code: 50) }
      if let failure = failures[id] { throw failure }
      guard let place = lists.firstIndex(where: { $0.id == id }) else { throw ServerFailure("gone", code: 70) }
      body(&lists[place])
      note(&lists[place])
      doMeanwhile()
      if losesAnswer { throw ServerFailure("no answer") }
    }

    func all() throws(ServerFailure) -> [ServerPlaylist] {
      questionCount += 1
      return lists.map { list in
        var list = list
        list.tracks = []
        return list
      }
    }

    func playlist(_ id: String) throws(ServerFailure) -> ServerPlaylist? {
      questionCount += 1
      return lists.first { $0.id == id }
    }

    func create(_ name: String) throws(ServerFailure) -> String? {
      told.append("create \(name)")
      lastID += 1
      var list = ServerPlaylist(id: "p\(lastID)", name: name)
      note(&list)
      lists.append(list)
      doMeanwhile()
      if losesAnswer { throw ServerFailure("no answer") }
      return nil
    }

    func replace(_ id: String, with tracks: [String]) throws(ServerFailure) {
      try edit(id, "replace \(tracks.joined(separator: " "))") { list in
        list.tracks = tracks.prefix(keptCount).map { ServerTrack(id: $0) }
        list.count = list.tracks.count
      }
    }

    /// Told as `-0 +2 +3`.
    func edit(_ id: String, _ change: PlaylistChange) throws(ServerFailure) {
      let words = change.removed.map { "-\($0)" } + change.added.map { "+\($0)" }
      try edit(id, words.joined(separator: " ")) { list in
        for index in removesOne ? Array(change.removed.suffix(1)) : change.removed { list.tracks.remove(at: index) }
        list.tracks += change.added.prefix(keptCount).map { ServerTrack(id: $0) }
        list.count = list.tracks.count
      }
    }

    func rename(_ id: String, to name: String) throws(ServerFailure) {
      try edit(id, "rename \(name)") { $0.name = name }
    }

    func delete(_ id: String) throws(ServerFailure) {
      try edit(id, "delete") { _ in }
      lists.removeAll { $0.id == id }
    }

    var shown: [String] { lists.map { $0.name + ":" + $0.tracks.map { " " + $0.id }.joined() } }

    func takeTold() -> [String] {
      defer { told = [] }
      return told
    }
  }

  private let made = MadeCollection()
  private let server = Server()
  private let root = BytePath("segue://home")

  /// A library with the tracks 1 to 4 of the server, and a local file.
  private func library() throws -> MusicLibrary {
    made.add("local.mp3", sound: 1, [("TIT2", "Local")])
    let library = try made.library()
    try made.scan(library)
    try library.addServer(root, trackCount: 4)
    return library
  }

  @discardableResult
  private func scan(_ library: MusicLibrary, _ extent: PlaylistSync.Extent = .all) throws -> SyncOutcome {
    try PlaylistSync(library, of: root).run(server, extent)
  }

  private func tell(_ library: MusicLibrary) throws -> SyncOutcome { try scan(library, .changedHere) }

  private func change(_ library: MusicLibrary, _ edit: PlaylistEdit) throws {
    let outcome = try PlaylistStore(library).perform(edit)
    guard case .done = outcome else { throw Refusal(text: "\(outcome)") }
  }

  private struct Refusal: Error { var text: String }

  private func entries(_ tracks: Int...) -> [CollectedEntry] {
    tracks.map { CollectedEntry(location: .url("segue://home/\($0)")) }
  }

  /// `Mix: 1 2 [home]`
  private func shown(_ library: MusicLibrary) throws -> [String] {
    let view = try library.view()
    return try view.playlists.map { list in
      let items = try view.items(of: list, now: 0)
        .map { " " + ($0.location.libraryPath?.lastComponent.description ?? "") }.joined()
      return list.name + ":" + items + (list.server.map { " [\($0.sentence)]" } ?? "")
    }
  }

  // MARK: The decision

  @Test(arguments: [
    // here, there, same, can send: takes, copies, sends
    (false, false, false, true, "-"), (false, true, false, true, "takes"), (true, false, false, true, "sends"),
    (true, true, false, true, "copies sends"), (true, true, true, true, "-"), (true, false, false, false, "-"),
    (true, true, false, false, "copies"), (false, true, false, false, "takes"),
  ])
  func `are merged by what has changed`(here: Bool, there: Bool, same: Bool, canSend: Bool, steps: String) {
    let merge = PlaylistMerge(isChangedHere: here, isChangedThere: there, areSame: same, canSend: canSend)
    let words = [(merge.takes, "takes"), (merge.copies, "copies"), (merge.sends, "sends")]
    let text = words.filter(\.0).map(\.1).joined(separator: " ")
    #expect((text.isEmpty ? "-" : text) == steps)
  }

  @Test(arguments: [
    ("1 2", "1 2 3", "+3"), ("1 2 3 4", "2 4", "-2 -0"), ("1 2 1", "2 1", "-0"), ("1 2", "1 3", "-1 +3"),
    ("1 2", "", "-1 -0"), ("1", "1 1", "+1"), ("1 2 3", "3 1 2", "whole"), ("1 2", "1 3 2", "whole"),
    ("1 2", "3 4", "whole"), ("", "1", "+1"),
  ])
  func `are changed where no other order is needed`(old: String, new: String, change: String) {
    func tracks(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
    let found = PlaylistChange(from: tracks(old), to: tracks(new))
    let words = found.map { $0.removed.map { "-\($0)" } + $0.added.map { "+\($0)" } } ?? ["whole"]
    #expect(words.joined(separator: " ") == change)
  }

  @Test func `from which more is removed than fits in a request are sent whole`() {
    let old = (0..<200).map(String.init)
    #expect(PlaylistChange(from: old, to: Array(old[100...]))?.removed.count == 100)
    #expect(PlaylistChange(from: old, to: Array(old[101...])) == nil)
  }

  // MARK: From the server

  @Test func `are taken as one change, which does not delete them there`() throws {
    let library = try library()
    server.change("Mix", ["2", "1", "2"])
    server.change("Other", ["9"])
    #expect(try scan(library).takenCount == 2)
    #expect(try shown(library) == ["Mix: 2 1 2 [home]", "Other: 9 [home]"])
    #expect(try tell(library).takenCount == 0 && server.told == [])
    #expect(try library.undo() == "take playlists from segue://home: 2 playlists")
    #expect(try shown(library) == [])
    _ = try tell(library)
    try scan(library)
    #expect(server.told == [] && server.lists.count == 2)
    #expect(try shown(library) == [], "the listener did not want them")
  }

  @Test(arguments: [true, false])
  func `follow changes there`(saysVersions: Bool) throws {
    let library = try library()
    server.saysVersions = saysVersions
    server.change("Mix", ["1", "2"])
    try scan(library)
    let count = server.questionCount
    try scan(library, .listed)
    #expect(server.questionCount == count + 1, "only the list of them")
    server.change("Mix", ["2", "1"])
    try scan(library)
    #expect(try shown(library) == ["Mix: 2 1 [home]"])
    #expect(try library.undo() == "take playlists from segue://home: 1 playlist")
    #expect(try tell(library).refusals == [])
    #expect(server.takeTold() == ["replace 1 2"], "here and there")
    server.remove("Mix")
    try scan(library)
    #expect(try shown(library) == [])
    _ = try library.undo()
    _ = try tell(library)
    #expect(server.shown == ["Mix: 1 2"])
  }

  @Test func `of a name that is taken get another one here`() throws {
    let library = try library()
    try change(library, .create("Mix", entries(3)))
    server.change("Mix", ["1"])
    try scan(library)
    #expect(try shown(library) == ["Mix: 3", "Mix (from home): 1 [home]"])
    try change(library, .add("Mix (from home)", entries(2)))
    _ = try tell(library)
    #expect(server.takeTold() == ["+2"])
  }

  // MARK: To the server

  @Test func `get what is changed here, once`() throws {
    let library = try library()
    server.change("Mix", ["1", "2"])
    try scan(library)
    try change(library, .add("Mix", entries(3)))
    try change(library, .move("Mix", number: 3, to: 1))
    _ = try tell(MusicLibrary(folder: made.data))
    #expect(server.takeTold() == ["replace 3 1 2"], "also after a restart")
    try change(library, .rename("Mix", to: "Best"))
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.takeTold() == ["rename Best"])
    try scan(library)
    #expect(try shown(library) == ["Best: 3 1 2 [home]"] && server.told == [])
    _ = try library.undo()
    _ = try tell(library)
    #expect(server.shown == ["Mix: 3 1 2"])
  }

  @Test func `are deleted there, and made again`() throws {
    let library = try library()
    server.change("Mix", ["1", "2"])
    try scan(library)
    try change(library, .delete(["Mix"]))
    _ = try tell(library)
    #expect(server.lists == [])
    try scan(library)
    #expect(try library.undo() == "delete playlist Mix")
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.shown == ["Mix: 1 2"] && server.takeTold() == ["delete", "create Mix", "+1 +2"])
    #expect(try shown(library) == ["Mix: 1 2 [home]"])
  }

  @Test func `that changed there come back when they are deleted here`() throws {
    let library = try library()
    server.change("Mix", ["1"])
    try scan(library)
    try change(library, .delete(["Mix"]))
    server.change("Mix", ["1", "2"])
    _ = try tell(library)
    #expect(try shown(library) == ["Mix: 1 2 [home]"] && server.shown == ["Mix: 1 2"])
  }

  @Test func `that changed on both sides are copied`() throws {
    let library = try library()
    server.change("Mix", ["1"])
    try scan(library)
    try change(library, .add("Mix", entries(2)))
    server.change("Mix", ["1", "3"])
    #expect(try tell(library).takenCount == 1)
    #expect(try shown(library) == ["Mix: 1 2 [home]", "Mix (from home): 1 3"])
    #expect(server.shown == ["Mix: 1 2"])
    for _ in 0..<2 { try scan(library) }
    #expect(try shown(library).count == 2 && server.takeTold() == ["-1 +2"])
  }

  @Test func `with a file that is not there stay here, and say so`() throws {
    let library = try library()
    server.change("Mix", ["1"])
    try scan(library)
    let local = CollectedEntry(location: .file(made.music.appending(BytePath("local.mp3"))))
    try change(library, .add("Mix", [local]))
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.told == [])
    #expect(try shown(library) == ["Mix: 1 local.mp3 [home, not sent: 1 track not there]"])
    server.change("Mix", ["4"])
    for _ in 0..<2 { try scan(library) }
    #expect(try shown(library).last == "Mix (from home): 4" && shown(library).count == 2)
    try change(library, .remove("Mix", numbers: [2]))
    _ = try tell(library)
    #expect(server.takeTold() == ["replace 1"])
    #expect(try shown(library).first == "Mix: 1 [home]")
  }

  @Test func `of others are changed only here`() throws {
    let library = try library()
    server.change("Hers", ["1"], isOwn: false)
    try scan(library)
    try change(library, .add("Hers", entries(2)))
    _ = try tell(library)
    #expect(try shown(library) == ["Hers: 1 2 [home, not sent: it cannot be changed there]"])
    try change(library, .delete(["Hers"]))
    _ = try tell(library)
    try scan(library)
    #expect(try shown(library) == [] && server.told == [])
  }

  @Test func `that the server refuses are sent again after the next change`() throws {
    let library = try library()
    server.change("Mix", ["1"])
    try scan(library)
    try change(library, .add("Mix", entries(2)))
    server.refuses = true
    #expect(try tell(library).refusals == ["segue://home does not take the playlist Mix: no"])
    for _ in 0..<2 { try scan(library) }
    #expect(server.takeTold() == ["+2"])
    #expect(try shown(library) == ["Mix: 1 2 [home, not sent: no]"])
    server.refuses = false
    try change(library, .add("Mix", entries(3)))
    _ = try tell(library)
    #expect(server.shown == ["Mix: 1 2 3"])
    #expect(try shown(library) == ["Mix: 1 2 3 [home]"])
  }

  @Test(arguments: [
    (ServerFailure("too large", status: 413), true), (ServerFailure("no", code: 0), true),
    (ServerFailure("broken", status: 500), false),
  ])
  func `that the server does not take hold up no others, and are sent again after a day`(
    failure: ServerFailure, isRefusal: Bool
  ) throws {
    let library = try library()
    for name in ["A", "B"] { server.change(name, ["1"]) }
    try scan(library)
    for name in ["A", "B"] { try change(library, .add(name, entries(2))) }
    server.failures["p1"] = failure
    let outcome = try tell(library)
    #expect(outcome.refusals == (isRefusal ? ["segue://home does not take the playlist A: \(failure)"] : []))
    #expect((outcome.failure == nil) == isRefusal)
    #expect(server.takeTold() == ["+2", "+2"] && server.shown == ["A: 1", "B: 1 2"])
    #expect(try tell(library).refusals == [])
    #expect(server.takeTold() == (isRefusal ? [] : ["+2"]))
    #expect(try shown(library).first == "A: 1 2 [home" + (isRefusal ? ", not sent: \(failure)]" : "]"))
    server.failures = [:]
    var rested = PlaylistSync(library, of: root)
    rested.now += 86_400
    _ = try rested.run(server, .changedHere)
    #expect(server.shown == ["A: 1 2", "B: 1 2"])
    #expect(try shown(library) == ["A: 1 2 [home]", "B: 1 2 [home]"])
  }

  @Test(arguments: [0, 1, 3])
  func `whose answers are lost are not taken for changes there`(keptCount: Int) throws {
    let library = try library()
    server.change("Mix", ["4"])
    try scan(library)
    try change(library, .replace("Mix", entries(1, 2, 3)))
    (server.losesAnswer, server.keptCount) = (true, keptCount)
    #expect(try tell(library).failure != nil)
    (server.losesAnswer, server.keptCount) = (false, .max)
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.shown == ["Mix: 1 2 3"])
    #expect(try shown(library) == ["Mix: 1 2 3 [home]"])
    #expect(server.told.count == (keptCount == 3 ? 1 : 2))
  }

  @Test func `lose all tracks that are removed here, also from a server that removes one at a time`() throws {
    let library = try library()
    server.change("Mix", ["1", "2", "3", "4"])
    try scan(library)
    server.removesOne = true
    try change(library, .remove("Mix", numbers: [1, 3, 4]))
    try change(library, .add("Mix", entries(3)))
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.shown == ["Mix: 2 3"])
    #expect(try shown(library) == ["Mix: 2 3 [home]"])
  }

  @Test(arguments: [0, 1, 2])
  func `that have half of a change get the rest`(keptCount: Int) throws {
    let library = try library()
    server.change("Mix", ["4", "1"])
    try scan(library)
    try change(library, .remove("Mix", numbers: [1]))
    try change(library, .add("Mix", entries(2, 3)))
    (server.losesAnswer, server.keptCount) = (true, keptCount)
    #expect(try tell(library).failure != nil)
    (server.losesAnswer, server.keptCount) = (false, .max)
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.shown == ["Mix: 1 2 3"])
    #expect(try shown(library) == ["Mix: 1 2 3 [home]"])
    #expect(server.takeTold() == ["-0 +2 +3"] + [["+2 +3"], ["+3"], []][keptCount])
  }

  /// A library that has brought back "Mix: 1 2" by undo, after the server had lost it.
  private func libraryWithRestoredList() throws -> MusicLibrary {
    let library = try library()
    server.change("Mix", ["1", "2"])
    try scan(library)
    try change(library, .delete(["Mix"]))
    _ = try tell(library)
    _ = try library.undo()
    return library
  }

  @Test(arguments: [false, true])
  func `that were made without an answer are not made twice`(isRenamed: Bool) throws {
    let library = try libraryWithRestoredList()
    if isRenamed { try change(library, .rename("Mix", to: "Best")) }
    server.losesAnswer = true
    #expect(try tell(library).failure != nil)
    server.losesAnswer = false
    _ = try tell(library)
    try scan(library)
    let name = isRenamed ? "Best" : "Mix"
    #expect(server.shown == ["\(name): 1 2"])
    #expect(try shown(library) == ["\(name): 1 2 [home]"])
  }

  @Test func `that are made again get the tracks that were lost on the way`() throws {
    let library = try libraryWithRestoredList()
    server.keptCount = 1
    server.meanwhile = { server.meanwhile = { server.losesAnswer = true } }
    #expect(try tell(library).failure != nil)
    #expect(server.shown == ["Mix: 1"])
    (server.losesAnswer, server.keptCount) = (false, .max)
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.shown == ["Mix: 1 2"])
    #expect(try shown(library) == ["Mix: 1 2 [home]"])
  }

  // MARK: Of the listener

  @Test func `are made there when the listener says so, and undo takes them off`() throws {
    let library = try library()
    try change(library, .create("Mine", entries(1, 2)))
    _ = try tell(library)
    try scan(library)
    #expect(server.told == [])
    try change(library, .send("Mine", to: nil))
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.takeTold() == ["create Mine", "+1 +2"])
    #expect(try shown(library) == ["Mine: 1 2 [home]"])
    try change(library, .add("Mine", entries(3)))
    _ = try tell(library)
    #expect(server.takeTold() == ["+3"])
    for _ in 0..<2 { _ = try library.undo() }
    _ = try tell(library)
    try scan(library)
    #expect(try server.shown == [] && shown(library) == ["Mine: 1 2"])
    try change(library, .send("Mine", to: "home"))
    _ = try tell(library)
    #expect(server.shown == ["Mine: 1 2"])
  }

  @Test(arguments: [false, true])
  func `are taken off when that is undone while they are sent`(losesAnswer: Bool) throws {
    let library = try library()
    try change(library, .create("Mine", entries(1, 2)))
    try change(library, .send("Mine", to: nil))
    server.losesAnswer = losesAnswer
    server.meanwhile = { _ = try? library.undo() }
    #expect(try (tell(library).failure != nil) == losesAnswer && server.lists.count == 1)
    server.losesAnswer = false
    for _ in 0..<2 { _ = try tell(library) }
    try scan(library)
    #expect(try server.shown == [] && shown(library) == ["Mine: 1 2"])
    let count = server.questionCount
    _ = try tell(library)
    #expect(server.questionCount == count, "nothing is left to be done")
  }

  @Test func `are taken off when they were put there twice`() throws {
    let library = try library()
    try change(library, .create("Mine", entries(1, 2)))
    try change(library, .send("Mine", to: nil))
    _ = try tell(library)
    _ = try library.undo()
    try change(library, .send("Mine", to: nil))
    _ = try library.undo()
    for _ in 0..<2 { _ = try tell(library) }
    #expect(try server.shown == [] && shown(library) == ["Mine: 1 2"])
  }

  @Test func `are taken off also after the server has refused a change`() throws {
    let library = try library()
    try change(library, .create("Mine", entries(1)))
    try change(library, .send("Mine", to: nil))
    _ = try tell(library)
    try change(library, .add("Mine", entries(2)))
    server.refuses = true
    #expect(try tell(library).refusals.count == 1)
    server.refuses = false
    for _ in 0..<2 { _ = try library.undo() }
    _ = try tell(library)
    #expect(try server.shown == [] && shown(library) == ["Mine: 1"])
  }

  @Test func `of the server stay there when taking them is undone while a change is sent`() throws {
    let library = try library()
    server.change("Mix", ["1"])
    try scan(library)
    try change(library, .rename("Mix", to: "Best"))
    server.meanwhile = { for _ in 0..<2 { _ = try? library.undo() } }
    for _ in 0..<3 { _ = try tell(library) }
    try scan(library)
    #expect(try server.shown == ["Best: 1"] && shown(library) == [])
  }

  @Test(arguments: [false, true])
  func `that change there while others are sent lose nothing`(isDeleted: Bool) throws {
    let library = try library()
    for name in ["A", "B"] { server.change(name, ["1", "2"]) }
    try scan(library)
    try change(library, .move("A", number: 2, to: 1))
    try change(library, isDeleted ? .delete(["B"]) : .move("B", number: 2, to: 1))
    server.meanwhile = { server.change("B", ["1", "2", "3"]) }
    #expect(try tell(library).failure != nil)
    for _ in 0..<2 { _ = try tell(library) }
    #expect(server.shown == ["A: 2 1", isDeleted ? "B: 1 2 3" : "B: 2 1"])
    #expect(try shown(library).last == (isDeleted ? "B: 1 2 3 [home]" : "B (from home): 1 2 3"))
  }

  @Test func `do not take the place of another one there`() throws {
    let library = try library()
    server.change("Mine", ["4"])
    try change(library, .create("Mine", entries(1)))
    try change(library, .send("Mine", to: nil))
    _ = try tell(library)
    #expect(server.shown == ["Mine: 4", "Mine: 1"])
    try scan(library)
    #expect(try shown(library) == ["Mine: 1 [home]", "Mine (from home): 4 [home]"])
  }

  @Test func `that cannot be made there are refused with the reason`() throws {
    let library = try library()
    try library.addServer(BytePath("segue://other"), trackCount: 1)
    server.change("Mix", ["1"])
    try scan(library)
    let local = CollectedEntry(location: .file(made.music.appending(BytePath("local.mp3"))))
    for edit in [PlaylistEdit.create("Local", [local]), .create("Empty", []), .save("Smart", query: "plays:0")] {
      try change(library, edit)
    }
    for (name, server, reason) in [
      ("Mix", nil, "Mix is on home already"), ("None", nil, "there is no playlist None"),
      ("Local", nil, "home does not have 1 track of Local; other does not have 1 track of Local"),
      ("Empty", nil, "name one of the servers home, other"), ("Empty", "away", "there is no server away"),
      ("Smart", nil, "Smart is a smart playlist: its query decides about its tracks"),
    ] as [(String, String?, String)] {
      #expect(try PlaylistStore(library).perform(.send(name, to: server)) == .refused(reason))
    }
    #expect(server.told == [])
  }
}
