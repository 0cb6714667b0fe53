/// A file's description of its music, from all of its tags. A value that is absent or has nothing
/// to be seen is `nil`.
public struct TrackTags: Hashable, Sendable {
  /// The title of the piece.
  public var title: String? { didSet { title = title?.visible } }
  /// The performer as written, several values joined. `artists` has them one by one.
  public var artist: String? { didSet { artist = artist?.visible } }
  /// The release it belongs to.
  public var album: String? { didSet { album = album?.visible } }
  /// The artist of the whole release.
  public var albumArtist: String? { didSet { albumArtist = albumArtist?.visible } }
  /// Place on the medium, from 1.
  public var trackNumber: Int?
  /// Pieces on the medium.
  public var trackCount: Int?
  /// Medium within the release, from 1.
  public var discNumber: Int?
  /// Media in the release.
  public var discCount: Int?
  /// The date of recording or publication, as written: a year or an ISO date.
  public var date: String?
  /// Kind of music. `genres` has several one by one.
  public var genre: String?
  /// The composer. `composers` has several one by one.
  public var composer: String?
  /// Free text.
  public var comment: String?
  /// The copyright holder and year.
  public var copyright: String?
  /// The International Standard Recording Code (ISRC).
  public var isrc: String?
  /// The lyrics; `syncedLyrics` come from a tag of their own.
  public var lyrics: String?
  /// All other texts, and the separate values of the texts above that have several.
  public var fields = Fields()
  /// The change of loudness.
  public var gain = Gain()
  /// The places of the pictures in the file. Their data are not loaded.
  public var artwork: [Artwork] = []
  /// Parts of the piece, in the order of their starts.
  public var chapters: [Chapter] = []
  /// The tracks in the file, by a cue sheet in its tags; `nil` without one.
  public var cueSheet: CueSheet?
  /// The duration in milliseconds by a tag (ID3 `TLEN`), which is often wrong.
  public var claimedMilliseconds: Int?

  /// No tags.
  public init() {}

  /// True if `next` is the next track of the same release, so that the transition is the artist's.
  public func isFollowed(by next: TrackTags) -> Bool {
    guard let album, album == next.album, albumArtist == next.albumArtist, let trackNumber,
      let number = next.trackNumber
    else { return false }
    let (disc, nextDisc) = (discNumber ?? 1, next.discNumber ?? 1)
    // A tag may contain any number.
    if disc == nextDisc { return number > trackNumber && number &- trackNumber == 1 }
    return nextDisc > disc && nextDisc &- disc == 1 && number == 1
  }

  /// The change of loudness in decibels, and the highest sample before it, where 1 is full scale (ReplayGain 2.0; R128
  /// tags are converted: 5 dB from their reference of -23 LUFS to -18 LUFS).
  public struct Gain: Hashable, Sendable {
    /// The change that makes all pieces equally loud.
    public var track: Double?
    /// The piece's highest sample.
    public var trackPeak: Double?
    /// The change that makes all releases equally loud.
    public var album: Double?
    /// The release's highest sample.
    public var albumPeak: Double?
    /// True if the library measured it, or a server said it: the file has no such tags.
    public var isMeasured = false

    /// Without tags of loudness.
    public init() {}
  }

  /// A picture in the file.
  public struct Artwork: Hashable, Sendable {
    /// The subject of a picture, from the best cover to the worst.
    public enum Kind: Hashable, Sendable, CaseIterable {
      /// The front cover.
      case frontCover
      /// Any other subject, or none that is named.
      case other
      /// An icon of a few pixels.
      case icon
    }

    /// The start of its bytes in the file.
    public var byteOffset: Int64
    /// The number of bytes; in Ogg including the headers of pages between them.
    public var byteCount: Int
    /// The media type by the tag: `image/jpeg`.
    public var mimeType: String
    /// True if the bytes are base64 text of a FLAC picture block (Vorbis comments in Ogg).
    public var isBase64Block: Bool
    /// True if the bytes are base64 text of the picture itself (the old Vorbis comment `COVERART`).
    public var isBase64: Bool
    /// True if each FF is followed by a 00 that does not count (ID3v2's unsynchronisation).
    public var isUnsynchronised: Bool
    /// True if headers of Ogg pages lie between the bytes (FLAC in Ogg).
    public var isPaged: Bool
    /// The subject by the tag.
    public var kind: Kind

    /// A picture at a place in the file; its flags tell how its bytes are encoded there.
    public init(
      byteOffset: Int64, byteCount: Int, mimeType: String, isBase64Block: Bool = false, isBase64: Bool = false,
      isUnsynchronised: Bool = false, isPaged: Bool = false, kind: Kind = .other
    ) {
      self.byteOffset = byteOffset
      self.byteCount = byteCount
      self.mimeType = mimeType
      self.isBase64Block = isBase64Block
      self.isBase64 = isBase64
      self.isUnsynchronised = isUnsynchronised
      self.isPaged = isPaged
      self.kind = kind
    }
  }

  /// A part of a piece.
  public struct Chapter: Hashable, Sendable {
    /// Seconds from the first played frame.
    public var start: Double
    /// The title; may be empty.
    public var title: String

    /// A part from a start in seconds on.
    public init(start: Double, title: String) {
      self.start = start
      self.title = title
    }
  }
}
