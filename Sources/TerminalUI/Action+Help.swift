extension Action {
  /// What it does, for the Help view.
  public var help: String {
    switch self {
    case .togglePause: "pause, or go on"
    case .pause: "pause"
    case .playFromStart: "play the track from its start"
    case .stop: "stop"
    case .next: "next track"
    case .previous: "previous track"
    case .seek(let seconds): "seek " + (seconds < 0 ? "back " : "forward ") + spelled(seconds.magnitude)
    case .undoSeek: "back to where the last seek began"
    case .volume(let percent): "volume " + (percent < 0 ? "down " : "up ") + "\(percent.magnitude) %"
    case .toggleMute: "mute, or let sound"
    case .toggleShuffle: "shuffle on or off"
    case .cycleRepeat: "repeat: off, all, one"
    case .move(let motion): motion.help
    case .switchFocus: "to the slider, and back to the list"
    case .playSelected: "play the selected track; on the slider: go there"
    case .selectPlaying: "to the track that is played"
    case .toggleRemaining: "time elapsed or remaining"
    case .show(.queue): "the queue"
    case .show(.log): "the log: what happened, when and why"
    case .show(.help): "this help"
    case .cancel: "leave the slider or this view"
    case .redraw: "draw the screen anew"
    case .suspend: "to the shell; fg comes back"
    case .quit: "quit"
    case .quitWithoutSaving: "quit without saving the session"
    }
  }
}

private func spelled(_ seconds: Double) -> String {
  seconds >= 60 && seconds < 1e6 ? "\(Int(seconds / 60)) min" : "\(Int(min(seconds, 1e6))) s"
}

extension ListMotion {
  fileprivate var help: String {
    switch self {
    case .rows(let rows): rows < 0 ? "up in the list" : "down in the list"
    case .pages(let pages): pages < 0 ? "a page up" : "a page down"
    case .halfPages(let halves): halves < 0 ? "half a page up" : "half a page down"
    case .first: "to the first row"
    case .last: "to the last row"
    }
  }
}
