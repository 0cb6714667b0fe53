public import AudioModel

/// The name of a track.
public struct TrackName: Sendable, Hashable, CustomStringConvertible {
  /// The title.
  public var title: String
  /// The performer.
  public var artist: String?

  /// The name that tags give; `nil` without a title.
  public init?(_ tags: TrackTags) {
    guard let title = tags.title, !title.isEmpty else { return nil }
    (self.title, artist) = (title, tags.artist ?? tags.albumArtist)
  }

  /// `Title - Artist`.
  public var description: String { artist.map { "\(title) - \($0)" } ?? title }
}
