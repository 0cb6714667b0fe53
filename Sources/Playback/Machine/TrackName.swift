public import AudioModel

/// The name of a track, by its tags.
public struct TrackName: Sendable, Hashable, CustomStringConvertible {
  /// The title; never empty.
  public var title: String
  /// The performer, else the artist of the release; `nil` if the tags have neither.
  public var artist: String?

  /// The name that tags give; `nil` without a title.
  public init?(_ tags: TrackTags) {
    guard let title = tags.title, !title.isEmpty else { return nil }
    (self.title, artist) = (title, tags.artist ?? tags.albumArtist)
  }

  /// `Title - Artist`.
  public var description: String { artist.map { "\(title) - \($0)" } ?? title }
}
