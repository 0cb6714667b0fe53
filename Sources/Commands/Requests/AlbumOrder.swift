public enum AlbumOrder: String, Sendable, Hashable, CaseIterable {
  /// By artist, and those of an artist by year.
  case artist
  case title, year
  /// The latest first, and those with the most plays first.
  case added, plays
}
