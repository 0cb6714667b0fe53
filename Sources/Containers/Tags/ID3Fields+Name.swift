internal import AudioModel

extension ID3Fields {
  /// The fields that are read.
  enum Name: Hashable {
    case title, artist, album, albumArtist, track, disc, genre, composer, comment, copyright, length, isrc
    case recorded, year, dayAndMonth, released, originallyReleased
    case lyrics, syncedLyrics, userText, relativeVolume, picture, chapter, identifier
    /// Pairs of a role and a name.
    case people
    /// A text with its own field.
    case field(TrackTags.Fields.Name)

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
      case "TSRC", "TRC": self = .isrc
      case "TDRC": self = .recorded
      case "TYER", "TYE": self = .year
      case "TDAT", "TDA": self = .dayAndMonth
      case "TDRL": self = .released
      case "TDOR", "TORY", "TOR", "XDOR": self = .originallyReleased
      case "USLT", "ULT": self = .lyrics
      case "SYLT", "SLT": self = .syncedLyrics
      case "TXXX", "TXX": self = .userText
      case "RVA2": self = .relativeVolume
      case "APIC", "PIC": self = .picture
      case "CHAP": self = .chapter
      case "UFID", "UFI": self = .identifier
      case "TIPL", "TMCL", "IPLS", "IPL": self = .people
      default:
        guard let field = Self.fields[id] else { return nil }
        self = .field(field)
      }
    }

    private static let fields = TrackTags.Fields.Name.rows(by: \.id3).mapValues(\.field)
  }
}
