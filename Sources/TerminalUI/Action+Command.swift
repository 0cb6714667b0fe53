internal import Playback

extension Action {
  /// The command of an action that the player handles alone.
  var playerCommand: Command? {
    switch self {
    case .play: .resume
    case .togglePause: .togglePause
    case .pause: .pause
    case .playFromStart: .playFromStart
    case .stop: .stop
    case .next: .next
    case .previous: .previous
    case .toggleStopAfterCurrent: .toggleStopAfterCurrent
    case .volume(let percent): .changeVolume(by: Double(percent) / 100)
    case .setVolume(let percent): .setVolume(Double(percent) / 100)
    case .toggleMute: .toggleMute
    case .toggleShuffle: .toggleShuffle
    case .cycleRepeat: .cycleRepeat
    case .setShuffle(let isOn): .setShuffle(isOn)
    case .setRepeat(let mode): .setRepeat(mode)
    case .clear: .edit(.clear)
    case .undo: .undo
    case .redo: .redo
    case .redraw: .redraw
    case .suspend: .suspend
    case .quit: .quit(savesSession: true)
    case .quitWithoutSaving: .quit(savesSession: false)
    default: nil
    }
  }
}
