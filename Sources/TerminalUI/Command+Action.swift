internal import Playback

extension Command {
  /// The command of an action that the player handles alone; `nil` for an action of the screen.
  init?(forwarding action: Action) {
    switch action {
    case .play: self = .resume
    case .togglePause: self = .togglePause
    case .pause: self = .pause
    case .playFromStart: self = .playFromStart
    case .stop: self = .stop
    case .next: self = .next
    case .previous: self = .previous
    case .toggleStopAfterCurrent: self = .toggleStopAfterCurrent
    case .volume(let percent): self = .changeVolume(by: Double(percent) / 100)
    case .setVolume(let percent): self = .setVolume(Double(percent) / 100)
    case .toggleMute: self = .toggleMute
    case .toggleShuffle: self = .toggleShuffle
    case .cycleRepeat: self = .cycleRepeat
    case .setShuffle(let isOn): self = .setShuffle(isOn)
    case .setRepeat(let mode): self = .setRepeat(mode)
    case .clear: self = .edit(.clear)
    case .undo: self = .undo
    case .redo: self = .redo
    case .redraw: self = .redraw
    case .suspend: self = .suspend
    case .quit: self = .quit(savesSession: true)
    case .quitWithoutSaving: self = .quit(savesSession: false)
    default: return nil
    }
  }
}
