import AudioModel
import Containers
import Testing

/// Tags besides texts: loudness, lyrics, pictures, chapters, frames to trim.
@Suite struct `Tag fields` {
  private typealias Field = (String, [UInt8])

  private static func userText(_ name: String, _ value: String) -> Field {
    ("TXXX", Synthesis.latin1("\(name)\0\(value)"))
  }

  @Test func `of a name that is known elsewhere count there (ReplayGain)`() {
    let fields = [
      Self.userText("replaygain_track_gain", "-6.54 dB"), Self.userText("REPLAYGAIN_TRACK_PEAK", "0.988"),
      Self.userText("REPLAYGAIN_ALBUM_GAIN", "+1.5 dB"), Self.userText("TITLE", "weak"),
      ("TIT2", Synthesis.latin1("strong")),
    ]
    for version in [3, 4] as [UInt8] {
      let tags = Tags.tags(before: Synthesis.id3v2(version, fields))
      #expect(tags.gain.track == -6.54 && tags.gain.trackPeak == 0.988 && tags.gain.album == 1.5)
      #expect(tags.title == "strong")
    }
  }

  @Test func `for relative volumes are weaker than those by name`() {
    func volume(_ name: String, _ gain: Int16) -> Field {
      let bits = UInt16(bitPattern: gain)
      // Another channel first, with a peak of 12 bits.
      return ("RVA2", Array("\(name)\0".utf8) + [2, 0, 1, 12, 9, 9, 1, UInt8(bits >> 8), UInt8(bits & 255), 16, 1, 2])
    }
    let both = Synthesis.id3v2(4, [volume("track", -3 * 512), volume("album", 256)])
    #expect(Tags.tags(before: both).gain.track == -3 && Tags.tags(before: both).gain.album == 0.5)
    let named = Synthesis.id3v2(4, [volume("x", 512), Self.userText("REPLAYGAIN_TRACK_GAIN", "2 dB")])
    #expect(Tags.tags(before: named).gain.track == 2 && Tags.tags(before: named).gain.album == nil)
    #expect(Tags.tags(before: Synthesis.id3v2(4, [("RVA2", [0x61, 0, 1, 2])])).gain == TrackTags.Gain())
  }

  @Test func `hold lyrics and a copyright`() {
    let words = "eng" + "Verse\0One\nTwo"
    let fields = [("USLT", [0] + Array(words.utf8)), ("TCOP", Synthesis.latin1("1999 Me"))]
    let tags = Tags.tags(before: Synthesis.id3v2(3, fields))
    #expect(tags.lyrics == "One\nTwo" && tags.copyright == "1999 Me")
    let old = Synthesis.id3v2(2, [("ULT", [0] + Array(words.utf8)), ("TCR", Synthesis.latin1("c"))])
    #expect(Tags.tags(before: old).lyrics == "One\nTwo" && Tags.tags(before: old).copyright == "c")
  }

  // MARK: Pictures

  /// All that could be taken for a size, a field or unsynchronisation.
  private static let picture = (0..<70000).map { UInt8(truncatingIfNeeded: $0 % 7 == 0 ? 0xff : $0 % 5 == 0 ? 0 : $0) }

  private static func bytes(of artwork: TrackTags.Artwork, in file: [UInt8]) -> [UInt8]? {
    artwork.picture(in: Array(file[Int(artwork.byteOffset)...].prefix(artwork.byteCount)))
  }

  struct Form: Sendable, CustomStringConvertible {
    var version: UInt8
    var flags: UInt8 = 0
    var head: [UInt8]
    var mimeType = "image/png"
    var sizesArePlain = false
    var description: String { "2.\(version), flags \(flags), plain \(sizesArePlain), \(head)" }
  }

  @Test(arguments: [
    Form(version: 2, head: [0] + Array("PNG\u{3}Front\0".utf8)),
    Form(
      version: 2, flags: 0x80, head: [1] + Array("JPG\u{3}".utf8) + [0xff, 0xfe, 0x61, 0, 0, 0],
      mimeType: "image/jpeg"),
    Form(version: 3, head: [0] + Array("image/png\0\u{3}\0".utf8)),
    Form(version: 3, flags: 0x80, head: [1] + Array("image/png\0\u{3}".utf8) + [0xff, 0xfe, 0, 1, 0, 0]),
    Form(version: 4, head: [3] + Array("image/png\0\u{3}é\0".utf8)),
    Form(version: 4, flags: 0x80, head: [2] + Array("image/png\0\u{3}".utf8) + [0, 0]),
    Form(version: 4, head: [0] + Array("image/png\0\u{3}\0".utf8), sizesArePlain: true),
    Form(version: 3, head: [0] + Array("\0\u{3}\0".utf8), mimeType: "image/jpeg"),
  ]) func `locate pictures to the byte in any form of ID3v2`(form: Form) throws {
    for picture in [Self.picture, [0x50], Array(Self.picture.prefix(5000))] {
      let isGuarded = form.version == 4 && form.flags & 0x80 != 0
      let content = form.head + picture
      let title = Synthesis.utf16("t")
      let tag = Synthesis.id3v2(
        form.version,
        [
          (form.version == 2 ? "PIC" : "APIC", isGuarded ? Synthesis.unsynchronised(content) : content),
          (form.version == 2 ? "TT2" : "TIT2", isGuarded ? Synthesis.unsynchronised(title) : title),
        ], flags: form.flags, padding: 30, sizesArePlain: form.sizesArePlain)
      let tags = Tags.tags(before: tag)
      let artwork = try #require(tags.artwork.first)
      #expect(tags.artwork.count == 1 && tags.title == "t" && artwork.mimeType == form.mimeType)
      #expect(artwork.isUnsynchronised == (form.flags & 0x80 != 0))
      let isSame = Self.bytes(of: artwork, in: tag) == picture
      #expect(isSame)
    }
  }

  @Test func `locate several pictures, at the end too, and no links`() throws {
    let head = [0] + Array("image/jpeg\0\u{3}\0".utf8)
    let link = [0] + Array("-->\0\u{3}\0http://example.org/a.png".utf8)
    let tag = Synthesis.id3v2(4, [("APIC", head + [1, 2, 3]), ("APIC", link), ("APIC", head + [4, 5])], flags: 0x10)
    for (before, behind) in [(tag, []), ([], tag)] {
      let artwork = Tags.tags(before: before, behind: behind).artwork
      let file = before + Tags.audio + behind
      #expect(artwork.map { Self.bytes(of: $0, in: file) } == [[1, 2, 3], [4, 5]])
    }
    // One that ends before it begins.
    #expect(Tags.tags(before: Synthesis.id3v2(3, [("APIC", [0, 0x61])])).artwork == [])
    #expect(Tags.tags(before: Synthesis.id3v2(3, [("APIC", head)])).artwork == [])
  }

  @Test(arguments: [true, false]) func `locate the pictures of APE tags`(hasHeader: Bool) throws {
    let image = Array(Self.picture.prefix(3000))
    let items: [(String, [UInt8], flags: UInt32)] = [
      ("Cover Art (Front)", Array("front.PNG\0".utf8) + image, flags: 2),
      ("Cover Art (Back)", Array("back.jpg\0".utf8) + [1, 2], flags: 2), ("Nothing", Array("a\0b".utf8), flags: 2),
      ("REPLAYGAIN_TRACK_GAIN", Array("-1.25 dB".utf8), flags: 0), ("Title", Array("Ape".utf8), flags: 0),
    ]
    let bytes = Tags.audio + Synthesis.ape(items, hasHeader: hasHeader)
    let tags = try AudioFile(source: AwkwardSource(bytes)).information.tags
    #expect(tags.title == "Ape" && tags.gain.track == -1.25)
    #expect(tags.artwork.map(\.mimeType) == ["image/png", "image/jpeg"])
    #expect(tags.artwork.map(\.kind) == [.frontCover, .other])
    let isSame = tags.artwork.map { Self.bytes(of: $0, in: bytes) } == [image, [1, 2]]
    #expect(isSame)
    if hasHeader { #expect(Tags.tags(behind: Synthesis.ape(items)).artwork == tags.artwork) }
  }

  @Test(arguments: [true, false]) func `read the text of tags at the end beside pictures of any size`(hasHeader: Bool)
    throws
  {
    let image = [0xff, 0xd8] + [UInt8](repeating: 0x55, count: 2 << 20)
    let ape = Synthesis.ape(
      [
        ("Title", Array("Ape".utf8), flags: 0), ("Cover Art (Front)", Array("f.jpg\0".utf8) + image, flags: 2),
        ("Comment", [UInt8](repeating: 0x61, count: 40000), flags: 0),
        ("Cover Art (Back)", Array("b.jpg\0".utf8) + image, flags: 2),
        ("REPLAYGAIN_TRACK_GAIN", Array("-1.25 dB".utf8), flags: 0),
      ], hasHeader: hasHeader)
    let id3 = Synthesis.id3v2(
      4, [("PRIV", image), ("TALB", Synthesis.latin1("Album"))], flags: 0x10)
    let source = AwkwardSource(Tags.audio + id3 + ape + Synthesis.id3v1(title: "Old", artist: "One"))
    for tags in [try TrackTags.readable(source), try AudioFile(source: source).information.tags] {
      #expect(tags.title == "Ape" && tags.artist == "One" && tags.album == "Album" && tags.gain.track == -1.25)
      #expect(tags.comment?.count == 40000)
      #expect(tags.artwork.map(\.byteCount) == [image.count, image.count])
    }
  }

  @Test func `read the tag that the header of a DSF file points to`() throws {
    let image = [0xff, 0xd8] + [UInt8](repeating: 0x55, count: 100_000)
    let tag = Synthesis.id3v2(
      4, [("APIC", [0] + Array("image/jpeg\0\u{3}\0".utf8) + image), ("TPE1", Synthesis.utf8("One\0Two"))])
    let audio = [UInt8](repeating: 0x69, count: 1000)
    func file(_ place: UInt32, _ high: UInt32 = 0) -> [UInt8] {
      Array("DSD ".utf8) + [28, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
        + Synthesis.littleEndian(place) + Synthesis.littleEndian(high) + audio + tag
    }
    let bytes = file(1028)
    let tags = try TrackTags.readable(AwkwardSource(bytes))
    #expect(tags.artist == "One; Two")
    let isSame = tags.artwork.map { Self.bytes(of: $0, in: bytes) } == [image]
    #expect(isSame)
    for (place, high) in [(0, 0), (4, 0), (900_000, 0), (1028, 0x8000_0000), (.max, .max)] as [(UInt32, UInt32)] {
      #expect(try TrackTags.readable(AwkwardSource(file(place, high))) == TrackTags())
    }
  }

  @Test(arguments: [0, 1, 1000]) func `read the ID3 chunk of DSDIFF, wherever it is`(padding: Int) throws {
    let tag = Synthesis.id3v2(4, [("TPE1", Synthesis.utf8("One\0Two"))], padding: padding)
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + Synthesis.bigEndian(0, 4) + Synthesis.bigEndian(UInt32(content.count), 4) + content
        + [UInt8](repeating: 0, count: content.count % 2)
    }
    let form = Array("FRM8".utf8) + [UInt8](repeating: 0, count: 8) + Array("DSD ".utf8)
    func file(_ chunks: [UInt8]) -> [UInt8] { form + chunks }
    let (audio, mark) = (chunk("DSD ", [UInt8](repeating: 0x69, count: 999)), chunk("ID3 ", tag))
    for bytes in [file(audio + mark), file(mark + audio), file(mark)] {
      #expect(try TrackTags.readable(AwkwardSource(bytes)).artist == "One; Two")
      for count in 0..<bytes.count { _ = try TrackTags.readable(AwkwardSource(Array(bytes[..<count]))) }
    }
    // The artist and the title of the edited master, where the other tag has none.
    func text(_ text: String, count: Int? = nil) -> [UInt8] {
      Synthesis.bigEndian(UInt32(count ?? text.utf8.count), 4) + text.utf8
    }
    let (artist, title) = (chunk("DIAR", text("Trio")), chunk("DITI", text("Suite", count: 99)))
    let edited = chunk("DIIN", chunk("EMID", [1]) + artist + title)
    for bytes in [file(audio + edited + mark), file(edited + audio + mark)] {
      let tags = try TrackTags.readable(AwkwardSource(bytes))
      #expect(tags.artist == "One; Two" && tags.title == "Suite")
      for count in 0..<bytes.count { _ = try TrackTags.readable(AwkwardSource(Array(bytes[..<count]))) }
    }
    #expect(try TrackTags.readable(AwkwardSource(file(edited))).artist == "Trio")
    let odd = chunk("DIIN", chunk("DIAR", [0, 0, 0]) + chunk("DITI", text("", count: .max >> 32)))
    #expect(try TrackTags.readable(AwkwardSource(file(odd))) == TrackTags())
    let huge = Array("DSD ".utf8) + [UInt8](repeating: 0xff, count: 8)
    #expect(try TrackTags.readable(AwkwardSource(file(huge + mark))) == TrackTags())
    #expect(try TrackTags.readable(AwkwardSource(mark + audio)) == TrackTags())
  }

  // MARK: Chapters

  @Test func `give chapters in order of time`() {
    func chapter(_ start: UInt32, _ title: [UInt8]?, _ version: UInt8, more: [UInt8] = []) -> Field {
      let field = title.map { text in
        Array("TIT2".utf8)
          + (version == 4 ? Synthesis.synchsafe(text.count) : Synthesis.bigEndian(UInt32(text.count), 4))
          + [0, 0] + text
      }
      let times =
        Synthesis.bigEndian(start, 4) + Synthesis.bigEndian(start + 1000, 4) + [UInt8](repeating: 0xff, count: 8)
      return ("CHAP", Array("ch\(start)\0".utf8) + times + (field ?? []) + more)
    }
    for version in [3, 4] as [UInt8] {
      let fields = [
        ("CTOC", Array("toc\0".utf8) + [3, 1] + Array("ch0\0".utf8)),
        chapter(1250, Synthesis.utf16("Zwölf"), version, more: [UInt8](repeating: 1, count: 9000)),
        chapter(0, Synthesis.latin1("One"), version), chapter(90000, nil, version), ("CHAP", [0x61, 0, 0, 0]),
      ]
      #expect(
        Tags.tags(before: Synthesis.id3v2(version, fields)).chapters == [
          TrackTags.Chapter(start: 0, title: "One"), TrackTags.Chapter(start: 1.25, title: "Zwölf"),
          TrackTags.Chapter(start: 90, title: ""),
        ])
    }
  }

  // MARK: Audio

  /// 3 packets are 3456 frames; decoders of layer III are 529 late.
  @Test(
    arguments: [
      (" 00000000 00000210 000003E8 0000000000000788 00000000 00001234", (1057, 1928, 471)),
      // Less behind than the decoder is late.
      (" 0 210 64 B0C", (1057, 2399, 0)),
      // No whole packets; no number.
      (" 0 210 3E8 789", nil), (" 0 210 3E8", nil),
    ] as [(String, (Int, Int64, Int)?)])
  func `give the trim of an MP3 by iTunes`(text: String, expected: (Int, Int64, Int)?) throws {
    let tag = Synthesis.id3v2(3, [("COMM", [0] + Array("engiTunSMPB\0\(text)".utf8))])
    let table = expected.map { AudioFilePacketTableInfo(validFrames: $1, primingFrames: $0, remainderFrames: $2) }
    let bytes = tag + Tags.audio
    #expect(pushed(bytes).1.information.packetTable == table)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try file.advanceIndex())
    #expect(file.information.packetTable == table)
    #expect(file.information.duration == Double(table?.validFrames ?? 3456) / 44100)
    // LAME knows better, and a header that counts other packets does not agree.
    let lame = Synthesis.xing(packetCount: 3, byteCount: 4 * 417, delay: 576, padding: 1000)
    #expect(
      try AudioFile(source: AwkwardSource(tag + lame + Tags.audio)).information.packetTable?.primingFrames == 1105)
    let other = Synthesis.xing(packetCount: 4, byteCount: nil)
    #expect(try AudioFile(source: AwkwardSource(tag + other + Tags.audio)).information.packetTable == nil)
  }
}
