import AudioModel
import Containers
import Testing

@Suite struct `Tags` {
  static let audio = Array(Synthesis.packets(3).joined())

  /// The tags of a stream with these bytes before and behind the audio; the audio must come through whole.
  static func tags(before: [UInt8] = [], behind: [UInt8] = []) -> TrackTags {
    let bytes = before + audio + behind
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil)
    #expect(transcript.packets.count == 3)
    #expect(transcript.packets.first?.byteOffset == Int64(before.count))
    #expect(transcript.skips == [])
    let (dripped, other) = pushed(bytes, chunk: 1)
    #expect(dripped == transcript)
    #expect(other.information == stream.information)
    let file = try? AudioFile(source: AwkwardSource(bytes))
    #expect(file?.information.tags == stream.information.tags)
    return stream.information.tags
  }

  struct Text: Sendable, CustomStringConvertible {
    var description: String
    var content: [UInt8]
    var expected: String?
  }

  @Test(arguments: [
    Text(description: "Latin-1", content: Synthesis.latin1("Ærø"), expected: "Ærø"),
    Text(description: "UTF-16 little-endian", content: Synthesis.utf16("Ωmega 🎧"), expected: "Ωmega 🎧"),
    Text(description: "UTF-16 big-endian", content: Synthesis.utf16("Ωmega", isBigEndian: true), expected: "Ωmega"),
    Text(
      description: "UTF-16 without mark", content: Synthesis.utf16("Ωmega", isBigEndian: true, mark: false),
      expected: "Ωmega"),
    Text(description: "UTF-8", content: Synthesis.utf8("日本"), expected: "日本"),
    Text(description: "ends with zeros", content: Synthesis.latin1("a\0\0\0"), expected: "a"),
    Text(description: "UTF-16, ends with zero", content: Synthesis.utf16("a\0"), expected: "a"),
    Text(description: "several values", content: Synthesis.utf8("a\0b"), expected: "a; b"),
    Text(description: "several values in UTF-16", content: Synthesis.utf16("a\0b"), expected: "a; b"),
    Text(description: "mark before each value", content: Synthesis.utf16("a\0\u{feff}b"), expected: "a; b"),
    Text(description: "two marks", content: [1, 0xff, 0xfe, 0xff, 0xfe, 0x61, 0], expected: "a"),
    Text(description: "no mark", content: [1, 0x61, 0], expected: "a"),
    Text(description: "half a character", content: [1, 0xff, 0xfe, 0x61, 0, 0x62], expected: "a"),
    Text(description: "control characters", content: Synthesis.latin1("a\u{1b}[2J\u{7}"), expected: "a\u{1b}[2J\u{7}"),
    Text(description: "broken UTF-8", content: [3, 0x61, 0xff], expected: "a\u{fffd}"),
    Text(description: "half a surrogate pair", content: [1, 0xff, 0xfe, 0x3c, 0xd8], expected: "\u{fffd}"),
    Text(description: "unknown encoding", content: [9, 0x61], expected: "a"),
    Text(description: "empty", content: [0], expected: nil), Text(description: "nothing", content: [], expected: nil),
  ]) func `read text in every encoding`(text: Text) {
    for version in [3, 4] as [UInt8] {
      #expect(Self.tags(before: Synthesis.id3v2(version, [("TIT2", text.content)])).title == text.expected)
      let guarded = Synthesis.id3v2(
        version, [("TIT2", version == 4 ? Synthesis.unsynchronised(text.content) : text.content)], flags: 0x80)
      #expect(Self.tags(before: guarded).title == text.expected)
    }
    #expect(Self.tags(before: Synthesis.id3v2(2, [("TT2", text.content)])).title == text.expected)
    #expect(Self.tags(before: Synthesis.id3v2(2, [("TT2", text.content)], flags: 0x80)).title == text.expected)
  }

  @Test func `read every field`() {
    let fields =
      [
        ("TIT2", "title"), ("TPE1", "artist"), ("TALB", "album"), ("TPE2", "album artist"), ("TRCK", "3/12"),
        ("TPOS", "1/2"), ("TCON", "(17)"), ("TCOM", "composer"), ("TLEN", "12345"), ("TYER", "1999"), ("TDAT", "3112"),
        ("TXXX", "what\0ever"), ("TSSE", "encoder"),
      ].map { ($0.0, Synthesis.latin1($0.1)) } + [("COMM", [0] + Array("eng\0comment".utf8))]
    let tags = Self.tags(before: Synthesis.id3v2(3, fields, padding: 100))
    var expected = TrackTags()
    (expected.title, expected.artist, expected.album, expected.albumArtist) = (
      "title", "artist", "album", "album artist"
    )
    (expected.trackNumber, expected.trackCount, expected.discNumber, expected.discCount) = (3, 12, 1, 2)
    (expected.genre, expected.composer, expected.comment) = ("Rock", "composer", "comment")
    (expected.claimedMilliseconds, expected.date) = (12345, "1999-12-31")
    #expect(tags == expected)
  }

  @Test(arguments: [
    ("TDRC", "2024-05-06T07:08", "2024-05-06T07:08"), ("TYER", "1999", "1999"), ("TDRL", "2001", "2001"),
    ("TDOR", "1970", "1970"),
  ]) func `read the date from any available field`(name: String, text: String, expected: String) {
    #expect(Self.tags(before: Synthesis.id3v2(4, [(name, Synthesis.latin1(text))])).date == expected)
  }

  @Test(
    arguments: [
      ("3", 3, nil), ("03", 3, nil), ("3/12", 3, 12), (" 3 / 12", 3, 12), ("/12", nil, 12), ("0/0", nil, nil),
      ("A3", nil, nil), ("", nil, nil), ("-1", nil, nil), ("99999999999999999999", nil, nil),
    ] as [(String, Int?, Int?)]) func `read numbers and counts`(text: String, number: Int?, count: Int?)
  {
    let tags = Self.tags(before: Synthesis.id3v2(3, [("TRCK", Synthesis.latin1(text))]))
    #expect(tags.trackNumber == number && tags.trackCount == count)
  }

  @Test(arguments: [
    ("17", "Rock"), ("(17)", "Rock"), ("(17)Hard", "Rock; Hard"), ("(17)Rock", "Rock"),
    ("(4)(31)", "Disco; Trance"), ("(RX)", "Remix"), ("/0", "Blues"), ("17/8", "Rock; Jazz"), ("Rock/0", "Rock/0"),
    ("(17)(4)Refinement", "Rock; Disco; Refinement"),
    ("CR", "Cover"), ("((Live)", "(Live)"), ("Jazz", "Jazz"), ("(255)", "(255)"), ("191", "Psybient"), ("192", "192"),
    ("(17", "(17"), ("4\u{0}31", "Disco; Trance"),
  ]) func `read genres by number and by name`(text: String, expected: String) {
    #expect(Self.tags(before: Synthesis.id3v2(3, [("TCON", Synthesis.latin1(text))])).genre == expected)
  }

  @Test func `prefer the comment of the user`() {
    func comment(_ description: String, _ text: String) -> (String, [UInt8]) {
      ("COMM", [0] + Array("eng\(description)\0\(text)".utf8))
    }
    let tag = Synthesis.id3v2(
      3, [comment("iTunNORM", " 0000"), comment("About", "a"), comment("", "b"), comment("", "c")])
    #expect(Self.tags(before: tag).comment == "b")
    #expect(Self.tags(before: Synthesis.id3v2(3, [comment("About", "a")])).comment == "a")
  }

  // MARK: Forms of ID3v2

  @Test func `skip pictures, also unsynchronised ones, and read the following fields`() {
    let picture = (0..<70000).map { UInt8(truncatingIfNeeded: $0 % 3 == 0 ? 0xff : $0 % 5 == 0 ? 0 : $0) }
    for version in [2, 3, 4] as [UInt8] {
      for flags in [0, 0x80] as [UInt8] {
        let content = version == 4 && flags != 0 ? Synthesis.unsynchronised(picture) : picture
        let tag = Synthesis.id3v2(
          version,
          version == 2
            ? [("PIC", content), ("TT2", Synthesis.utf16("t"))]
            : [
              ("APIC", content),
              (
                "TIT2",
                version == 4 && flags != 0 ? Synthesis.unsynchronised(Synthesis.utf16("t")) : Synthesis.utf16("t")
              ),
            ],
          flags: flags, padding: 20)
        #expect(Self.tags(before: tag).title == "t", "version \(version), flags \(flags)")
      }
    }
  }

  @Test func `pass over extended headers`() {
    let title = [("TIT2", Synthesis.latin1("t"))]
    let plain = Synthesis.bigEndian(6, 4) + [0, 0, 0, 0, 0, 0]
    #expect(Self.tags(before: Synthesis.id3v2(3, title, flags: 0x40, extendedHeader: plain)).title == "t")
    let withItself = Synthesis.synchsafe(6) + [1, 0]
    #expect(Self.tags(before: Synthesis.id3v2(4, title, flags: 0x40, extendedHeader: withItself)).title == "t")
    // One that claims more than the tag holds is the end of the tag.
    let lie = Synthesis.bigEndian(0x7fff_ffff, 4)
    #expect(Self.tags(before: Synthesis.id3v2(3, title, flags: 0x40, extendedHeader: lie)).title == nil)
  }

  @Test func `read several in a row, with footers, and at the end`() {
    let first = Synthesis.id3v2(4, [("TIT2", Synthesis.utf8("first"))], flags: 0x10)
    let second = Synthesis.id3v2(3, [("TIT2", Synthesis.latin1("second")), ("TPE1", Synthesis.latin1("artist"))])
    let last = Synthesis.id3v2(4, [("TALB", Synthesis.utf8("album"))], flags: 0x10)
    let tags = Self.tags(before: first + second, behind: last)
    #expect(tags.title == "first" && tags.artist == "artist" && tags.album == "album")
  }

  @Test func `see sizes of eight bits per byte where 2.4 wants seven`() {
    let long = String(repeating: "x", count: 300)
    let fields = [("TIT2", Synthesis.latin1(long)), ("TPE1", Synthesis.latin1("artist"))]
    for isPlain in [false, true] {
      let tags = Self.tags(before: Synthesis.id3v2(4, fields, padding: 10, sizesArePlain: isPlain))
      #expect(tags.title == long && tags.artist == "artist")
    }
  }

  @Test func `heed the flags of fields`() {
    func title(_ version: UInt8, _ flags: UInt8, _ content: [UInt8]) -> String? {
      Self.tags(before: Synthesis.id3v2(version, [("TIT2", content)], fieldFlags: flags)).title
    }
    let content = Synthesis.latin1("t")
    #expect(title(3, 0x20, [7] + content) == "t")
    #expect(title(3, 0x80, content) == nil)
    #expect(title(3, 0x40, content) == nil)
    #expect(title(4, 0x40, [7] + content) == "t")
    #expect(title(4, 0x01, Synthesis.synchsafe(2) + content) == "t")
    #expect(title(4, 0x02, Synthesis.unsynchronised(Synthesis.utf16("t"))) == "t")
    #expect(title(4, 0x08, content) == nil)
    #expect(title(4, 0x04, content) == nil)
  }

  @Test func `end where a field claims more than there is`() {
    var tag = Synthesis.id3v2(3, [("TIT2", Synthesis.latin1("t")), ("TPE1", Synthesis.latin1("a"))])
    // The second field's size; the tag's own stays.
    tag.replaceSubrange(10 + 12 + 4..<10 + 12 + 8, with: [0x7f, 0xff, 0xff, 0xff])
    let tags = Self.tags(before: tag)
    #expect(tags.title == "t" && tags.artist == nil)
  }

  @Test func `leave out texts that are longer than any text`() {
    let endless = Synthesis.latin1(String(repeating: "x", count: 70000))
    let tags = Self.tags(before: Synthesis.id3v2(3, [("TIT2", endless), ("TPE1", Synthesis.latin1("a"))]))
    #expect(tags.title == nil && tags.artist == "a")
  }

  // MARK: At the end

  @Test func `read ID3v1 and 1.1`() {
    let tags = Self.tags(
      behind: Synthesis.id3v1(
        title: "Tïtle ", artist: String(repeating: "a", count: 30), album: "", year: "1999", comment: "c", track: 9,
        genre: 8))
    #expect(tags.title == "Tïtle" && tags.artist == String(repeating: "a", count: 30) && tags.album == nil)
    #expect(tags.date == "1999" && tags.comment == "c" && tags.trackNumber == 9 && tags.genre == "Jazz")
    let plain = Self.tags(behind: Synthesis.id3v1(comment: String(repeating: "c", count: 30), genre: 255))
    #expect(plain.comment == String(repeating: "c", count: 30) && plain.trackNumber == nil && plain.genre == nil)
  }

  @Test func `take no ID3v1 out of the middle of another tag`() {
    // The tag ends with the file and is 131 bytes long: its mark "APETAGEX" has "TAG" 128 bytes before the end.
    for length in 40...60 {
      let ape = Synthesis.ape([("Title", [UInt8](repeating: UInt8(ascii: "x"), count: length), flags: 0)])
      let tags = Self.tags(behind: ape)
      #expect(tags.title?.utf8.count == length && tags.artist == nil && tags.genre == nil, "\(ape.count) bytes")
    }
    #expect((40...60).contains { Synthesis.ape([("Title", [UInt8](repeating: 0, count: $0), flags: 0)]).count == 131 })
    for count in 80...140 {
      let words = "[00:02]TAG" + String(repeating: "x", count: count)
      let old = Array(("LYRICSBEGIN" + words + "LYRICSEND").utf8)
      for lyrics in [Synthesis.lyrics3(words), old] {
        #expect(Self.tags(behind: lyrics) == TrackTags())
        #expect(Self.tags(behind: lyrics + Synthesis.id3v1(title: "Old")).title == "Old")
        let file = try? AudioFile(source: AwkwardSource(Self.audio + lyrics))
        #expect(file?.trailingStart == Int64(Self.audio.count))
      }
    }
  }

  @Test func `take the last of two ID3v1, and none that is empty`() {
    let (first, last) = (Synthesis.id3v1(title: "First", comment: "c"), Synthesis.id3v1(title: "Last"))
    let empty = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    #expect(Self.tags(behind: first + last).title == "Last")
    #expect(Self.tags(behind: first + last).comment == nil)
    #expect(Self.tags(behind: first + empty).title == "First")
    #expect(Self.tags(behind: empty) == TrackTags())
    #expect(Self.tags(behind: Synthesis.id3v1(title: "Song", genre: 0)).genre == "Blues")
    let ape = Synthesis.ape([("Title", Array("Ape".utf8), flags: 0)])
    #expect(Self.tags(behind: ape + first + last).title == "Ape")
  }

  @Test(arguments: [1, 300, 3000, 60_000]) func `Ogg is found after other bytes, and has no genre of zeros after it`(
    count: Int
  ) throws {
    var generator = SeededGenerator(seed: 5)
    let junk = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let ogg = Fixtures.bytes("tags.ogg")
    let empty = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    let file = try AudioFile(source: AwkwardSource(junk + ogg + empty))
    let plain = try AudioFile(source: AwkwardSource(ogg))
    #expect(file.information.fileType == .ogg && file.information.tags.genre == plain.information.tags.genre)
    #expect(file.information.tags.title == "Piece")
    let packets = try [file, plain].map { file in
      _ = try file.advanceIndex()
      return file.packetIndex.packetCount
    }
    #expect(packets[0] == packets[1])
    let opus = try AudioFile(source: AwkwardSource(Fixtures.bytes("chained-opus.opus") + empty))
    #expect(opus.information.tags.genre == nil)
  }

  @Test(arguments: [1, 300, 5000]) func `FLAC is found after zeros that the tag before it does not count`(
    count: Int
  ) throws {
    let tag = Synthesis.id3v2(4, [("TXXX", Synthesis.latin1("MOOD\0calm"))])
    let file = try AudioFile(
      source: AwkwardSource(tag + [UInt8](repeating: 0, count: count) + Fixtures.bytes("tags.flac")))
    #expect(file.information.fileType == .flac && file.information.tags.title == "Piece")
    #expect(file.information.tags.fields[.moods] == ["calm"])
  }

  @Test(arguments: [true, false]) func `read APE tags before Lyrics3 and ID3v1`(hasHeader: Bool) throws {
    let ape = Synthesis.ape(
      [
        ("Title", Array("Ape".utf8), flags: 0), ("ARTIST", Array("A\0B".utf8), flags: 0),
        ("Cover Art (Front)", [UInt8](repeating: 0xff, count: 5000), flags: 2), ("Track", Array("4/5".utf8), flags: 0),
      ], hasHeader: hasHeader)
    let end = Synthesis.lyrics3("[00:02]words") + Synthesis.id3v1(title: "Old", album: "Old Album")
    guard hasHeader else {
      // Without a header its items cannot be told from noise while they come; a file knows from the end.
      let file = try AudioFile(source: AwkwardSource(Self.audio + ape + end))
      #expect(file.information.tags.album == "Old Album")
      var buffer = [UInt8](repeating: 0, count: 9999)
      let count = try buffer.withUnsafeMutableBytes { try file.readBytes(at: 0, into: $0) }
      #expect(count == Self.audio.count)
      return
    }
    let tags = Self.tags(behind: ape + end)
    #expect(tags.title == "Ape" && tags.artist == "A; B" && tags.album == "Old Album")
    #expect(tags.trackNumber == 4 && tags.trackCount == 5)
  }

  @Test func `are not read as audio where the last packet is cut, either`() {
    for tag in [
      Synthesis.id3v1(title: "t"), Synthesis.ape([("Title", Array("t".utf8), flags: 0)]),
      Synthesis.lyrics3("la") + Synthesis.id3v1(title: "t"),
      Synthesis.id3v2(4, [("TIT2", Synthesis.utf8("t"))], flags: 0x10),
    ] {
      for missing in [1, 100, 300] {
        let bytes = Array(Self.audio.dropLast(missing)) + tag
        let (transcript, stream) = pushed(bytes)
        #expect(transcript.packets.count == 2)
        #expect(transcript.skips.map(\.byteCount) == [417 - Int64(missing)])
        #expect(stream.information.tags.title == "t")
        #expect(pushed(bytes, chunk: 1).0 == transcript)
      }
    }
  }

  @Test func `at the start that are cut give an error, not a wait`() {
    let tag = Synthesis.id3v2(3, [("TIT2", Synthesis.latin1("t")), ("APIC", [UInt8](repeating: 1, count: 5000))])
    for count in stride(from: 1, to: tag.count, by: 97) {
      #expect(pushed(Array(tag[..<count])).0.error != nil)
      #expect(throws: ContainerError.self) {
        try AudioFile(source: AwkwardSource(Array(tag[..<count]), knowsLength: false))
      }
    }
  }
}
