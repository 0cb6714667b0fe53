import AudioModel
import Testing

@testable import Containers

/// Tags in `udta` and `meta`.
@Suite struct `MPEG-4 tags` {
  typealias Make = MPEG4Synthesis

  static func tags(_ boxes: [UInt8]) throws -> TrackTags {
    let bytes = Make.file(moreInMovie: boxes)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(pushed(bytes).1.information.tags == file.information.tags)
    return file.information.tags
  }

  @Test func `items of iTunes`() throws {
    let tags = try Self.tags(
      Make.itemList(
        Make.item("©nam", Array("Title".utf8)), Make.item("©ART", Array("Ärtist".utf8)),
        Make.item("aART", Array("All".utf8)), Make.item("©alb", Array("Album".utf8)),
        Make.item("©day", Array("2024-05-06".utf8)), Make.item("©wrt", Array("Composer".utf8)),
        Make.item("©cmt", Array("Words".utf8)), Make.item("©lyr", Array("La la".utf8)),
        Make.item("cprt", Array("Me".utf8)),
        Make.item("gnre", [0, 18], type: 0), Make.item("trkn", [0, 0, 0, 3, 0, 12, 0, 0], type: 0),
        Make.item("disk", [0, 0, 0, 1, 0, 0], type: 0), Make.freeForm("iTunNORM", "00 00"),
        Make.freeForm("replaygain_track_gain", "-7.25 dB"), Make.freeForm("REPLAYGAIN_TRACK_PEAK", "0.98")))
    var expected = TrackTags()
    (expected.title, expected.artist, expected.albumArtist, expected.album) = ("Title", "Ärtist", "All", "Album")
    (expected.date, expected.composer, expected.comment, expected.lyrics) = ("2024-05-06", "Composer", "Words", "La la")
    (expected.genre, expected.trackNumber, expected.trackCount, expected.discNumber) = ("Rock", 3, 12, 1)
    expected.copyright = "Me"
    (expected.gain.track, expected.gain.trackPeak) = (-7.25, 0.98)
    #expect(tags == expected)
  }

  @Test func `a genre in words before one by number, several values, UTF-16, no value`() throws {
    let two = Make.box(
      "©ART", Make.box("data", Make.u32(1), Make.u32(0), Array("One".utf8)),
      Make.box("data", Make.u32(1), Make.u32(0), Array("Two".utf8)))
    let tags = try Self.tags(
      Make.itemList(
        Make.item("gnre", [0, 18], type: 0), Make.item("©gen", Array("Noise".utf8)), two,
        Make.item("©nam", [0x00, 0x5a, 0x00, 0xfc], type: 2), Make.item("©alb", []), Make.item("trkn", [0], type: 0)))
    #expect(tags.genre == "Noise" && tags.artist == "One; Two" && tags.title == "Zü")
    #expect(tags.album == nil && tags.trackNumber == nil)
  }

  @Test func `pictures are located, not loaded`() throws {
    let jpeg = [UInt8](repeating: 0xd8, count: 70_000)
    let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 1, 2, 3]
    let covers = Make.box(
      "covr", Make.box("data", Make.u32(13), Make.u32(0), jpeg), Make.box("data", Make.u32(0), Make.u32(0), png))
    let list = Make.itemList(covers, Make.item("©nam", Array("After".utf8)))
    let bytes = Make.file(moreInMovie: list)
    let tags = try Self.tags(list)
    #expect(tags.title == "After")
    #expect(tags.artwork.map(\.mimeType) == ["image/jpeg", "image/png"])
    for (artwork, content) in zip(tags.artwork, [jpeg, png]) {
      #expect(Array(bytes[Int(artwork.byteOffset)...].prefix(artwork.byteCount)) == content)
    }
  }

  @Test func `QuickTime's texts in any language, and its metadata by keys`() throws {
    func text(_ name: String, _ value: [UInt8], language: Int = 0) -> [UInt8] {
      Make.box(name, Make.u16(value.count) + Make.u16(language) + value + Make.u16(1) + Make.u16(5) + [0x78])
    }
    let roman = try Self.tags(
      Make.box("udta", text("©nam", [0x5a, 0x9f]), text("©ART", Array("Grün".utf8), language: 0x55c4), Make.u32(0)))
    #expect(roman.title == "Zü" && roman.artist == "Grün")
    let keys = Make.full(
      "keys", Make.table(["title", "artist"].map { Make.box("mdta", Array("com.apple.quicktime.\($0)".utf8)) }))
    let items = Make.box(
      "ilst", Make.item("\0\0\0\u{2}", Array("Someone".utf8)), Make.item("\0\0\0\u{1}", Array("Keyed".utf8)),
      Make.item("\0\0\0\u{3}", Array("Nobody".utf8)))
    let metadata = Make.box(
      "meta", Make.full("hdlr", Make.u32(0), Array("mdta".utf8), [UInt8](repeating: 0, count: 13)), keys, items)
    let tags = try Self.tags(metadata)
    #expect(tags.title == "Keyed" && tags.artist == "Someone")
  }

  @Test func `3GPP's texts`() throws {
    func text(_ name: String, _ value: [UInt8]) -> [UInt8] { Make.full(name, Make.u16(0x15c7), value) }
    let tags = try Self.tags(
      Make.box(
        "udta", text("titl", Array("Title\0".utf8)), text("perf", [0xfe, 0xff, 0, 0x5a, 0, 0xfc, 0, 0]),
        text("albm", Array("Album\0".utf8) + [7]), text("gnre", Array("Noise".utf8)), Make.full("yrrc", Make.u16(2024)))
    )
    #expect(tags.title == "Title" && tags.artist == "Zü" && tags.album == "Album" && tags.trackNumber == 7)
    #expect(tags.genre == "Noise" && tags.date == "2024")
  }

  @Test func `Nero's chapters`() throws {
    func chapter(_ seconds: UInt64, _ name: String) -> [UInt8] {
      Make.u64(seconds * 10_000_000) + [UInt8(name.utf8.count)] + Array(name.utf8)
    }
    let chapters = chapter(0, "One") + chapter(90, "Zwölf")
    let expected = [TrackTags.Chapter(start: 0, title: "One"), TrackTags.Chapter(start: 90, title: "Zwölf")]
    #expect(
      try Self.tags(Make.box("udta", Make.full("chpl", version: 1, Make.u32(0), [2], chapters))).chapters == expected)
    #expect(try Self.tags(Make.box("udta", Make.full("chpl", [2], chapters))).chapters == expected)
    #expect(try Self.tags(Make.box("udta", Make.full("chpl", [2], chapters.dropLast()))).chapters == [expected[0]])
  }

  /// Files of ffmpeg have two lists of chapters: Nero's box and a track.
  @Test(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
  func `QuickTime's chapters, where there are no others, by the file alone`() throws {
    var bytes = Fixtures.bytes("mp4-chapters.m4b")
    let expected = [TrackTags.Chapter(start: 0, title: "One"), TrackTags.Chapter(start: 1.25, title: "Zwölf")]
    #expect(pushed(bytes).1.information.tags.chapters == expected)
    let list = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("chpl".utf8)) })
    bytes.replaceSubrange(list..<list + 4, with: Array("free".utf8))
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil && stream.information.tags.chapters.isEmpty)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(file.information.tags.chapters == expected)
    #expect(file.information.isOptimized)
    #expect(try pulled(file).packets == transcript.packets)
  }

  @Test(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
  func `QuickTime's chapters, where the audio names several tracks, as with pictures`() throws {
    var bytes = Fixtures.bytes("mp4-chapters.m4b")
    func start(of type: String, before end: Int? = nil) throws -> Int {
      let end = end ?? bytes.count - 4
      return try #require((0..<end).last { bytes[$0...].starts(with: type.utf8) })
    }
    /// Changes the size of the box whose type is at `index`.
    func resize(_ index: Int, by change: Int) {
      let size = bytes[index - 4..<index].reduce(0) { $0 << 8 | Int($1) } + change
      bytes.replaceSubrange(index - 4..<index, with: Make.u32(UInt32(size)))
    }
    // Nero's list gives four bytes for another number in front, so that the media stay where they are.
    let list = try start(of: "chpl")
    bytes.replaceSubrange(list..<list + 8, with: Array("free".utf8))
    for index in [list, try start(of: "udta", before: list)] { resize(index, by: -4) }
    let reference = try start(of: "tref")
    bytes.insert(contentsOf: Make.u32(999), at: reference + 12)
    for index in [reference + 8, reference, try start(of: "trak", before: reference)] { resize(index, by: 4) }
    let tags = try AudioFile(source: AwkwardSource(bytes)).information.tags
    #expect(tags.chapters.map(\.title) == ["One", "Zwölf"])
  }

  @Test(
    .enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"),
    arguments: ["mp4-tags.m4a", "mp4-tags.mov", "mp4-tags.3gp"])
  func `of ffmpeg's files`(name: String) throws {
    let bytes = Fixtures.bytes(name)
    let tags = try AudioFile(source: AwkwardSource(bytes)).information.tags
    #expect(tags.title == "Sweep" && tags.artist == "Ärtist" && tags.album == "Album")
    guard name.hasSuffix("m4a") else { return }
    #expect(tags.albumArtist == "All" && tags.genre == "Noise" && tags.composer == "SoX" && tags.comment == "Words")
    #expect(tags.lyrics == "La" && tags.date == "2024-05-06")
    #expect([tags.trackNumber, tags.trackCount, tags.discNumber, tags.discCount] == [3, 12, 1, 2])
    let artwork = try #require(tags.artwork.first)
    #expect(artwork.mimeType == "image/png")
    let picture = bytes[Int(artwork.byteOffset)...].prefix(artwork.byteCount)
    #expect(picture.starts(with: [0x89, 0x50]) && picture.suffix(8).starts(with: Array("IEND".utf8)))
  }

  @Test(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS")) func `of other projects`() throws {
    func tags(_ path: String) throws -> TrackTags {
      try AudioFile(source: AwkwardSource(Corpus.contents(of: Corpus.folder + "/" + path))).information.tags
    }
    let full = try tags("beetbox-mediafile/full.m4a")
    #expect(full.title == "full" && full.albumArtist == "the album artist" && full.date == "2001")
    #expect([full.trackNumber, full.trackCount, full.discNumber, full.discCount] == [2, 3, 4, 5])
    let sample = try tags("dhowden-tag/sample.m4a")
    #expect(sample.genre == "Jazz" && sample.trackNumber == 3 && sample.trackCount == 6)
    #expect(try tags("tinytag-tinytag/mp4_extended_size.m4a").comment == "test comment")
    #expect(try tags("Zeugma440-atldotnet/no_udta.m4a") == TrackTags())
  }
}
