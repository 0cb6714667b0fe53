internal import Library

/// The tags of songs, by the names of MPD (its src/tag/Names.cxx).
enum MPDTag {
  /// Tags that songs may have here, in MPD's order.
  static let all = [
    "Artist", "ArtistSort", "Album", "AlbumSort", "AlbumArtist", "AlbumArtistSort", "Title", "TitleSort", "Track",
    "Name", "Genre", "Mood", "Date", "OriginalDate", "Composer", "ComposerSort", "Performer", "Conductor", "Work",
    "Movement", "MovementNumber", "Ensemble", "Location", "Grouping", "Comment", "Disc", "Label",
    "MUSICBRAINZ_ARTISTID", "MUSICBRAINZ_ALBUMID", "MUSICBRAINZ_ALBUMARTISTID", "MUSICBRAINZ_TRACKID",
    "MUSICBRAINZ_RELEASETRACKID", "MUSICBRAINZ_WORKID", "MUSICBRAINZ_RELEASEGROUPID",
  ]

  /// The tags that come first in answers, in the order in which MPD reads them from ID3. The rare ones follow.
  static let common = [
    "Artist", "AlbumArtist", "Title", "Album", "Track", "Date", "Genre", "Composer", "Disc", "Name",
  ]

  /// Tags that the index of the library does not have.
  static let fields: [String: CatalogueTags.Field] = [
    "ArtistSort": .artistSort, "AlbumSort": .albumSort, "AlbumArtistSort": .albumArtistSort, "TitleSort": .titleSort,
    "Mood": .moods, "OriginalDate": .originalDate, "ComposerSort": .composerSort, "Performer": .performers,
    "Conductor": .conductors, "Work": .work, "Movement": .movement, "MovementNumber": .movementNumber,
    "Ensemble": .ensemble, "Location": .location, "Grouping": .grouping, "Comment": .comment, "Label": .labels,
    "MUSICBRAINZ_ARTISTID": .artistIDs, "MUSICBRAINZ_ALBUMID": .releaseID,
    "MUSICBRAINZ_ALBUMARTISTID": .albumArtistIDs, "MUSICBRAINZ_TRACKID": .recordingID,
    "MUSICBRAINZ_RELEASETRACKID": .releaseTrackID, "MUSICBRAINZ_WORKID": .workID,
    "MUSICBRAINZ_RELEASEGROUPID": .releaseGroupID,
  ]

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
