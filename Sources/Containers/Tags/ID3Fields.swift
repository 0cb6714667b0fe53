internal import AudioModel

/// Collects the fields of one ID3v2 tag and makes sense of them together.
struct ID3Fields {
  /// The fields that are read.
  enum Name {
    case title, artist, album, albumArtist, track, disc, genre, composer, comment, copyright, length
    case recorded, year, dayAndMonth, released, originallyReleased
    case lyrics, userText, relativeVolume, picture, chapter

    /// By the field's name in any version.
    init?(_ id: String) {
      switch id {
      case "TIT2", "TT2": self = .title
      case "TPE1", "TP1": self = .artist
      case "TALB", "TAL": self = .album
      case "TPE2", "TP2": self = .albumArtist
      case "TRCK", "TRK": self = .track
      case "TPOS", "TPA": self = .disc
      case "TCON", "TCO": self = .genre
      case "TCOM", "TCM": self = .composer
      case "COMM", "COM": self = .comment
      case "TCOP", "TCR": self = .copyright
      case "TLEN", "TLE": self = .length
      case "TDRC": self = .recorded
      case "TYER", "TYE": self = .year
      case "TDAT", "TDA": self = .dayAndMonth
      case "TDRL": self = .released
      case "TDOR", "TORY", "TOR": self = .originallyReleased
      case "USLT", "ULT": self = .lyrics
      case "TXXX", "TXX": self = .userText
      case "RVA2": self = .relativeVolume
      case "APIC", "PIC": self = .picture
      case "CHAP": self = .chapter
      default: return nil
      }
    }
  }

  private var texts: [Name: String] = [:]
  private var genre: String?
  private var comment: (text: String, hasDescription: Bool)?
  private var lyrics: String?
  /// What fields of any name say, pictures, chapters.
  private var others = TrackTags()
  /// From `RVA2`, which is weaker than ReplayGain by name.
  private var volume = TrackTags()
  /// What iTunes says of an MP3's first and last frames.
  private(set) var gapless: GaplessInformation?

  /// Adds a field's content: a byte for the encoding, then text. The first of a name counts.
  mutating func add(_ name: Name, _ content: ArraySlice<UInt8>) {
    guard let encoding = content.first else { return }
    if name == .relativeVolume { return addVolume(content) }
    // A language of three characters, for some.
    let isInLanguage = name == .comment || name == .lyrics
    let values = TagText.id3(content.dropFirst(isInLanguage ? 4 : 1), encoding: encoding)
    switch name {
    case .comment: addComment(values)
    case .lyrics: lyrics = lyrics ?? TagText.joined(Array(values.dropFirst()))
    case .userText: others.add(TagText.joined(Array(values.dropFirst())) ?? "", named: values.first ?? "")
    case .genre: genre = genre ?? TagText.joined(values.map(ID3Genre.resolved))
    default: texts[name] = texts[name] ?? TagText.joined(values)
    }
  }

  /// A short description, the text. One without description is the listener's, others are programs'.
  private mutating func addComment(_ values: [String]) {
    let description = values.first ?? ""
    guard let text = TagText.joined(Array(values.dropFirst())) else { return }
    if description == "iTunSMPB" { gapless = gapless ?? GaplessInformation(text) }
    guard !description.hasPrefix("iTun") else { return }
    if comment == nil || comment?.hasDescription == true && description.isEmpty {
      comment = (text, !description.isEmpty)
    }
  }

  // RVA2: a name, zero; for each channel its kind u8 (1: all of them), gain i16 in 512ths of a decibel, bits of the
  // peak u8, the peak.
  private mutating func addVolume(_ content: ArraySlice<UInt8>) {
    guard let end = content.firstIndex(of: 0) else { return }
    let isAlbum = TagText.latin1(content[..<end]).lowercased() == "album"
    var rest = content[(end + 1)...]
    while rest.count >= 4 {
      let fields = Array(rest.prefix(4))
      let gain = Double(Int16(bitPattern: UInt16(fields[1]) << 8 | UInt16(fields[2]))) / 512
      if fields[0] == 1 {
        volume.gain.track = isAlbum ? volume.gain.track : volume.gain.track ?? gain
        volume.gain.album = isAlbum ? volume.gain.album ?? gain : volume.gain.album
      }
      rest = rest.dropFirst(4 + (Int(fields[3]) + 7) / 8)
    }
  }

  mutating func addArtwork(_ artwork: TrackTags.Artwork) {
    if artwork.byteCount > 0, others.artwork.count < Self.maximumArtworkCount { others.artwork.append(artwork) }
  }

  // CHAP: a name, zero; start and end in ms u32, and as offsets u32; then fields.
  mutating func addChapter(_ content: ArraySlice<UInt8>, version: UInt8) {
    guard let end = content.firstIndex(of: 0), content.endIndex - end > 16,
      others.chapters.count < Self.maximumChapterCount
    else { return }
    let start = content[(end + 1)...].prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    var rest = content[(end + 17)...]
    var title: String?
    let headerByteCount = ID3v2Reader.FieldHeader.byteCount(version)
    while title == nil, rest.count >= headerByteCount,
      let field = ID3v2Reader.FieldHeader(Array(rest.prefix(headerByteCount)).span.bytes, version: version)
    {
      let text = rest.dropFirst(headerByteCount).prefix(field.byteCount)
      if Name(field.id) == .title, field.isReadable, let encoding = text.first {
        title = TagText.joined(TagText.id3(text.dropFirst(), encoding: encoding))
      }
      rest = rest.dropFirst(headerByteCount).dropFirst(field.byteCount)
    }
    others.chapters.append(TrackTags.Chapter(start: Double(start) / 1000, title: title ?? ""))
  }

  private static let maximumArtworkCount = 64
  private static let maximumChapterCount = 4096

  /// What they say.
  var tags: TrackTags {
    var tags = TrackTags()
    tags.title = texts[.title]
    tags.artist = texts[.artist]
    tags.album = texts[.album]
    tags.albumArtist = texts[.albumArtist]
    tags.composer = texts[.composer]
    tags.genre = genre
    tags.comment = comment?.text
    tags.copyright = texts[.copyright]
    tags.lyrics = lyrics
    tags.date = texts[.recorded] ?? date23 ?? texts[.released] ?? texts[.originallyReleased]
    if let track = texts[.track] { (tags.trackNumber, tags.trackCount) = TrackTags.numberAndCount(track) }
    if let disc = texts[.disc] { (tags.discNumber, tags.discCount) = TrackTags.numberAndCount(disc) }
    tags.claimedMilliseconds = texts[.length].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    tags.fill(from: others)
    tags.fill(from: volume)
    // In the order of time, whatever the table of contents (`CTOC`) shows of them.
    tags.chapters.sort { $0.start < $1.start }
    return tags
  }

  /// Until 2.3 the year stands by itself and the day as DDMM.
  private var date23: String? {
    guard let year = texts[.year] else { return nil }
    guard year.utf8.count == 4, let day = texts[.dayAndMonth], day.utf8.count == 4, Int(day) != nil else { return year }
    return "\(year)-\(day.suffix(2))-\(day.prefix(2))"
  }
}
