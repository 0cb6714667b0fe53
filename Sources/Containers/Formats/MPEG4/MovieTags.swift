internal import AudioModel

/// The tags in `udta` and `meta`: iTunes' item list, QuickTime's and 3GPP's texts, Nero's chapters.
struct MovieTags {
  private(set) var tags = TrackTags()
  private(set) var gapless: GaplessInformation?
  /// Names of items that are only numbered (`keys`).
  private var keys: [String] = []
  /// From texts that are weaker than the item list.
  private var texts = TrackTags()

  /// All of it.
  var merged: TrackTags { tags.filled(from: texts) }

  // MARK: The item list

  /// An item of `ilst`, pictures aside: boxes `data`, and in free-form ones `mean` and `name` before.
  mutating func readItem(_ type: String, _ content: RawSpan) {
    var name = ""
    var values: [[UInt8]] = []
    var texts: [String] = []
    content.forEachBox { type, content in
      // data: type u32, language u32, value; name: version, flags, text.
      if type == "name", content.byteCount > 4 {
        name = String(decoding: content.copy(4..<content.byteCount), as: UTF8.self)
      } else if type == "data", content.byteCount > 8 {
        guard values.count < TrackTags.Fields.maximumValueCount else { return }
        let value = content.copy(8..<content.byteCount)
        values.append(value)
        texts.append(TagText.mpeg4(value, isUTF16: content.bigEndian32(at: 0) == 2))
      }
    }
    guard let first = values.first else { return }
    switch type {
    case "trkn": (tags.trackNumber, tags.trackCount) = numberAndCount(first)
    case "disk": (tags.discNumber, tags.discCount) = numberAndCount(first)
    case "gnre":
      if let genre = ID3Genre.name(number(first) - 1) { self.texts.add(genre, named: "GENRE") }
    case "cpil", "tmpo", "©mvi", "©mvc":
      if number(first) > 0, let name = Self.itemNames[type] { tags.add(String(number(first)), named: name) }
    default:
      if type == "----", name == "iTunSMPB" {
        gapless = gapless ?? texts.first.flatMap(GaplessInformation.init)
      } else if let name = type == "----" ? name : Self.itemNames[type] ?? key(type) {
        tags.add(texts, named: name)
      }
    }
  }

  /// An integer of up to four bytes.
  private func number(_ value: [UInt8]) -> Int { value.count <= 4 ? value.reduce(0) { $0 << 8 | Int($1) } : 0 }

  private static let itemNames = [
    "©nam": "TITLE", "©ART": "ARTIST", "aART": "ALBUMARTIST", "©alb": "ALBUM", "©day": "DATE", "©gen": "GENRE",
    "©wrt": "COMPOSER", "©cmt": "COMMENT", "©lyr": "LYRICS", "cprt": "COPYRIGHT",
    "©cpy": "COPYRIGHT",
  ].merging(TrackTags.Fields.Name.rows(by: \.mpeg4).mapValues { $0.common[0] }) { first, _ in first }

  // trkn, disk: 0 u16, number u16, count u16.
  private func numberAndCount(_ value: [UInt8]) -> (Int?, Int?) {
    func number(_ offset: Int) -> Int? {
      guard value.count >= offset + 2 else { return nil }
      let number = Int(value[offset]) << 8 | Int(value[offset + 1])
      return number > 0 ? number : nil
    }
    return (number(2), number(4))
  }

  /// keys: version, flags, count u32; for each its size u32, namespace, name (QuickTime metadata).
  mutating func readKeys(_ content: RawSpan) {
    guard content.byteCount >= 8, keys.isEmpty else { return }
    content.forEachBox(from: 8) { _, name in keys.append(String(decoding: name.copy(0..<name.byteCount), as: UTF8.self))
    }
  }

  private func key(_ type: String) -> String? {
    let number = type.unicodeScalars.reduce(0) { $0 << 8 | Int($1.value) }
    guard keys.indices ~= number - 1 else { return nil }
    let key = keys[number - 1]
    return key.lastIndex(of: ".").map { String(key[key.index(after: $0)...]) } ?? key
  }

  /// A picture of so many bytes at `byteOffset`, whose `data` begins with `content`.
  mutating func addArtwork(at byteOffset: Int64, byteCount: Int64, content: RawSpan) {
    guard let byteCount = Int(exactly: byteCount), byteCount > 0, tags.artwork.count < Self.maximumArtworkCount else {
      return
    }
    let mimeType =
      switch content.bigEndian32(at: 0) {
      case 14: "image/png"
      case 27: "image/bmp"
      case 0 where content.bigEndian32(at: 8) == 0x8950_4e47: "image/png"
      default: "image/jpeg"
      }
    tags.artwork.append(TrackTags.Artwork(byteOffset: byteOffset, byteCount: byteCount, mimeType: mimeType))
  }

  private static let maximumArtworkCount = 64

  // MARK: Texts in `udta`

  /// QuickTime: texts one after the other, each with its size u16 and language u16; the first is taken.
  mutating func readQuickTimeText(_ type: String, _ content: RawSpan) {
    guard let name = Self.itemNames[type] ?? (type == "©aut" ? "ARTIST" : nil), content.byteCount > 4 else { return }
    let end = min(content.byteCount, 4 + Int(content.bigEndian16(at: 0)))
    texts.add(TagText.mpeg4(content.copy(4..<end)), named: name)
  }

  /// 3GPP TS 26.244 8: version, flags, language u16, text; after an album's name the track's number.
  mutating func read3GPPText(_ type: String, _ content: RawSpan) {
    if type == "yrrc", content.byteCount >= 6 { texts.add(String(content.bigEndian16(at: 4)), named: "DATE") }
    guard let name = Self.names3GPP[type], content.byteCount > 6 else { return }
    let value = content.copy(6..<content.byteCount)
    texts.add(TagText.mpeg4(value), named: name)
    // UTF-8 ends with one zero.
    if type == "albm", let end = value.firstIndex(of: 0), value.count == end + 2, value[end + 1] > 0 {
      texts.trackNumber = Int(value[end + 1])
    }
  }

  private static let names3GPP = [
    "titl": "TITLE", "perf": "ARTIST", "auth": "COMPOSER", "albm": "ALBUM", "gnre": "GENRE", "dscp": "COMMENT",
  ]

  /// Nero's chapters: version, flags, in version 1 four bytes more; count u8; each with a time in 100 ns u64 and a name
  /// with its size u8.
  mutating func readChapters(_ content: RawSpan) {
    var position = content.byteCount > 0 && content[0] == 1 ? 9 : 5
    guard tags.chapters.isEmpty else { return }
    while content.byteCount - position >= 9 {
      let start = Double(content.bigEndian64(at: position)) / 10_000_000
      let nameEnd = position + 9 + Int(content[position + 8])
      guard nameEnd <= content.byteCount else { return }
      let title = TagText.mpeg4(content.copy(position + 9..<nameEnd))
      addChapter(at: start, title: title)
      position = nameEnd
    }
  }

  mutating func removeChapters() { tags.chapters = [] }

  /// Adds one that is the last so far.
  mutating func addChapter(at start: Double, title: String) {
    tags.chapters.append(TrackTags.Chapter(start: start, title: title))
  }
}

extension TagText {
  /// Text up to a zero: UTF-16 where told or marked, UTF-8 where it is that, else Mac OS Roman.
  static func mpeg4(_ bytes: [UInt8], isUTF16: Bool = false) -> String {
    if isUTF16 || bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe]) {
      return id3(bytes[...], encoding: 2).first ?? ""
    }
    let text = bytes.prefix { $0 != 0 }
    return String(validating: text, as: UTF8.self)
      ?? String(text.map { $0 < 0x80 ? Character(Unicode.Scalar($0)) : macRoman[Int($0) - 0x80] })
  }

  private static let macRoman = Array(
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
      + "¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ")
}
