public import AudioModel

/// What a list shows of a track beside its name in the file system. Unknown is `nil`.
public struct TrackFacts: Sendable, Hashable {
  /// Name of the piece.
  public var title: String?
  /// Who performs it.
  public var artist: String?
  /// The release it belongs to.
  public var album: String?
  /// Seconds.
  public var duration: Double?
  /// Whether `duration` is a guess.
  public var durationIsEstimated = false
  /// Why it cannot be played.
  public var failure: String?

  /// A track of which nothing is known, or nothing but why it cannot be played.
  public init(failure: String? = nil) { self.failure = failure }

  /// What a reader found out.
  public init(_ information: MediaInformation) {
    title = information.tags.title
    artist = information.tags.artist ?? information.tags.albumArtist
    album = information.tags.album
    duration = information.duration
    durationIsEstimated = information.durationIsEstimated
  }

  /// The same, named as a station calls itself.
  func named(asStation name: String?) -> TrackFacts {
    guard let name, !name.isEmpty else { return self }
    var facts = self
    (facts.title, facts.artist, facts.album) = (name, nil, nil)
    return facts
  }

  /// The same, marked as what has failed before.
  func failed(as known: TrackFacts?) -> TrackFacts {
    var facts = self
    facts.failure = failure ?? known?.failure
    return facts
  }

  /// The same with the names that were known before, if it has none: tags at the end of a file are read later.
  func named(as known: TrackFacts?) -> TrackFacts {
    guard title == nil, artist == nil, album == nil, let known else { return self }
    var facts = self
    (facts.title, facts.artist, facts.album) = (known.title, known.artist, known.album)
    return facts
  }
}
