import ByteIO
import Database
import Glibc
import SoundServerSupport
import Testing

@testable import Library

/// The catalogue may be deleted: a scan brings everything back.
@Suite struct LostCatalogueTests {
  private let made = MadeCollection()
  private var other: BytePath { made.folder["other"] }

  /// A library with two folders, of which one was removed, and with a removed track.
  private func makeLibrary() throws -> MusicLibrary {
    made.add("a.mp3", sound: 1)
    made.add("b.mp3", sound: 2)
    made.folder.write(BytePath("other/c.mp3"), madeMP3(sound: 3))
    let library = try made.library()
    try library.addRoot(other)
    try made.scan(library)
    try library.rate("b.mp3", 5)
    #expect(try library.forgetRoot(other))
    try library.forget([library.track("a.mp3")])
    return library
  }

  @Test(arguments: [false, true]) func `folders and removed tracks are known, and can be undone`(isDamaged: Bool) throws
  {
    _ = try makeLibrary()
    made.loseCatalogue(isDamaged: isDamaged)
    let library = try MusicLibrary(folder: made.data)
    #expect((library.remark != nil) == isDamaged)
    let roots = try library.roots().map { "\($0.path.lastComponent) \($0.state)" }
    #expect(roots == ["music here", "other forgotten"])
    #expect(try made.scan(library).read == 2)
    #expect(try library.shown() == ["b.mp3 5 here"])
    #expect(try made.scan(library).unchanged == 2)
    #expect(try library.undo()?.hasPrefix("forget ") == true)
    #expect(try library.shown() == ["a.mp3 - here", "b.mp3 5 here"])
    #expect(try library.undo() == "forget \(other)")
    try made.scan(library)
    #expect(try library.shown() == ["a.mp3 - here", "b.mp3 5 here", "c.mp3 - here"])
  }

  @Test(arguments: [false, true]) func `adding a folder brings its removed tracks back`(isLost: Bool) throws {
    made.add("in/a.mp3", sound: 1)
    made.add("in-2/b.mp3", sound: 2)
    do {
      let library = try made.library()
      try made.scan(library)
      try library.rate("a.mp3", 5)
      try library.forget([library.track("a.mp3"), library.track("b.mp3")])
      try library.listener.execute("DELETE FROM act")
    }
    if isLost { made.loseCatalogue() }
    let library = try MusicLibrary(folder: made.data)
    #expect(try library.addRoot(made.music.appending(BytePath("in"))) == .within(made.music))
    try made.scan(library)
    #expect(try library.shown() == ["a.mp3 5 here"])
    #expect(try library.addRoot(made.music) == .known)
    #expect(try library.listener.integer("SELECT sum(forgotten) FROM recording") == 0)
    #expect(try library.shown() == ["a.mp3 5 here", "b.mp3 - here"])
  }

  @Test func `an undone removal stays undone`() throws {
    do {
      let library = try makeLibrary()
      for _ in 0..<2 { _ = try library.undo() }
    }
    made.loseCatalogue()
    let library = try MusicLibrary(folder: made.data)
    try made.scan(library)
    #expect(try library.shown() == ["a.mp3 - here", "b.mp3 5 here", "c.mp3 - here"])
  }

  @Test func `a database of the listener that has no folders yet takes them from the catalogue`() throws {
    try makeLibrary().listener.execute("DELETE FROM root; UPDATE recording SET forgotten=0")
    _ = try MusicLibrary(folder: made.data)
    made.loseCatalogue()
    let library = try MusicLibrary(folder: made.data)
    #expect(try library.roots().map(\.state) == [.here, .forgotten])
    try made.scan(library)
    #expect(try library.shown() == ["b.mp3 5 here"])
  }

  /// Overwrites the middle of a closed database.
  private func damageMiddle(_ name: String) throws {
    let path = made.data.appending(BytePath(name))
    var bytes = try wholeFile(path, byteLimit: 1 << 24)
    for place in stride(from: 4096, to: bytes.count, by: 1) { bytes[place] = 0xff }
    made.folder.write(BytePath("data/" + name), bytes)
  }

  @Test func `a catalogue that is damaged in the middle is set aside by the start after a read has failed`() throws {
    for number in 0..<20 { made.add("\(number).mp3", sound: number) }
    do {
      let library = try made.library()
      try made.scan(library)
      try library.rate("7.mp3", 7)
    }
    try damageMiddle("catalogue.db")
    var remark: String?
    // The first start may find the damage, or a scan; the next one repairs it.
    for _ in 0..<2 where remark == nil {
      guard let library = try? MusicLibrary(folder: made.data) else { continue }
      remark = library.remark
      if remark == nil { #expect(throws: DatabaseError.self) { try made.scan(library) } }
    }
    #expect(remark?.contains("catalogue.db.damaged") == true)
    let library = try made.library()
    try made.scan(library)
    #expect(try library.shown().count == 20 && library.shown().contains("7.mp3 7 here"))
  }

  @Test(arguments: ["catalogue.db", "listener.db"]) func `a database without one of its tables is damaged`(
    name: String
  ) throws {
    made.add("a.mp3", sound: 1)
    do {
      let library = try made.library()
      try made.scan(library)
      try library.rate("a.mp3", 7)
      try ListenerBackups(made.data).update(of: library, now: 1_800_000_000)
      try (name == "listener.db" ? library.listener : library.catalogue).execute("DROP TABLE property")
    }
    let library = try made.library()
    #expect(library.remark?.contains("tables are missing: property") == true)
    try made.scan(library)
    #expect(try library.shown() == ["a.mp3 7 here"])
  }

  @Test func `a backup is made on each day with changes, and three are kept`() throws {
    made.add("a.mp3", sound: 1)
    let library = try made.library()
    try made.scan(library)
    let day: Int64 = 86_400
    func names(_ number: Int64) throws -> [String] {
      try ListenerBackups(made.data).update(of: library, now: 1_800_000_000 + number * day)
      return try namesInFolder(made.data).map { String(decoding: $0, as: UTF8.self) }.filter { $0.hasSuffix(".backup") }
        .sorted()
    }
    let first = "listener.db.2027-01-15.backup"
    #expect(try names(0) == [first])
    // Nothing has changed since.
    for name in ["listener.db", "listener.db-wal"] {
      let old = [timespec(tv_sec: 1_700_000_000, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
      _ = made.data.appending(BytePath(name)).withCString { utimensat(AT_FDCWD, $0, old, 0) }
    }
    #expect(try names(1) == [first])
    for number in 2...5 {
      try library.rate("a.mp3", Int(number))
      #expect(try names(Int64(number)).count == min(3, Int(number)))
    }
    #expect(try names(5).first == "listener.db.2027-01-18.backup")
    #expect(try namesInFolder(made.data).allSatisfy { $0.last != UInt8(ascii: "~") })
  }

  @Test func `a removed copy stays removed, and the track itself does not follow it`() throws {
    made.add("copy/b.mp3", sound: 1)
    made.add("keep/a.mp3", sound: 1)
    do {
      let library = try made.library()
      try made.scan(library)
      try library.rate("a.mp3", 6)
      try library.forget([library.track("b.mp3")])
    }
    made.loseCatalogue()
    made.move("keep/a.mp3", to: "keep/renamed.mp3")
    let library = try MusicLibrary(folder: made.data)
    try made.scan(library)
    #expect(try library.shown() == ["renamed.mp3 6 here"])
  }

  @Test func `new copies take nothing from the track`() throws {
    made.add("z.mp3", sound: 1)
    do {
      let library = try made.library()
      try made.scan(library)
      try library.rate("z.mp3", 6)
    }
    made.loseCatalogue()
    for number in 0..<20 { made.add("\(number).mp3", sound: 1) }
    let library = try made.library()
    #expect(try made.scan(library).read == 21)
    #expect(try library.shown().filter { !$0.contains(" - ") } == ["z.mp3 6 here"])
  }

  @Test func `names that were traded or shifted meanwhile mislead nobody`() throws {
    let names = ["a.mp3", "b.mp3", "1.mp3", "2.mp3", "3.mp3"]
    for (index, name) in names.enumerated() { made.add(name, sound: index) }
    do {
      let library = try made.library()
      try made.scan(library)
      for (index, name) in names.enumerated() { try library.rate(name, index + 1) }
    }
    made.loseCatalogue()
    for (old, new) in [("a", "x"), ("b", "a"), ("x", "b"), ("3", "4"), ("2", "3"), ("1", "2")] {
      made.move(old + ".mp3", to: new + ".mp3")
    }
    made.add("1.mp3", sound: 100)
    let library = try made.library()
    #expect(try made.scan(library).read == 6)
    #expect(
      try library.shown()
        == ["1.mp3 - here", "2.mp3 3 here", "3.mp3 4 here", "4.mp3 5 here", "a.mp3 2 here", "b.mp3 1 here"])
  }

  @Test func `a file that was only a path before its scan is known by its sound`() throws {
    let path = made.add("a.mp3", sound: 1)
    do {
      let library = try made.library()
      try ResumeStore(library).set(path, to: 30, at: 1_700_000_000)
      try made.scan(library)
    }
    made.loseCatalogue()
    made.move("a.mp3", to: "b.mp3")
    let library = try made.library()
    try made.scan(library)
    #expect(try ResumeStore(library).all().map(\.path) == [made.music.appending(BytePath("b.mp3"))])
  }
}
