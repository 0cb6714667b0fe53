/// A question to the library: `bach genre:classical -artist:"j. c." year:1720..1750 rating:>=4 sort:added- limit:100`.
///
/// Words and conditions are all to be met; `|` stands between alternatives, `-` before what is to be left out,
/// parentheses around what belongs together. `"…"` is a phrase.
public struct LibraryQuery: Sendable, Hashable {
  /// A condition that a track meets or not.
  indirect enum Condition: Sendable, Hashable {
    case all([Condition])
    case any([Condition])
    case not(Condition)
    /// Folded text in a field, or in any; the whole field if it is exact.
    case text(TextField?, [UInt8], isExact: Bool)
    /// A number within limits; with 0 in them, a track without the number meets it, too.
    case number(NumberField, ClosedRange<Double>)
    case state(FileState)
    case loved(Bool)
    /// In the playlist of this folded name.
    case playlist([UInt8])
    /// One of these tracks: what a search makes of a playlist.
    case members(Set<Int>)
  }

  /// A field of text.
  public enum TextField: String, CaseIterable, Sendable {
    case title, artist, album, albumArtist = "albumartist", genre, name, folder, path, composer, format
  }

  /// A field that is a number.
  public enum NumberField: String, CaseIterable, Sendable {
    case year, disc, track, length, added, played, plays, skips, rating, bitrate
  }

  /// An order of results.
  struct Sort: Sendable, Hashable {
    /// The field.
    enum Key: Sendable, Hashable {
      case text(TextField)
      case number(NumberField)
    }

    var key: Key
    var isDescending = false
  }

  /// An order by chance.
  public enum Shuffle: String, Sendable {
    case tracks, albums
  }

  /// The condition that a track must meet.
  var condition = Condition.all([])
  /// The order; by relevance if it is empty.
  var sorts: [Sort] = []
  /// The most results.
  public var limit: Int?
  /// The order by chance, if there is to be one.
  public var shuffle: Shuffle?
  /// The time from which ages count, in smart playlists too: seconds since 1970.
  var now: Int64 = 0

  /// All tracks.
  public init() {}

  /// True if it asks for nothing.
  public var isEmpty: Bool { condition == .all([]) && sorts.isEmpty && limit == nil && shuffle == nil }

  /// The folded name of the playlist that the query asks for, and for nothing else.
  public var wholePlaylist: [UInt8]? {
    guard case .playlist(let name) = condition, sorts.isEmpty, limit == nil, shuffle == nil else { return nil }
    return name
  }

  /// The folded name of the playlist whose order the results have, if no other is asked for.
  var leadingPlaylist: [UInt8]? {
    switch condition {
    case .playlist(let name): name
    case .all(let parts): parts.lazy.compactMap { if case .playlist(let name) = $0 { name } else { nil } }.first
    default: nil
    }
  }

  /// Folded words that a track must have in any field: what a scan of the lines can look for.
  var requiredWords: [[UInt8]] {
    switch condition {
    case .all(let parts):
      parts.compactMap { if case .text(nil, let text, false) = $0, !text.isEmpty { text } else { nil } }
    case .text(nil, let text, false): text.isEmpty ? [] : [text]
    default: []
    }
  }
}

/// An error in a query, at a letter.
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem, and what is possible.
  public var reason: String
  /// The number of characters before the place.
  public var place: Int

  /// `letter 7: no field "yaer"`.
  public var description: String { "letter \(place + 1): \(reason)" }
}
