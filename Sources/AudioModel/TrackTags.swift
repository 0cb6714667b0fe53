/// What a file says about its music, from whatever tags it has. A value that is absent or empty is `nil`.
public struct TrackTags: Hashable, Sendable {
  /// Name of the piece.
  public var title: String?
  /// Who performs it.
  public var artist: String?
  /// The release it belongs to.
  public var album: String?
  /// Who the whole release is by.
  public var albumArtist: String?
  /// Place on the medium, from 1.
  public var trackNumber: Int?
  /// Pieces on the medium.
  public var trackCount: Int?
  /// Medium within the release, from 1.
  public var discNumber: Int?
  /// Media in the release.
  public var discCount: Int?
  /// When it was recorded or published, as written: a year or an ISO date.
  public var date: String?
  /// Kind of music.
  public var genre: String?
  /// Who wrote it.
  public var composer: String?
  /// Free text.
  public var comment: String?
  /// Length in milliseconds as a tag claims it (ID3 `TLEN`); often wrong, see CONTRACTS E.2.
  public var claimedMilliseconds: Int?

  /// No tags.
  public init() {}
}
