extension TrackTags {
  /// The rare tags, and those with several values. Takes one pointer of memory if they are empty.
  public struct Fields: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
      var name: Name
      var value: String
    }

    /// Sorted by name, the values of one name in the order in which they were added.
    private var entries: [Entry] = []

    /// No fields.
    public init() {}

    /// Values of a name beyond this count are dropped.
    public static let maximumValueCount = 64

    /// True if no name has a value.
    public var isEmpty: Bool { entries.isEmpty }

    /// The values of a name, in the order in which they were added; empty for an absent name. Setting drops blank and
    /// equal values.
    public subscript(name: Name) -> [String] {
      get { entries.filter { $0.name == name }.map(\.value) }
      set {
        entries.removeAll { $0.name == name }
        for value in newValue { append(value, to: name) }
      }
    }

    /// The first value of a name; `nil` if it has none.
    public func first(_ name: Name) -> String? { entries.first { $0.name == name }?.value }

    /// Adds a value, unless it is blank, exists already, or exceeds the limit.
    public mutating func append(_ value: String, to name: Name) {
      let values = entries.lazy.filter { $0.name == name }
      guard !value.isBlank, values.count < Self.maximumValueCount, !values.contains(where: { $0.value == value }) else {
        return
      }
      let end = entries.firstIndex { $0.name.rawValue > name.rawValue } ?? entries.endIndex
      entries.insert(Entry(name: name, value: value), at: end)
    }

    /// Adds the fields of `other` whose names are missing here.
    public mutating func fill(from other: Fields, where isWanted: (Name) -> Bool = { _ in true }) {
      guard !other.isEmpty else { return }
      let present = Set(entries.map(\.name))
      for entry in other.entries where !present.contains(entry.name) && isWanted(entry.name) {
        append(entry.value, to: entry.name)
      }
    }

    /// True if a value of any name meets the condition.
    public func contains(where isWanted: (String) -> Bool) -> Bool { entries.contains { isWanted($0.value) } }

    /// The values of all names, sorted by name.
    public var allValues: [String] { entries.map(\.value) }

    /// Replaces each value by another form of it.
    public mutating func mapValues(_ map: (String) -> String) {
      for index in entries.indices { entries[index].value = map(entries[index].value) }
    }

    /// Removes the fields that describe the piece, not its release.
    public mutating func removePiece() { entries.removeAll { $0.name.isOfPiece } }
  }

  /// The artists one by one; `artist` if no tag separates them.
  public var artists: [String] { values(.artists) ?? values(.artist) ?? [artist].compactMap(\.self) }
  /// The same for the release.
  public var albumArtists: [String] {
    values(.albumArtists) ?? values(.albumArtist) ?? [albumArtist].compactMap(\.self)
  }
  /// The composers one by one; `composer` if no tag separates them.
  public var composers: [String] { values(.composer) ?? [composer].compactMap(\.self) }
  /// The comments one by one; `comment` if there is only one.
  public var comments: [String] { values(.comment) ?? [comment].compactMap(\.self) }
  /// The genres one by one; `genre` if no tag separates them.
  public var genres: [String] { values(.genre) ?? [genre].compactMap(\.self) }
  /// True for a release with tracks by various artists.
  public var isCompilation: Bool { fields.first(.compilation) != nil }
  /// Lyrics with times, as LRC.
  public var syncedLyrics: String? { fields.first(.syncedLyrics) }

  private func values(_ name: Fields.Name) -> [String]? {
    let values = fields[name]
    return values.isEmpty ? nil : values
  }
}
