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
    public var isList: Bool { tableRow.isList }

    /// True if it describes the piece alone, not its release.
    public var isOfPiece: Bool { tableRow.isOfPiece }
  }
}

extension TrackTags.Fields.Name {
  /// A row of the table: a field, its names in the formats of tags, and its kind.
  package struct Row: Sendable {
    package let field: TrackTags.Fields.Name
    /// In Vorbis comments, APE tags, ID3's `TXXX` and MPEG-4's free-form items: in capitals, without blanks and signs.
    package let common: [String]
    /// Frames of ID3, items of MPEG-4, chunks of RIFF's `INFO`, attributes of ASF without "WM/".
    package let id3, mpeg4, riff, asf: [String]
    fileprivate let isList, isOfPiece: Bool
  }

  /// The rows by their names in one format.
  package static func rows(by names: (Row) -> [String]) -> [String: Row] {
    Dictionary(uniqueKeysWithValues: table.values.flatMap { row in names(row).map { ($0, row) } })
  }

  private var tableRow: Row { Self.table[self] ?? newRow }

  private static let table = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.newRow) })

  /// The table of fields.
  private var newRow: Row {
    switch self {
    case .artist, .albumArtist, .composer, .genre: row([], isList: true)
    case .comment, .latin1Names: row([], isList: true, isOfPiece: true)
    case .charset: row([], isOfPiece: true)
    case .artists: row(["ARTISTS"], isList: true)
    case .albumArtists: row(["ALBUMARTISTS"], isList: true)
    case .titleSort:
      row(
        ["TITLESORT", "TITLESORTORDER", "SORTTITLE", "SORTNAME"], id3: ["TSOT", "XSOT", "TST"], mpeg4: ["sonm"],
        isOfPiece: true)
    case .artistSort:
      row(
        ["ARTISTSORT", "ARTISTSORTORDER", "SORTARTIST"], id3: ["TSOP", "XSOP", "TSP"], mpeg4: ["soar"], isList: true)
    case .albumSort: row(["ALBUMSORT", "ALBUMSORTORDER", "SORTALBUM"], id3: ["TSOA", "XSOA", "TSA"], mpeg4: ["soal"])
    case .albumArtistSort:
      row(
        ["ALBUMARTISTSORT", "ALBUMARTISTSORTORDER", "SORTALBUMARTIST"], id3: ["TSO2", "TS2"], mpeg4: ["soaa"],
        isList: true)
    case .composerSort:
      row(["COMPOSERSORT", "COMPOSERSORTORDER", "SORTCOMPOSER"], id3: ["TSOC", "TSC"], mpeg4: ["soco"], isList: true)
    // The name is older than the difference between recordings and tracks.
    case .recordingID: row(["MUSICBRAINZTRACKID", "MUSICBRAINZRECORDINGID"], isOfPiece: true)
    case .releaseTrackID: row(["MUSICBRAINZRELEASETRACKID"], isOfPiece: true)
    case .releaseID: row(["MUSICBRAINZALBUMID", "MUSICBRAINZRELEASEID"])
    case .releaseGroupID: row(["MUSICBRAINZRELEASEGROUPID"])
    case .artistIDs: row(["MUSICBRAINZARTISTID"], isList: true)
    case .albumArtistIDs: row(["MUSICBRAINZALBUMARTISTID"], isList: true)
    case .workID: row(["MUSICBRAINZWORKID"], isList: true, isOfPiece: true)
    case .originalDate:
      row(
        ["ORIGINALDATE", "ORIGINALYEAR", "ORIGINALRELEASEDATE", "ORIGYEAR", "ORIGDATE"],
        asf: ["OriginalReleaseYear", "OriginalReleaseTime"])
    case .compilation:
      row(["COMPILATION", "ITUNESCOMPILATION"], id3: ["TCMP", "TCP"], mpeg4: ["cpil"], asf: ["IsCompilation"])
    case .discSubtitle: row(["DISCSUBTITLE", "SETSUBTITLE", "DISCNAME"], id3: ["TSST"])
    case .media: row(["MEDIA", "MEDIATYPE", "SOURCEMEDIA"], id3: ["TMED", "TMT"], riff: ["IMED"])
    case .labels:
      row(
        ["LABEL", "ORGANIZATION", "PUBLISHER"], id3: ["TPUB", "TPB"], mpeg4: ["©lab", "©pub"], riff: ["IPUB"],
        isList: true)
    case .catalogNumbers: row(["CATALOGNUMBER", "CATALOG", "LABELNO"], asf: ["CatalogNo"], isList: true)
    case .barcode: row(["BARCODE", "UPC", "EAN", "EANUPC"])
    case .albumVersion: row(["MUSICBRAINZALBUMCOMMENT", "ALBUMVERSION"])
    case .releaseTypes: row(["MUSICBRAINZALBUMTYPE", "RELEASETYPE"], isList: true)
    case .work: row(["WORK"], mpeg4: ["©wrk"], isList: true, isOfPiece: true)
    case .movement: row(["MOVEMENTNAME"], id3: ["MVNM", "MVN"], mpeg4: ["©mvn"], isOfPiece: true)
    case .movementNumber: row(["MOVEMENTNUMBER", "MOVEMENT"], id3: ["MVIN", "MVI"], mpeg4: ["©mvi"], isOfPiece: true)
    case .movementCount: row(["MOVEMENTTOTAL"], mpeg4: ["©mvc"])
    case .grouping:
      row(
        ["GROUPING", "CONTENTGROUP"], id3: ["TIT1", "TT1", "GRP1", "GP1"], mpeg4: ["©grp"],
        asf: ["ContentGroupDescription"], isList: true)
    case .moods: row(["MOOD"], id3: ["TMOO"], isList: true, isOfPiece: true)
    case .bpm:
      row(
        ["BPM", "TEMPO"], id3: ["TBPM", "TBP"], mpeg4: ["tmpo"], riff: ["IBPM", "BPM "],
        asf: ["BeatsPerMinute"], isOfPiece: true)
    case .ensemble: row(["ENSEMBLE"], isList: true)
    case .location: row(["LOCATION"], isList: true)
    case .lyricists: row(["LYRICIST"], id3: ["TEXT", "TXT"], asf: ["Writer"], isList: true)
    case .conductors: row(["CONDUCTOR"], id3: ["TPE3", "TP3"], mpeg4: ["©con"], isList: true)
    case .performers: row(["PERFORMER"], mpeg4: ["©prf"], isList: true)
    case .remixers: row(["REMIXER", "MIXARTIST"], id3: ["TPE4", "TP4"], asf: ["ModifiedBy"], isList: true)
    case .arrangers: row(["ARRANGER"], mpeg4: ["©arg"], isList: true)
    case .producers: row(["PRODUCER"], mpeg4: ["©prd"], riff: ["IPRO"], isList: true)
    case .engineers: row(["ENGINEER"], riff: ["IENG"], isList: true)
    case .mixers: row(["MIXER"], isList: true)
    case .djMixers: row(["DJMIXER"], isList: true)
    case .writers: row(["WRITER"], riff: ["IWRI"], isList: true)
    case .syncedLyrics: row(["SYNCEDLYRICS", "SYNCHRONIZEDLYRICS"], isOfPiece: true)
    }
  }

  private func row(
    _ common: [String], id3: [String] = [], mpeg4: [String] = [], riff: [String] = [], asf: [String] = [],
    isList: Bool = false, isOfPiece: Bool = false
  ) -> Row {
    Row(
      field: self, common: common, id3: id3, mpeg4: mpeg4, riff: riff, asf: asf, isList: isList, isOfPiece: isOfPiece)
  }
}
