import ByteIO
import SoundServerSupport
import Testing

@testable import Library

/// Stickers that clients give.
struct StickerStoreTests {
  private let made = MadeCollection()

  @Test func `stickers are kept by recording or name, and follow a file that is moved`() throws {
    made.add("a.mp3", sound: 1)
    made.add("b.mp3", sound: 2)
    let library = try made.library()
    try made.scan(library)
    let store = StickerStore(library)
    func values(_ query: StickerStore.Query) throws -> [String] {
      try store.stickers(query).map { "\($0.name)=\($0.value)" }
    }
    let path = made.music.appending(BytePath("a.mp3"))
    let before = try library.lastView().change
    #expect(try store.change(path, "mood", .set("it's \"x\"")) && store.change(path, "n", .add(5, otherwise: "5")))
    #expect(try store.change(path, "n", .add(-7, otherwise: "7")))
    #expect(try library.lastView().change > before, "clients are told")
    let album = Sticker.Owner.named(type: "Album", "Record")
    try store.change(album, "mood", .set("calm"))
    try store.change(album, "mood", .set("loud"))
    #expect(try !store.change(made.music.appending(BytePath("none.mp3")), "mood", .set("x")))
    let owner = try #require(try store.stickers(.named("n", type: "song")).first?.owner)
    #expect(try values(.of(owner)) == ["mood=it's \"x\"", "n=-2"] && values(.of(album)) == ["mood=loud"])
    #expect(try values(.all).count == 3)

    made.move("a.mp3", to: "deep/moved.mp3")
    try made.scan(library)
    #expect(try store.change(made.music.appending(BytePath("deep/moved.mp3")), "n", .remove))
    #expect(try values(.of(owner)) == ["mood=it's \"x\""])
    try store.change(owner, nil, .remove)
    #expect(try values(.all) == ["mood=loud"])
  }
}
