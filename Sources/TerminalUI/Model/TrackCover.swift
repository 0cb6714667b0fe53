internal import Cells
internal import Pictures
internal import Playback
internal import Commands

/// The cover of the current track. The one of the track before stays until the answer is there, so that the screen does
/// not flicker within an album.
struct TrackCover: Sendable {
  private var answer: Picture?
  private(set) var colors: PictureColors?
  /// Why the cover that exists cannot be shown.
  private(set) var failure: String?
  /// True if there is room for the picture.
  private var isShown = false
  /// The picture, if there is room for it.
  var picture: Picture? { isShown ? answer : nil }
  /// The entry whose cover was requested, and the pixels of its longer side.
  private var requested: QueueEntry.ID?
  private var side = 0
  /// True once the answer for that entry is there.
  private(set) var isKnown = false

  /// Stores an answer if it belongs to the last request.
  mutating func note(_ picture: Picture?, _ colors: PictureColors?, failure: String?, of id: QueueEntry.ID) {
    guard id == requested else { return }
    // A larger picture of the same cover changes no colour.
    if !isKnown { self.colors = colors }
    (answer, self.failure, isKnown) = (picture, failure, true)
  }

  /// Requests the cover of the current track once, again if it is needed larger, and not before it plays.
  ///
  /// - Parameters:
  ///   - hasRoom: True if the picture is shown. Without it and without `wantsColors` everything is dropped.
  ///   - wantsColors: True if the theme has the colours of the cover.
  ///   - side: Pixels of the longer side.
  mutating func request(_ playback: PlaybackSnapshot, hasRoom: Bool, wantsColors: Bool, side: Int) -> [Command] {
    isShown = hasRoom
    guard hasRoom || wantsColors, let entry = playback.entry else {
      self = TrackCover()
      return []
    }
    let isNew = entry.id != requested
    let isTooSmall = side > self.side && (answer != nil || !isKnown)
    guard isNew || isTooSmall, playback.state == .playing || playback.state == .paused else { return [] }
    if isNew { isKnown = false }
    (requested, self.side) = (entry.id, side)
    return [.ask(.cover(entry, side: side))]
  }
}
