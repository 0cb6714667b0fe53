extension TrackTags.Fields {
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
}

extension TrackTags.Fields.Name {
  /// The names of a field in tags.
  package struct Row: Sendable {
    package let field: TrackTags.Fields.Name
    /// In Vorbis comments, APE tags, ID3's `TXXX` and MPEG-4's free-form items: in capitals, without blanks and signs.
    package let common: [String]
    /// Frames of ID3, items of MPEG-4, chunks of RIFF's `INFO`, attributes of ASF without "WM/".
    package let id3, mpeg4, riff, asf: [String]

    fileprivate init(
      _ field: TrackTags.Fields.Name, _ common: [String], id3: [String] = [], mpeg4: [String] = [],
      riff: [String] = [], asf: [String] = []
    ) {
      (self.field, self.common, self.id3, self.mpeg4, self.riff, self.asf) = (field, common, id3, mpeg4, riff, asf)
    }
  }

  /// The rows by their names in one format.
  package static func rows(by names: (Row) -> [String]) -> [String: Row] {
    Dictionary(uniqueKeysWithValues: tagNames.flatMap { row in names(row).map { ($0, row) } })
  }

  private static let tagNames = [
    Row(.artists, ["ARTISTS"]), Row(.albumArtists, ["ALBUMARTISTS"]),
    Row(
      .titleSort, ["TITLESORT", "TITLESORTORDER", "SORTTITLE", "SORTNAME"], id3: ["TSOT", "XSOT", "TST"],
      mpeg4: ["sonm"]),
    Row(.artistSort, ["ARTISTSORT", "ARTISTSORTORDER", "SORTARTIST"], id3: ["TSOP", "XSOP", "TSP"], mpeg4: ["soar"]),
    Row(.albumSort, ["ALBUMSORT", "ALBUMSORTORDER", "SORTALBUM"], id3: ["TSOA", "XSOA", "TSA"], mpeg4: ["soal"]),
    Row(
      .albumArtistSort, ["ALBUMARTISTSORT", "ALBUMARTISTSORTORDER", "SORTALBUMARTIST"], id3: ["TSO2", "TS2"],
      mpeg4: ["soaa"]),
    Row(.composerSort, ["COMPOSERSORT", "COMPOSERSORTORDER", "SORTCOMPOSER"], id3: ["TSOC", "TSC"], mpeg4: ["soco"]),
    // The name is older than the difference between recordings and tracks.
    Row(.recordingID, ["MUSICBRAINZTRACKID", "MUSICBRAINZRECORDINGID"]),
    Row(.releaseTrackID, ["MUSICBRAINZRELEASETRACKID"]),
    Row(.releaseID, ["MUSICBRAINZALBUMID", "MUSICBRAINZRELEASEID"]),
    Row(.releaseGroupID, ["MUSICBRAINZRELEASEGROUPID"]), Row(.artistIDs, ["MUSICBRAINZARTISTID"]),
    Row(.albumArtistIDs, ["MUSICBRAINZALBUMARTISTID"]), Row(.workID, ["MUSICBRAINZWORKID"]),
    Row(
      .originalDate, ["ORIGINALDATE", "ORIGINALYEAR", "ORIGINALRELEASEDATE", "ORIGYEAR", "ORIGDATE"],
      asf: ["OriginalReleaseYear", "OriginalReleaseTime"]),
    Row(
      .compilation, ["COMPILATION", "ITUNESCOMPILATION"], id3: ["TCMP", "TCP"], mpeg4: ["cpil"], asf: ["IsCompilation"]),
    Row(.discSubtitle, ["DISCSUBTITLE", "SETSUBTITLE", "DISCNAME"], id3: ["TSST"]),
    Row(.media, ["MEDIA", "MEDIATYPE", "SOURCEMEDIA"], id3: ["TMED", "TMT"], riff: ["IMED"]),
    Row(
      .labels, ["LABEL", "ORGANIZATION", "PUBLISHER"], id3: ["TPUB", "TPB"], mpeg4: ["©lab", "©pub"], riff: ["IPUB"]),
    Row(.catalogNumbers, ["CATALOGNUMBER", "CATALOG", "LABELNO"], asf: ["CatalogNo"]),
    Row(.barcode, ["BARCODE", "UPC", "EAN", "EANUPC"]),
    Row(.albumVersion, ["MUSICBRAINZALBUMCOMMENT", "ALBUMVERSION"]),
    Row(.releaseTypes, ["MUSICBRAINZALBUMTYPE", "RELEASETYPE"]),
    Row(.work, ["WORK"], mpeg4: ["©wrk"]),
    Row(.movement, ["MOVEMENTNAME"], id3: ["MVNM", "MVN"], mpeg4: ["©mvn"]),
    Row(.movementNumber, ["MOVEMENTNUMBER", "MOVEMENT"], id3: ["MVIN", "MVI"], mpeg4: ["©mvi"]),
    Row(.movementCount, ["MOVEMENTTOTAL"], mpeg4: ["©mvc"]),
    Row(
      .grouping, ["GROUPING", "CONTENTGROUP"], id3: ["TIT1", "TT1", "GRP1", "GP1"], mpeg4: ["©grp"],
      asf: ["ContentGroupDescription"]),
    Row(.moods, ["MOOD"], id3: ["TMOO"]),
    Row(
      .bpm, ["BPM", "TEMPO"], id3: ["TBPM", "TBP"], mpeg4: ["tmpo"], riff: ["IBPM", "BPM "], asf: ["BeatsPerMinute"]),
    Row(.ensemble, ["ENSEMBLE"]), Row(.location, ["LOCATION"]),
    Row(.lyricists, ["LYRICIST"], id3: ["TEXT", "TXT"], asf: ["Writer"]),
    Row(.conductors, ["CONDUCTOR"], id3: ["TPE3", "TP3"], mpeg4: ["©con"]),
    Row(.performers, ["PERFORMER"], mpeg4: ["©prf"]),
    Row(.remixers, ["REMIXER", "MIXARTIST"], id3: ["TPE4", "TP4"], asf: ["ModifiedBy"]),
    Row(.arrangers, ["ARRANGER"], mpeg4: ["©arg"]), Row(.producers, ["PRODUCER"], mpeg4: ["©prd"], riff: ["IPRO"]),
    Row(.engineers, ["ENGINEER"], riff: ["IENG"]), Row(.mixers, ["MIXER"]), Row(.djMixers, ["DJMIXER"]),
    Row(.writers, ["WRITER"], riff: ["IWRI"]), Row(.syncedLyrics, ["SYNCEDLYRICS", "SYNCHRONIZEDLYRICS"]),
  ]
}
