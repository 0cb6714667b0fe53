public import Cells
internal import Playback

/// The progress to show in the window's tab; `nil` while stopped, or for a stream without end.
public func windowProgress(_ state: ScreenState) -> WindowProgress? {
  guard state.model.playback.entry != nil else { return nil }
  let share = state.model.playback.usableDuration.map { state.model.position / $0 } ?? .nan
  let percent = share.isNaN ? nil : Int((share * 100).clamped(to: 0...100))
  return switch state.model.playback.state {
  case .stopped: nil
  case .playing: percent.map { .playing($0) }
  case .paused: percent.map { .paused($0) }
  case .waiting: .waiting
  }
}
