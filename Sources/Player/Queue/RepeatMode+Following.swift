internal import Playback

extension PlayQueue.RepeatMode {
  /// Off, all, one, and off again.
  var following: PlayQueue.RepeatMode {
    switch self {
    case .off: .all
    case .all: .one
    case .one: .off
    }
  }
}
