internal import AudioModel

/// Collects the fields of one ID3v2 tag and makes sense of them together.
struct ID3Fields {
  /// The fields that are read.
  enum Name {
    case title, artist, album, albumArtist, track, disc, genre, composer, comment, length
    case recorded, year, dayAndMonth, released, originallyReleased

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
      case "TLEN", "TLE": self = .length
      case "TDRC": self = .recorded
      case "TYER", "TYE": self = .year
      case "TDAT", "TDA": self = .dayAndMonth
      case "TDRL": self = .released
      case "TDOR", "TORY", "TOR": self = .originallyReleased
      default: return nil
      }
    }
  }

  private var texts: [Name: String] = [:]
  private var genre: String?
  private var comment: (text: String, hasDescription: Bool)?

  /// Adds a field's content: a byte for the encoding, then text. The first of a name counts.
  mutating func add(_ name: Name, _ content: ArraySlice<UInt8>) {
    guard let encoding = content.first else { return }
    if name == .comment { return addComment(content.dropFirst(), encoding: encoding) }
    let values = TagText.id3(content.dropFirst(), encoding: encoding)
    if name == .genre {
      genre = genre ?? TagText.joined(values.map(ID3Genre.resolved))
    } else if texts[name] == nil {
      texts[name] = TagText.joined(values)
    }
  }

  /// Language, a short description, the text. One without description is the listener's, others are programs'.
  private mutating func addComment(_ content: ArraySlice<UInt8>, encoding: UInt8) {
    let values = TagText.id3(content.dropFirst(3), encoding: encoding)
    let description = values.first ?? ""
    guard let text = TagText.joined(Array(values.dropFirst())), !description.hasPrefix("iTun") else { return }
    if comment == nil || comment?.hasDescription == true && description.isEmpty {
      comment = (text, !description.isEmpty)
    }
  }

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
    tags.date = texts[.recorded] ?? date23 ?? texts[.released] ?? texts[.originallyReleased]
    if let track = texts[.track] { (tags.trackNumber, tags.trackCount) = TrackTags.numberAndCount(track) }
    if let disc = texts[.disc] { (tags.discNumber, tags.discCount) = TrackTags.numberAndCount(disc) }
    tags.claimedMilliseconds = texts[.length].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return tags
  }

  /// Until 2.3 the year stands by itself and the day as DDMM.
  private var date23: String? {
    guard let year = texts[.year] else { return nil }
    guard year.utf8.count == 4, let day = texts[.dayAndMonth], day.utf8.count == 4, Int(day) != nil else { return year }
    return "\(year)-\(day.suffix(2))-\(day.prefix(2))"
  }
}
