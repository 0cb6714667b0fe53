internal import Pictures
internal import Playback
internal import Player

/// The cover of the current track. The one of the track before stays until the answer is there, so that the screen does
/// not flicker within an album.
struct TrackCover: Sendable {
  private(set) var picture: Picture?
  /// The entry whose cover was requested.
  private var requested: QueueEntry.ID?
  /// True once the answer for that entry is there.
  private(set) var isKnown = false

  /// Stores an answer if it belongs to the last request.
  mutating func note(_ picture: Picture?, of id: QueueEntry.ID) {
    if id == requested { (self.picture, isKnown) = (picture, true) }
  }

  /// Requests the cover of the current track once, and not before it plays.
  ///
  /// - Parameter isWanted: False if there is no room for a cover; the picture is dropped.
  mutating func request(_ playback: PlaybackSnapshot, isWanted: Bool) -> [Command] {
    guard isWanted, let id = playback.entry?.id else {
      self = TrackCover()
      return []
    }
    guard id != requested, playback.state == .playing || playback.state == .paused else { return [] }
    (requested, isKnown) = (id, false)
    return [.requestCover(id)]
  }
}
