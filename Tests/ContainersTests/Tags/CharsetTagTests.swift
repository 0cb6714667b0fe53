import AudioModel
import ByteIO
import Testing

@testable import Containers

/// Texts whose encoding a tag does not name.
struct CharsetTagTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var charset: String
    var artist: [UInt8]
    var title: [UInt8]
    var expected: [String]
    var reading: String?
    var testDescription: String { charset }
  }

  static let cases = [
    Case(
      charset: "windows-1251", artist: [0xca, 0xe8, 0xed, 0xee],
      title: [0xc3, 0xf0, 0xf3, 0xef, 0xef, 0xe0, 0x20, 0xea, 0xf0, 0xee, 0xe2, 0xe8],
      expected: ["Кино", "Группа крови"],
      reading: "windows-1251 (guessed)"),
    Case(
      charset: "shift_jis", artist: [0x82, 0xad, 0x82, 0xe9, 0x82, 0xe8],
      title: [0x82, 0xce, 0x82, 0xe7, 0x82, 0xcc, 0x89, 0xd4], expected: ["くるり", "ばらの花"],
      reading: "shift_jis (guessed)"),
    Case(
      charset: "windows-1252", artist: [0x42, 0x6a, 0xf6, 0x72, 0x6b],
      title: Array("Don".utf8) + [0x92] + Array("t Stop ".utf8) + [0x96], expected: ["Björk", "Don’t Stop –"],
      reading: "windows-1252 (guessed)"),
    Case(
      charset: "UTF-8", artist: Array("Größe".utf8), title: Array("夜".utf8), expected: ["Größe", "夜"], reading: nil),
    Case(charset: "ASCII", artist: Array("A".utf8), title: Array("T".utf8), expected: ["A", "T"], reading: nil),
  ]

  private func expect(_ tags: TrackTags, _ test: Case) {
    #expect([tags.artist, tags.title] == test.expected)
    #expect(tags.fields.first(.charset) == test.reading)
  }

  @Test(arguments: cases, [2, 3, 4] as [UInt8])
  func `ID3v2 that says Latin-1`(test: Case, version: UInt8) {
    let names = version == 2 ? ["TP1", "TT2"] : ["TPE1", "TIT2"]
    let tag = Synthesis.id3v2(version, [(names[0], [0] + test.artist), (names[1], [0] + test.title)])
    expect(Tags.tags(before: tag), test)
  }

  @Test(arguments: cases) func `ID3v1`(test: Case) {
    func field(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: 30 - bytes.count) }
    let tag = Array("TAG".utf8) + field(test.title) + field(test.artist) + [UInt8](repeating: 0, count: 64) + [255]
    expect(Tags.tags(behind: tag), test)
  }

  @Test(arguments: cases) func `RIFF INFO`(test: Case) throws {
    func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [UInt8(bytes.count), 0, 0, 0] + bytes + (bytes.count % 2 == 1 ? [0] : [])
    }
    let list = ("LIST", Array("INFO".utf8) + chunk("INAM", test.title) + chunk("IART", test.artist))
    let bytes = ChunkSynthesis.wave([ChunkSynthesis.fmt(), list, ("data", [0, 0, 0, 0])])
    expect(try AudioFile(source: AwkwardSource(bytes)).information.tags, test)
    expect(pushed(bytes, chunk: 7).1.information.tags, test)
  }

  @Test func `a cue sheet, and the name of its file`() {
    let (artist, title) = (Self.cases[0].artist, Self.cases[0].title)
    let sheet =
      Array("PERFORMER \"".utf8) + artist + Array("\"\nFILE \"".utf8) + title + Array(".flac\" WAVE\n".utf8)
      + Array("TRACK 01 AUDIO\nTITLE \"".utf8) + title + Array("\"\nINDEX 01 00:00:00\n".utf8)
    let track = CueSheet(sheet).tracks.first
    #expect(track?.tags.title == "Группа крови" && track?.tags.artist == "Кино")
    #expect(track?.fileName == "Группа крови.flac" && track?.file == title + Array(".flac".utf8))
    #expect(track?.tags.fields.first(.charset) == "windows-1251 (guessed)")
  }

  @Test func `chapters and fields of a name of their own are read with the rest`() {
    let title = Self.cases[0].title
    let tag = Synthesis.id3v2(3, [("TIT2", [0] + title), ("TXXX", [0] + Array("MOOD\0".utf8) + Self.cases[0].artist)])
    #expect(Tags.tags(before: tag).fields[.moods] == ["Кино"])
  }
}
