import Glibc
import TestTraits
import Testing

/// `segue cover`, run as a process.
@Suite("segue cover", .onThreadsOfTheirOwn) struct CoverCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  @Test(arguments: ["flac-tagged.flac", "opus-tagged.opus", "libav-cover.mka", "mkv-levels.mka", "tags-old.ogg"])
  func `writes the picture of the tags to the byte`(name: String) throws {
    let result = try Program.segue("cover", "-o", path("out"), fixture(name))
    #expect(result.status == 0 && result.errors.isEmpty && result.output.isEmpty, "\(result.errors)")
    let picture = try contents(fixture("picture.png"))
    #expect(try contents(path("out")).starts(with: picture))
    #expect(try Program.segue("cover", "-o", "-", fixture(name)).output.starts(with: picture))
    #expect(try Program.segue("cover", fixture(name)).text.hasPrefix("in the tags: image/png, "))
  }

  @Test func `finds the picture in the folder, the front before the largest, whatever its letters`() throws {
    try write(contents(fixture("short-4410.mp3")), to: path("song.mp3"))
    let none = try Program.segue("cover", path("song.mp3"))
    #expect(none.status == 2 && none.errors.contains("no cover: there is no picture in the tags"))
    // Not a picture, whatever its name says.
    try write(Array("text".utf8), to: path("cover.jpg"))
    #expect(try Program.segue("cover", path("song.mp3")).status == 2)
    let small: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
    try write(small + [1, 2, 3], to: path("back.jpg"))
    try write(small + [1], to: path("scan.JPEG"))
    #expect(try Program.segue("cover", path("song.mp3")).text == "\(path("back.jpg")): image/jpeg, 7 bytes\n")
    try write(small, to: path("Folder.JPG"))
    #expect(try Program.segue("cover", path("song.mp3")).text == "\(path("Folder.JPG")): image/jpeg, 4 bytes\n")
    let tagged = path("tagged.flac")
    try write(contents(fixture("flac-tagged.flac")), to: tagged)
    #expect(try Program.segue("cover", tagged).text.hasPrefix("in the tags: "))
  }

  @Test func `replaces pictures by force only, and nothing else`() throws {
    let input = fixture("flac-tagged.flac")
    try write(Array("text".utf8), to: path("text"))
    let refused = try Program.segue("cover", "--force", "-o", path("text"), input)
    #expect(refused.status == 1 && refused.errors.contains("not a picture; choose another name"))
    #expect(try contents(path("text")) == Array("text".utf8))
    #expect(try Program.segue("cover", "-o", path("a.png"), input).status == 0)
    #expect(try Program.segue("cover", "-o", path("a.png"), input).errors.contains("--force replaces it"))
    #expect(try Program.segue("cover", "--force", "-o", path("a.png"), input).status == 0)
    #expect(try Program.segue("cover", "-o", path("missing/a.png"), input).status == 1)
  }

  @Test func `a picture cut short, and one that claims too much, are none`() throws {
    var bytes = try contents(fixture("flac-tagged.flac"))
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x89, 0x50, 0x4e, 0x47]) })
    for index in (start - 4)..<(start + 8) { bytes[index] = 0xff }
    try write(bytes, to: path("damaged.flac"))
    #expect(try Program.segue("cover", path("damaged.flac")).status == 2)
    try write(Array(bytes.prefix(start + 100)), to: path("cut.flac"))
    #expect(try Program.segue("cover", path("cut.flac")).status == 2)
  }
}
