import AudioModel
import Testing

@testable import Containers

/// Tags of files that no parser here plays, or nothing at all.
@Suite struct `Readable tags` {
  private func tags(_ bytes: [UInt8]) throws -> TrackTags {
    #expect(pushed(bytes).0.error != nil)
    return try TrackTags.readable(AwkwardSource(bytes, mostBytesAtATime: 1000))
  }

  private let id3 = Synthesis.id3v2(4, [("TIT2", Synthesis.utf8("Title"))])

  @Test func `MPEG-4 that is encrypted has those of the movie`() throws {
    typealias Make = MPEG4Synthesis
    let list = Make.itemList(Make.item("©nam", Array("Title".utf8)))
    let bytes = Make.file(moreInMovie: list) { $0.entry = Make.entry("drms") }
    #expect(try tags(bytes).title == "Title")
  }

  @Test func `Matroska has those that its list of places leads to`() throws {
    typealias Make = MatroskaSynthesis
    let tag = Make.element(
      0x1254_c367,
      Make.element(
        0x7373, Make.element(0x63c0, Make.unsigned(0x68ca, 30)),
        Make.element(0x67c8, Make.text(0x45a3, "TITLE"), Make.text(0x4487, "Title"))))
    func file(_ place: Int) -> (bytes: [UInt8], place: Int) {
      let seek = Make.element(
        0x4dbb, Make.element(0x53ab, Make.id(0x1254_c367)), Make.element(0x53ac, [0, UInt8(place)]))
      let before =
        Make.element(0x114d_9b74, seek) + Make.info() + Make.tracks(Make.track(codec: "A_DTS"))
        + Make.cluster(0, Make.simple([1, 2, 3]))
      return (Make.head() + Make.segment(before, tag), before.count)
    }
    #expect(try tags(file(file(0).place).bytes).title == "Title")
  }

  @Test func `those at both ends of unknown bytes`() throws {
    let bytes =
      Synthesis.id3v2(4, [("TPE1", Synthesis.utf8("Artist"))]) + Array("OFR ".utf8)
      + [UInt8](repeating: 1, count: 3000) + Synthesis.ape([("Title", Array("Title".utf8), 0)])
    let tags = try tags(bytes)
    #expect(tags.title == "Title" && tags.artist == "Artist")
  }

  @Test func `DSF with audio of any kind`() throws {
    let header = Array("DSD ".utf8) + Self.little(28, 8) + Self.little(0, 8) + Self.little(60, 8)
    #expect(try tags(header + [UInt8](repeating: 9, count: 60 - header.count) + id3).title == "Title")
  }

  @Test func `none of other files, and no trap in any cut of these`() throws {
    for file in [Self.asf, Self.avi] {
      for count in 0...file.count {
        _ = try TrackTags.readable(AwkwardSource(Array(file.prefix(count)), mostBytesAtATime: 500))
      }
    }
    #expect(try TrackTags.readable(AwkwardSource([])) == TrackTags())
    #expect(try TrackTags.readable(AwkwardSource(Array("hello, world".utf8))) == TrackTags())
  }

  // MARK: ASF

  private static func little(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func utf16(_ text: String) -> [UInt8] { (Array(text.utf16) + [0]).flatMap { little(Int($0), 2) } }

  private static func object(_ guid: [UInt8], _ content: [UInt8]) -> [UInt8] {
    guid + little(content.count + 24, 8) + content
  }

  /// An attribute of the extended description.
  private static func attribute(_ name: String, _ value: String) -> [UInt8] {
    attribute(name, type: 0, utf16(value))
  }

  private static func attribute(_ name: String, type: Int, _ value: [UInt8]) -> [UInt8] {
    little(utf16(name).count, 2) + utf16(name) + little(type, 2) + little(value.count, 2) + value
  }

  /// An attribute of the library.
  private static func entry(_ name: String, _ value: String) -> [UInt8] {
    [0, 0, 0, 0] + little(utf16(name).count, 2) + [0, 0] + little(utf16(value).count, 4) + utf16(name) + utf16(value)
  }

  private static let asf: [UInt8] = {
    let texts = ["Title", "Ann", "2001 Label", "Words", ""].map(utf16)
    let description = object(
      [0x33, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0, 0xaa, 0, 0x62, 0xce, 0x6c],
      texts.flatMap { little($0.count, 2) } + texts.joined())
    let attributes = [
      attribute("Author", "Ann"), attribute("WM/Composer", "Cleo"), attribute("WM/AlbumTitle", "Album"),
      attribute("WM/AlbumArtist", "All"),
      attribute("WM/Year", "2001-02-03"), attribute("WM/Lyrics", "La"), attribute("WM/Track", type: 3, little(2, 4)),
      attribute("WM/PartOfSet", "1/2"), attribute("WM/IsCompilation", type: 2, little(1, 4)),
      attribute("WM/OriginalReleaseYear", "1999"), attribute("WM/Picture", type: 1, [1, 2, 3]),
      attribute("WM/ArtistSortOrder", "A, nn"), attribute("MusicBrainz/Track Id", "id"),
      attribute("replaygain_track_gain", "-3.5 dB"), attribute("WM/Genre", "Jazz"),
    ]
    let extended = object(
      [0x40, 0xa4, 0xd0, 0xd2, 0x07, 0xe3, 0xd2, 0x11, 0x97, 0xf0, 0, 0xa0, 0xc9, 0x5e, 0xa8, 0x50],
      little(attributes.count, 2) + attributes.joined())
    let entries = [entry("Author", "Ben"), entry("WM/Composer", "Dora"), entry("WM/Composer", "Emil")]
    let library = object(
      [0x94, 0x1c, 0x23, 0x44, 0x98, 0x94, 0xd1, 0x49, 0xa1, 0x41, 0x1d, 0x13, 0x4e, 0x45, 0x70, 0x54],
      little(entries.count, 2) + entries.joined())
    let inner = object(
      [0xb5, 0x03, 0xbf, 0x5f, 0x2e, 0xa9, 0xcf, 0x11, 0x8e, 0xe3, 0, 0xc0, 0x0c, 0x20, 0x53, 0x65],
      [UInt8](repeating: 7, count: 16) + [6, 0] + little(library.count, 4) + library)
    let content = little(3, 4) + [1, 2] + description + inner + extended
    return object([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0, 0xaa, 0, 0x62, 0xce, 0x6c], content)
  }()

  @Test func `ASF has years, words, and all values of a name`() throws {
    let tags = try tags(Self.asf + [UInt8](repeating: 3, count: 5000))
    #expect(tags.title == "Title" && tags.artists == ["Ann", "Ben"] && tags.composers == ["Cleo", "Dora", "Emil"])
    #expect(tags.album == "Album" && tags.albumArtist == "All" && tags.date == "2001-02-03" && tags.lyrics == "La")
    #expect(tags.trackNumber == 3 && tags.discNumber == 1 && tags.discCount == 2 && tags.genre == "Jazz")
    #expect(tags.comment == "Words" && tags.copyright == "2001 Label" && tags.isCompilation && tags.gain.track == -3.5)
    #expect(tags.fields.first(.originalDate) == "1999" && tags.fields.first(.artistSort) == "A, nn")
    #expect(tags.fields[.recordingID] == ["id"])
  }

  // MARK: AVI

  private static let avi: [UInt8] = {
    let items = [
      ("INAM", "Title"), ("IART", "Artist"), ("IPRD", "Album"), ("ICRD", "2001"), ("IMUS", "Dora"), ("ILYC", "La"),
      ("IAAR", "All"),
    ]
    let chunks =
      ChunkSynthesis.chunk(("LIST", Array("hdrl".utf8) + [1, 2, 3]), .little)
      + ChunkSynthesis.chunk(("LIST", Array("movi".utf8) + [UInt8](repeating: 8, count: 777)), .little)
      + ChunkSynthesis.chunk(ChunkSynthesis.list(items), .little)
    return ChunkSynthesis.wave(chunks, type: "AVI ")
  }()

  @Test func `AVI has all names of WAVE's list`() throws {
    let tags = try tags(Self.avi)
    #expect(tags.title == "Title" && tags.artist == "Artist" && tags.album == "Album" && tags.date == "2001")
    #expect(tags.composer == "Dora" && tags.lyrics == "La" && tags.albumArtist == "All")
  }
}
