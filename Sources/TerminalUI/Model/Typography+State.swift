internal import Cells
internal import Playback

extension Typography {
  /// The sign of a state of the player. The word stands beside it if there is room for both.
  func sign(of state: PlaybackState) -> String {
    switch state {
    case .stopped: hasSigns ? "■" : "."
    case .playing: hasSigns ? "▶" : ">"
    case .waiting: hasSigns ? "…" : "~"
    case .paused: hasSigns ? "⏸" : "||"
    }
  }
}
