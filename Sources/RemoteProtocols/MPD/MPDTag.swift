internal import Library

/// The tags of songs, by the names of MPD (its src/tag/Names.cxx).
enum MPDTag {
  /// Tags that songs may have here, in MPD's order. The index of the library does not have those with a field.
  private static let table: [(name: String, field: CatalogueTags.Field?)] = [
    ("Artist", nil), ("ArtistSort", .artistSort), ("Album", nil), ("AlbumSort", .albumSort), ("AlbumArtist", nil),
    ("AlbumArtistSort", .albumArtistSort), ("Title", nil), ("TitleSort", .titleSort), ("Track", nil), ("Name", nil),
    ("Genre", nil), ("Mood", .moods), ("Date", nil), ("OriginalDate", .originalDate), ("Composer", nil),
    ("ComposerSort", .composerSort), ("Performer", .performers), ("Conductor", .conductors), ("Work", .work),
    ("Movement", .movement), ("MovementNumber", .movementNumber), ("Ensemble", .ensemble), ("Location", .location),
    ("Grouping", .grouping), ("Comment", .comment), ("Disc", nil), ("Label", .labels),
    ("MUSICBRAINZ_ARTISTID", .artistIDs), ("MUSICBRAINZ_ALBUMID", .releaseID),
    ("MUSICBRAINZ_ALBUMARTISTID", .albumArtistIDs), ("MUSICBRAINZ_TRACKID", .recordingID),
    ("MUSICBRAINZ_RELEASETRACKID", .releaseTrackID), ("MUSICBRAINZ_WORKID", .workID),
    ("MUSICBRAINZ_RELEASEGROUPID", .releaseGroupID),
  ]

  static let all = table.map { $0.name }

  /// The tags that come first in answers, in the order in which MPD reads them from ID3. The rare ones follow.
  static let common = [
    "Artist", "AlbumArtist", "Title", "Album", "Track", "Date", "Genre", "Composer", "Disc", "Name",
  ]

  /// Tags that the index of the library does not have.
  static let fields = Dictionary(uniqueKeysWithValues: table.compactMap { tag in tag.field.map { (tag.name, $0) } })

  /// The tags of fields, by raw values.
  private static let byField: [String?] = {
    let names = Dictionary(uniqueKeysWithValues: fields.map { ($1.rawValue, $0) })
    return (0...(names.keys.max() ?? 0)).map { names[$0] }
  }()

  /// The tag that stands in for a missing one (MPD's src/tag/Fallback.hxx).
  static let standIns = [
    "AlbumArtist": "Artist", "ArtistSort": "Artist", "AlbumArtistSort": "AlbumArtist", "AlbumSort": "Album",
    "TitleSort": "Title", "ComposerSort": "Composer",
  ]

  static func named(_ field: CatalogueTags.Field) -> String? {
    let field = Int(field.rawValue)
    return byField.indices.contains(field) ? byField[field] : nil
  }

  /// The tag with this name, whatever its case; `nil` if MPD has none.
  static func named(_ name: String) -> String? { byName[name.lowercased()] }

  // No song has the last one here. Clients that ask for it get songs without it.
  private static let byName = Dictionary((all + ["ShowMovement"]).map { ($0.lowercased(), $0) }) { first, _ in first }
}
