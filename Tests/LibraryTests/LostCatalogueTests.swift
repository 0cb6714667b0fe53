import ByteIO
import Database
import SoundServerSupport
import Testing

@testable import Library

/// The catalogue may be deleted: a scan brings everything back.
@Suite struct LostCatalogueTests {
  private let made = MadeCollection()

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
