public import AudioModel
public import Library
public import Playback

/// Title, artist, album and duration of a track for lists. Unknown is `nil`.
public struct TrackFacts: Sendable, Hashable {
  public var title: String?
  public var artist: String?
  public var album: String?
  public var albumArtist: String?
  /// Place on the medium, from 1.
  public var trackNumber: Int?
  /// Medium within the release, from 1.
  public var discNumber: Int?
  /// The date of recording or publication, as written.
  public var date: String?
  public var genre: String?
  public var composer: String?
  /// All other tags, and the separate values of those above that have several.
  public var otherTags = CatalogueTags()
  /// Seconds.
  public var duration: Double?
  public var durationIsEstimated = false
  /// The reason why it cannot be played.
  public var failure: TrackError?

  /// A track without facts, or with the reason of its failure only.
  public init(failure: TrackError? = nil) { self.failure = failure }

  public init(_ information: MediaInformation) {
    title = information.tags.title
    artist = information.tags.artist ?? information.tags.albumArtist
    album = information.tags.album
    albumArtist = information.tags.albumArtist
    (trackNumber, discNumber) = (information.tags.trackNumber, information.tags.discNumber)
    (date, genre, composer) = (information.tags.date, information.tags.genre, information.tags.composer)
    otherTags = CatalogueTags(besideNames: information)
    duration = information.duration
    durationIsEstimated = information.durationIsEstimated
  }

  /// The facts of a track that only the library knows.
  public init(_ tags: CatalogueTags, duration: Double?) {
    (title, artist, album) = (tags.first(.title), tags.first(.artist), tags.first(.album))
    (albumArtist, date, genre) = (tags.first(.albumArtist), tags.first(.date), tags.first(.genres))
    (trackNumber, discNumber) = (tags.number(.track), tags.number(.disc))
    self.duration = duration
  }

  public func narrowed(to part: TrackPart?) -> TrackFacts {
    var facts = self
    part?.narrow(&facts.duration, &facts.durationIsEstimated)
    return facts
  }

  public func named(asStation name: String?) -> TrackFacts {
    guard let name = name?.visible else { return self }
    var facts = self
    (facts.title, facts.artist, facts.album) = (name, nil, nil)
    return facts
  }

  public func failed(as known: TrackFacts?) -> TrackFacts {
    var facts = self
    facts.failure = failure ?? known?.failure
    return facts
  }

  /// The facts with the names known before, if they have none: tags at the end of a file are read later.
  public func named(as known: TrackFacts?) -> TrackFacts {
    guard title == nil, artist == nil, album == nil, let known else { return self }
    var facts = self
    (facts.title, facts.artist, facts.album) = (known.title, known.artist, known.album)
    return facts
  }
}
