/// The layout of the index file: a header, then sections. All numbers are little-endian words of 32 bits. An offset in
/// its section refers to a text or a list.
enum IndexLayout {
  static let magic: UInt64 = 0x3158_4965_7567_6573  // "segueIX1"
  /// A file with other counts of words is made again, whatever its version.
  static let version: UInt32 = 6

  /// The sections, in the order of the file.
  enum Section: Int, CaseIterable {
    /// `StringPool`.
    case strings
    /// A count, followed by that many words.
    case lists
    case tracks, albums, artists
    /// Tracks by folded title.
    case byTitle
    /// Pairs of a recording and a track, by recording.
    case byRecording
    /// The start of each track's line, and the end of the last.
    case lineStarts
    /// A line per track: folded title, artist, album, album artist, genres, file name with the names in another
    /// character set, separated by 1f and ended by 0a.
    case lines
    /// The places of tracks beside those of their rows (`Twins`), by recording: words of `Place`.
    case places
  }

  /// A word of a place without a row.
  enum Place: Int, CaseIterable {
    case recording, folder, name, file, state
  }

  /// Words of the header: magic (2), version, counts of tracks, albums, artists, change (2), then offset and size of
  /// each section in bytes, two words each; magic again.
  static let headerWordCount = 8 + Section.allCases.count * 4 + 2

  /// A word of a track.
  enum Track: Int, CaseIterable {
    case title, artist, artists, album, genres, folder, name
    /// Disc in the upper half, track in the lower.
    case number
    case date
    /// Year in the upper half, then rating (255: none), then state.
    case yearRatingState
    /// Milliseconds.
    case duration
    /// Seconds since 1970.
    case added
    case plays, last, recording, file, composers
    /// Skips in the upper half, then love, then `Mark`s.
    case skipsLove
    case format, bitRate
    /// The time of the file's last change in seconds since 1970.
    case modified
  }

  /// Tags whose values are a list in a word of the track, and the names that queries have for them.
  static let tags: [(name: String, field: CatalogueTags.Field, word: Track)] = [("composer", .composers, .composers)]

  /// Marks of a track: bits of the lowest byte of `skipsLove`. Titles and albums have stand-ins where tags have none.
  struct Mark: OptionSet {
    let rawValue: Int
    static let estimatedDuration = Mark(rawValue: 1)
    static let title = Mark(rawValue: 2)
    static let album = Mark(rawValue: 4)
    static let albumArtist = Mark(rawValue: 8)
  }

  /// A word of an album.
  enum Album: Int, CaseIterable {
    case title, artist, artists, firstTrack, trackCount
    /// Year in the upper half, then rule, then 1 for a compilation.
    case yearRule
    case mainArtist, date
    /// The latest time of its tracks.
    case added
    /// Seconds.
    case duration
    case version, originalDate
    /// Of all its tracks.
    case playCount
    /// Of its rated tracks.
    case ratingSum, ratedCount
  }

  /// A word of an artist.
  enum Artist: Int, CaseIterable {
    case name, sort, albums, trackCount
  }
}

extension UInt32 {
  /// A word of two halves.
  init(high: Int, low: Int) {
    self = UInt32(UInt16(clamping: high)) << 16 | UInt32(UInt16(clamping: low))
  }

  var high: Int { Int(self >> 16) }
  var low: Int { Int(self & 0xffff) }
}
