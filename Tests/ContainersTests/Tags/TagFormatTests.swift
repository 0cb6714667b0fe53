import AudioModel
import Testing

@testable import Containers

/// Tags that other programs wrote, the same in every format (Tests/Fixtures/craft-tags.py).
@Suite struct `Tags of every format` {
  typealias Name = TrackTags.Fields.Name

  private static let fields: [Name: [String]] = [
    .artists: ["Anna Alpha", "Bert Beta"], .albumArtist: ["Anna Alpha; and friends", "Cleo"],
    .composer: ["Dora Delta", "Emil Epsilon"], .genre: ["Jazz", "Noise; Drone"], .titleSort: ["Piece, The"],
    .artistSort: ["Alpha, Anna"], .albumSort: ["Release, The"], .albumArtistSort: ["Alpha, Anna & friends"],
    .composerSort: ["Delta, Dora"], .recordingID: ["11111111-0000-4000-8000-000000000001"],
    .releaseTrackID: ["22222222-0000-4000-8000-000000000002"], .releaseID: ["33333333-0000-4000-8000-000000000003"],
    .releaseGroupID: ["44444444-0000-4000-8000-000000000004"],
    .artistIDs: ["55555555-0000-4000-8000-000000000005", "66666666-0000-4000-8000-000000000006"],
    .albumArtistIDs: ["55555555-0000-4000-8000-000000000005"], .workID: ["77777777-0000-4000-8000-000000000007"],
    .compilation: ["1"], .discSubtitle: ["Second half"], .media: ["CD"], .labels: ["First", "Second"],
    .catalogNumbers: ["CAT 1"], .barcode: ["0123456789012"], .originalDate: ["1999-12-31"], .lyricists: ["Frida"],
    .conductors: ["Gustav"], .remixers: ["Hanna"], .producers: ["Ida"], .performers: ["Jon (violin)"],
    .work: ["Opus"], .bpm: ["120"],
  ]

  private static var texts: TrackTags {
    var tags = TrackTags()
    (tags.title, tags.artist, tags.album) = ("Piece", "Anna Alpha feat. Bert Beta", "Release")
    (tags.albumArtist, tags.composer) = ("Anna Alpha; and friends; Cleo", "Dora Delta; Emil Epsilon")
    (tags.genre, tags.date, tags.isrc) = ("Jazz; Noise; Drone", "2024-05-06", "ABC012345678")
    (tags.trackNumber, tags.trackCount, tags.discNumber, tags.discCount) = (3, 12, 1, 2)
    (tags.comment, tags.lyrics) = ("Words", "La\nla")
    (tags.gain.track, tags.gain.trackPeak, tags.gain.album, tags.gain.albumPeak) = (-6.5, 0.988, 1.25, 0.999)
    return tags
  }

  @Test(arguments: [
    "tags.flac", "tags.ogg", "tags.opus", "tags.m4a", "tags.wav", "tags.aiff", "tags-apev2.mp3", "tags-id3v2.4.mp3",
    "tags-id3v2.3.mp3",
  ]) func `are read alike`(name: String) throws {
    let bytes = Fixtures.bytes(name)
    let information = try AudioFile(source: AwkwardSource(bytes)).information
    var tags = information.tags
    if information.isOptimized { #expect(pushed(bytes).1.information.tags == tags) }
    // ID3v2.3 has no such fields.
    let isOld = name == "tags-id3v2.3.mp3"
    for field in Name.allCases where field != .syncedLyrics {
      let isLost = isOld && [.titleSort, .artistSort, .albumSort, .discSubtitle].contains(field)
      let expected = isOld && field == .originalDate ? ["1999"] : isLost ? [] : Self.fields[field] ?? []
      #expect(tags.fields[field] == expected, "\(field)")
    }
    // Only ID3 has them in this form.
    let hasTimes = tags.syncedLyrics != nil
    #expect(hasTimes == (name.contains("id3") || name.hasSuffix("wav") || name.hasSuffix("aiff")))
    #expect(tags.syncedLyrics ?? "[00:00.000]One\n[01:01.250]Two" == "[00:00.000]One\n[01:01.250]Two")
    #expect(tags.artists == ["Anna Alpha", "Bert Beta"] && tags.albumArtists == ["Anna Alpha; and friends", "Cleo"])
    #expect(tags.composers == ["Dora Delta", "Emil Epsilon"] && tags.genres == ["Jazz", "Noise; Drone"])
    #expect(tags.isCompilation)
    (tags.fields, tags.artwork, tags.claimedMilliseconds) = (TrackTags.Fields(), [], nil)
    #expect(tags == Self.texts)
  }

  @Test func `ensembles and places have their names`() {
    var tags = TrackTags()
    tags.add("Orchestra", named: "ensemble")
    tags.add("Hall", named: "LOCATION")
    #expect(tags.fields[.ensemble] == ["Orchestra"] && tags.fields[.location] == ["Hall"])
  }

  @Test func `all values are kept of each name that may have several`() {
    let names: [(String, Name)] = [
      ("ARTISTSORT", .artistSort), ("ALBUMARTISTSORT", .albumArtistSort), ("COMPOSERSORT", .composerSort),
      ("MUSICBRAINZ_WORKID", .workID), ("WORK", .work), ("GROUPING", .grouping), ("ENSEMBLE", .ensemble),
      ("LOCATION", .location),
    ]
    var tags = TrackTags()
    for (name, _) in names { for value in ["One", "Two", "One"] { tags.add(value, named: name) } }
    for value in ["One", "Two"] { tags.add(value, named: "COMMENT") }
    tags.add("Three", named: "DESCRIPTION")
    for (name, field) in names { #expect(tags.fields[field] == ["One", "Two"], "\(name)") }
    #expect(tags.comment == "One" && tags.comments == ["One", "Two", "Three"])
    let fields = [("TSO2", Synthesis.latin1("One\0Two")), ("TXXX", Synthesis.latin1("WORK\0One\0Two"))]
    let id3 = Tags.tags(before: Synthesis.id3v2(4, fields))
    #expect(id3.fields[.albumArtistSort] == ["One", "Two"] && id3.fields[.work] == ["One", "Two"])
  }

  @Test func `by names of old programs: a picture in base64, numbers and counts`() throws {
    let bytes = Fixtures.bytes("tags-old.ogg")
    let tags = try AudioFile(source: AwkwardSource(bytes)).information.tags
    #expect([tags.discNumber, tags.discCount, tags.trackNumber, tags.trackCount] == [1, 2, 3, 12])
    let artwork = try #require(tags.artwork.first)
    #expect(artwork.mimeType == "image/png" && artwork.isBase64 && !artwork.isBase64Block)
    let range = Int(artwork.byteOffset)..<Int(artwork.byteOffset) + artwork.byteCount
    let text = `Ogg`.withoutPageHeaders(bytes, range)
    #expect(text.count == (Fixtures.bytes("picture.png").count + 30000 + 2) / 3 * 4)
    #expect(text.starts(with: Array("iVBORw0KGgo".utf8)))
  }

  // MARK: Several values

  @Test func `several values stay apart with any content; the words are joined`() {
    var tags = TrackTags()
    tags.add(["One; Two", "Three", "One; Two", ""], named: "artist")
    #expect(tags.artist == "One; Two; Three" && tags.artists == ["One; Two", "Three"])
    tags.add("Four", named: "ARTIST")
    #expect(tags.artist == "One; Two; Three; Four" && tags.artists == ["One; Two", "Three", "Four"])
    // One value takes no list, and `ARTISTS` names the people before any other.
    tags.add("Solo", named: "composer")
    #expect(tags.composers == ["Solo"] && tags.fields[.composer] == [])
    tags.add(["X", "Y"], named: "Artists")
    #expect(tags.artists == ["X", "Y"] && tags.artist == "One; Two; Three; Four")
    #expect(TrackTags().artists == [] && TrackTags().genres == [])
  }

  @Test(arguments: [2, 3, 4] as [UInt8]) func `ID3 has a slash between people until 2.3, and none within a name`(
    version: UInt8
  ) {
    func artists(_ text: String) -> TrackTags {
      Tags.tags(before: Synthesis.id3v2(version, [(version == 2 ? "TP1" : "TPE1", Synthesis.latin1(text))]))
    }
    let two = artists("Anna Alpha/Bert Beta")
    #expect(two.artists == (version == 4 ? ["Anna Alpha/Bert Beta"] : ["Anna Alpha", "Bert Beta"]))
    #expect(two.artist == "Anna Alpha/Bert Beta")
    for name in ["AC/DC", "Au/Ra", "M/A/R/R/S", "Anna Alpha/K"] { #expect(artists(name).artists == [name]) }
    let titleField = (version == 2 ? "TT2" : "TIT2", Synthesis.latin1("Long/Name"))
    #expect(Tags.tags(before: Synthesis.id3v2(version, [titleField])).title == "Long/Name")
  }

  @Test func `lists are taken from a second tag only where its words are the same`() {
    var first = TrackTags()
    first.artist = "A & B"
    var second = TrackTags()
    second.add(["A", "B"], named: "ARTISTS")
    second.add("x", named: "MOOD")
    #expect(first.filled(from: second).artists == ["A", "B"])
    second.artist = "C"
    #expect(first.filled(from: second).artists == ["A & B"] && first.filled(from: second).fields[.moods] == ["x"])
  }

  @Test func `values without end neither take the memory nor the time of an attack`() {
    let many = Array((0..<20000).map { "\($0)" }.joined(separator: "\0").utf8)
    let tags = Tags.tags(before: Synthesis.id3v2(4, [("TPE1", [3] + many.prefix(60000))]))
    #expect(tags.artists.count <= TrackTags.Fields.maximumValueCount)
  }

  @Test func `small tags take little memory, for queues of many entries`() {
    #expect(MemoryLayout<TrackTags.Fields>.size == MemoryLayout<Int>.size)
    #expect(MemoryLayout<TrackTags>.stride <= 512)
  }

  // MARK: ID3

  @Test func `ID3v2.2 has sort names, identifiers, people and words with times, too`() {
    let identifier = Array("http://musicbrainz.org\0id".utf8)
    let other = Array("http://example.org\0no".utf8)
    let words = [0] + Array("eng".utf8) + [2, 1, 0] + Array("Line\0".utf8) + [0, 0, 3, 0xe8]
    let fields = [
      ("TSP", Synthesis.latin1("A, B")), ("TCP", Synthesis.latin1("1")), ("UFI", other), ("UFI", identifier),
      ("IPL", Synthesis.latin1("mix\0Eve\0DJ-mix\0Max\0flute\0Jo\0")), ("SLT", words),
      ("TRC", Synthesis.latin1("ISRC")), ("TOR", Synthesis.latin1("1980")), ("TCO", Synthesis.latin1("/0")),
    ]
    let tags = Tags.tags(before: Synthesis.id3v2(2, fields))
    #expect(tags.fields.first(.artistSort) == "A, B" && tags.isCompilation && tags.isrc == "ISRC")
    #expect(tags.fields[.recordingID] == ["id"] && tags.fields[.originalDate] == ["1980"])
    #expect(tags.fields[.mixers] == ["Eve"] && tags.fields[.djMixers] == ["Max"])
    #expect(tags.fields[.performers] == ["Jo (flute)"] && tags.genres == ["Blues"])
    #expect(tags.syncedLyrics == "[00:01.000]Line")
  }

  @Test(arguments: [
    ("1999", "3112", "1999-12-31"), ("1999", "0105", "1999-05-01"), ("1999", "3113", "1999"), ("1999", "0000", "1999"),
    ("1999", "12", "1999"), ("99", "3112", "99"),
  ]) func `ID3v2.3 has the day and the month apart`(year: String, day: String, expected: String) {
    let fields = [("TDAT", Synthesis.latin1(day)), ("TYER", Synthesis.latin1(year))]
    #expect(Tags.tags(before: Synthesis.id3v2(3, fields)).date == expected)
  }

  /// Bytes of `SYLT`: unit of times, kind, pieces.
  private func words(_ pieces: [(String, UInt32)], unit: UInt8 = 2, kind: UInt8 = 1, isWide: Bool = false) -> String? {
    func text(_ text: String) -> [UInt8] {
      isWide ? text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + [0, 0] : Array(text.utf8) + [0]
    }
    let head = [isWide ? 2 : 3] + Array("eng".utf8) + [unit, kind] + text("Words")
    let field = pieces.reduce(head) { $0 + text($1.0) + Synthesis.bigEndian($1.1, 4) }
    return Tags.tags(before: Synthesis.id3v2(4, [("SYLT", field)])).syncedLyrics
  }

  @Test func `words with times become LRC: lines, or syllables within lines`() {
    #expect(words([("One", 0), ("", 500), ("Zwölf", 3_725_004)]) == "[00:00.000]One\n[00:00.500]\n[62:05.004]Zwölf")
    #expect(words([("Ön", 1), ("e", 2)], isWide: true) == "[00:00.001]Ön\n[00:00.002]e")
    // The specification's own example: a line feed begins a line.
    let syllables = [("Strang", 100), ("ers", 200), (" in", 300), ("\nOr", 1000), ("der", 1100)] as [(String, UInt32)]
    let first = "[00:00.100]<00:00.100>Strang<00:00.200>ers<00:00.300> in"
    #expect(words(syllables) == first + "\n[00:01.000]<00:01.000>Or<00:01.100>der")
    #expect(words([("One\n", 0), ("Two\n", 1000)]) == "[00:00.000]One\n[00:01.000]Two")
    // Times in MPEG frames, chords, nothing.
    #expect(words([("One", 0)], unit: 1) == nil && words([("C", 0)], kind: 5) == nil && words([]) == nil)
  }

  // MARK: WAVE, CAF, MPEG-4

  @Test func `WAVE's own list has as many fields as its ID3 chunk`() {
    let texts = [
      ("ICMT", "Words"), ("IMUS", "Dora"), ("IDSC", "1/2"), ("ILYC", "La"), ("IMED", "CD"), ("IPRO", "Ida"),
      ("IENG", "Eve"),
    ]
    let list = texts.flatMap { id, text -> [UInt8] in
      let bytes = Array(text.utf8) + [0]
      return Array(id.utf8) + Synthesis.littleEndian(UInt32(bytes.count)) + bytes + (bytes.count % 2 == 0 ? [] : [0])
    }
    let content = Array("INFO".utf8) + list
    let tags = RIFFInfo.tags(in: content.span.bytes, .little)
    #expect(tags.comment == "Words" && tags.composers == ["Dora"] && tags.lyrics == "La")
    #expect(tags.discNumber == 1 && tags.discCount == 2)
    #expect(tags.fields[.media] == ["CD"] && tags.fields[.producers] == ["Ida"] && tags.fields[.engineers] == ["Eve"])
  }

  @Test func `CAF has the names that all have in common`() {
    let strings = ["artist", "One", "artist", "Two", "MUSICBRAINZ_TRACKID", "id", "lyricist", "Frida", "tempo", "120"]
    let content = Synthesis.bigEndian(5, 4) + strings.flatMap { Array($0.utf8) + [0] }
    let tags = CAFInformation.tags(content.span.bytes)
    #expect(tags.artists == ["One", "Two"] && tags.fields[.recordingID] == ["id"])
    #expect(tags.fields[.lyricists] == ["Frida"] && tags.fields[.bpm] == ["120"])
  }

  @Test func `MPEG-4 has movements and free-form gains of any author`() throws {
    typealias Make = MPEG4Synthesis
    let tags = try `MPEG-4 tags`.tags(
      Make.itemList(
        Make.item("©mvn", Array("Allegro".utf8)), Make.item("©mvi", [0, 2], type: 21),
        Make.item("©mvc", [0, 4], type: 21), Make.item("cpil", [0], type: 21),
        Make.freeForm("replaygain_album_gain", "-3,25 dB"), Make.freeForm("REPLAYGAIN_ALBUM_PEAK", "nan")))
    #expect(tags.fields[.movement] == ["Allegro"] && tags.fields[.movementNumber] == ["2"])
    #expect(tags.fields[.movementCount] == ["4"] && !tags.isCompilation)
    #expect(tags.gain.album == -3.25 && tags.gain.albumPeak == nil)
  }
}
