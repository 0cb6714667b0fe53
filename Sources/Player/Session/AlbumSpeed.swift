internal import Commands
internal import Playback

/// The speed that was set by hand, and the album for which it holds: that of the track in which it was set. Pure.
struct AlbumSpeed {
  /// `nil` for that of the files of settings.
  private var speed: Double?
  /// `nil` until a track of it plays.
  private var album: (entry: QueueEntry, facts: TrackFacts?)?

  /// Notes a speed.
  ///
  /// - Parameters:
  ///   - standard: That of the files.
  ///   - entry: The loaded track; without one, the next that begins is of the album.
  mutating func note(_ new: Double, standard: Double, in entry: QueueEntry?, _ facts: TrackFacts?) {
    speed = new == standard ? nil : new
    album = entry.map { ($0, facts) }
  }

  /// The speed of a track that begins.
  mutating func speed(of entry: QueueEntry, _ facts: TrackFacts?, standard: Double) -> Double {
    guard let speed else { return standard }
    guard let album else {
      self.album = (entry, facts)
      return speed
    }
    let isOfAlbum =
      entry.location == album.entry.location || entry.isOfAlbum(of: album.entry, facts, album.facts)
    return isOfAlbum ? speed : standard
  }
}
