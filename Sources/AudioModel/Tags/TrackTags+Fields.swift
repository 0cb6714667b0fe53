extension TrackTags {
  /// The rare tags, and those with several values. Takes one pointer of memory if they are empty.
  public struct Fields: Hashable, Sendable {
    /// The meaning of a field. The raw value is its key in `info --json`.
    public enum Name: String, CaseIterable, Sendable {
      /// Several values of `artist`, `albumArtist`, `composer`, `genre` and `comment`.
      case artist, albumArtist, composer, genre, comment
      /// The people in an artist's name, one by one (`ARTISTS`): "A feat. B" is A and B.
      case artists, albumArtists
      /// Names to sort by: "Beatles, The".
      case titleSort, artistSort, albumSort, albumArtistSort, composerSort
      /// MusicBrainz: the recording.
      case recordingID = "musicBrainzRecordingID"
      /// MusicBrainz: the place of the recording on one release.
      case releaseTrackID = "musicBrainzReleaseTrackID"
      /// MusicBrainz: the release.
      case releaseID = "musicBrainzReleaseID"
      /// MusicBrainz: all releases of one album.
      case releaseGroupID = "musicBrainzReleaseGroupID"
      /// MusicBrainz: the artists of the track.
      case artistIDs = "musicBrainzArtistIDs"
      /// MusicBrainz: the artists of the release.
      case albumArtistIDs = "musicBrainzAlbumArtistIDs"
      /// MusicBrainz: the work that is performed.
      case workID = "musicBrainzWorkID"
      /// The date of the first publication; `date` is that of this release.
      case originalDate
      /// "1" if the release has tracks by various artists.
      case compilation
      /// Facts of the release. `albumVersion` distinguishes releases with one name.
      case discSubtitle, media, labels, catalogNumbers, barcode, albumVersion, releaseTypes
      /// Parts of a larger work.
      case work, movement, movementNumber, movementCount, grouping
      /// Facts of the piece.
      case moods, bpm
      /// The orchestra or choir, and the place of the recording.
      case ensemble, location
      /// People by their roles; a performer is written "Name (instrument)".
      case lyricists, conductors, performers, remixers, arrangers, producers, engineers, mixers, djMixers
      /// The writers of words or music, if their part is unknown.
      case writers
      /// Lyrics with times, as LRC: `[mm:ss.mmm]line`, with `<mm:ss.mmm>` before each word if words have times.
      case syncedLyrics
      /// The character set of the texts whose encoding the file does not name: `windows-1251 (guessed)`. Not from a tag.
      case charset
      /// Title, artist and album in Windows-1252, where they are shown in another set that was guessed or chosen: a search
      /// finds both. Not from a tag.
      case latin1Names

      /// True if it may have several values.
      public var isList: Bool {
        switch self {
        case .artist, .albumArtist, .composer, .genre, .comment, .artists, .albumArtists, .artistSort,
          .albumArtistSort, .composerSort, .artistIDs, .albumArtistIDs, .workID, .labels, .catalogNumbers,
          .releaseTypes, .work, .grouping, .moods, .ensemble, .location, .lyricists, .conductors, .performers,
          .remixers, .arrangers, .producers, .engineers, .mixers, .djMixers, .writers, .latin1Names:
          true
        default: false
        }
      }

      /// True if it describes the piece alone, not its release.
      public var isOfPiece: Bool {
        switch self {
        case .comment, .titleSort, .recordingID, .releaseTrackID, .workID, .work, .movement, .movementNumber, .moods,
          .bpm, .syncedLyrics, .charset, .latin1Names:
          true
        default: false
        }
      }
    }

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
