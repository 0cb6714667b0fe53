/// A query of the library: `bach genre:classical -artist:"j. c." year:1720..1750 rating:>=4 sort:added- limit:100`.
///
/// A track must meet all words and conditions. `|` separates alternatives, `-` negates a condition, parentheses group
/// conditions, and `"…"` is a phrase.
public struct LibraryQuery: Sendable, Hashable {
  indirect enum Condition: Sendable, Hashable {
    case all([Condition])
    case any([Condition])
    case not(Condition)
    /// Folded text in one field, or in any field; the whole field if the condition is exact.
    case text(TextField?, [UInt8], isExact: Bool)
    /// A number within limits. If the limits contain 0, tracks without the number meet the condition, too.
    case number(NumberField, ClosedRange<Double>)
    case state(FileState)
    case loved(Bool)
    case playlist(String)
    /// One of these tracks: what a search makes of a playlist.
    case members(Set<Int>)
    case albums(Set<Int>)
  }

  enum TextField: Sendable, Hashable {
    case title, artist, album, albumArtist, genre, name, folder, path, format
    /// One of `IndexLayout.tags`.
    case tag(IndexLayout.Track)

    /// The fields by their names in queries.
    static let named: [(name: String, field: TextField)] =
      [
        ("title", .title), ("artist", .artist), ("album", .album), ("albumartist", .albumArtist), ("genre", .genre),
        ("name", .name), ("folder", .folder), ("path", .path),
      ] + IndexLayout.tags.map { ($0.name, .tag($0.word)) } + [("format", .format)]

    init?(named name: String) {
      guard let row = Self.named.first(where: { $0.name == name }) else { return nil }
      self = row.field
    }
  }

  public enum NumberField: String, CaseIterable, Sendable {
    /// A numeric field, by its name in queries.
    case year, disc, track, length, added, played, plays, skips, rating, bitrate
  }

  struct Sort: Sendable, Hashable {
    enum Key: Sendable, Hashable {
      case text(TextField)
      case number(NumberField)
    }

    var key: Key
    var isDescending = false
  }

  public enum Shuffle: String, Sendable, CaseIterable {
    /// Shuffles tracks, or albums with their tracks in order.
    case tracks, albums
    /// Shuffles tracks so that those with better ratings come sooner.
    case weighted
  }

  /// The condition that a track must meet.
  var condition = Condition.all([])
  /// The order; by relevance if it is empty.
  var sorts: [Sort] = []
  public var limit: Int?
  /// The random order, if the query asks for one.
  public var shuffle: Shuffle?
  /// The time from which ages count, in smart playlists too: seconds since 1970.
  var now: Int64 = 0

  /// All tracks.
  public init() {}

  public var isEmpty: Bool { condition == .all([]) && sorts.isEmpty && limit == nil && shuffle == nil }

  /// The name of the playlist that the query asks for, and for nothing else.
  public var wholePlaylist: String? {
    guard case .playlist(let name) = condition, sorts.isEmpty, limit == nil, shuffle == nil else { return nil }
    return name
  }

  /// The name of the playlist whose order the results have, if no other is asked for.
  var leadingPlaylist: String? {
    switch condition {
    case .playlist(let name): name
    case .all(let parts): parts.lazy.compactMap { if case .playlist(let name) = $0 { name } else { nil } }.first
    default: nil
    }
  }

  /// Folded words that a track must have in any field, for the scan of the lines.
  var requiredWords: [[UInt8]] {
    switch condition {
    case .all(let parts):
      parts.compactMap { if case .text(nil, let text, false) = $0, !text.isEmpty { text } else { nil } }
    case .text(nil, let text, false): text.isEmpty ? [] : [text]
    default: []
    }
  }
}

public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem and the possible values.
  public var reason: String
  /// The number of characters before the place.
  public var place: Int

  /// `letter 7: no field "yaer"`.
  public var description: String { "letter \(place + 1): \(reason)" }
}
