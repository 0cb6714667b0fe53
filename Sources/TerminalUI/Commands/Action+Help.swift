internal import Playback

extension Action {
  /// What it does, for the Help view.
  public var help: String {
    switch self {
    case .play: "resume or start"
    case .togglePause: "pause or resume"
    case .pause: "pause"
    case .playFromStart: "play the track from its start"
    case .stop: "stop"
    case .next: "next track"
    case .previous: "previous track"
    case .toggleStopAfterCurrent: "stop after this track: on or off"
    case .seek(let seconds): "seek " + (seconds < 0 ? "back " : "forward ") + spelled(seconds.magnitude)
    case .seekTo(let seconds): "seek to \(timeText(seconds))"
    case .seekToPercent(let percent): "seek to \(written(percent))% of the track"
    case .chapter(let step): step < 0 ? "previous chapter" : "next chapter"
    case .undoSeek: "undo seek (Files: parent folder)"
    case .goLive: "jump to live"
    case .mark(.a): "set loop start"
    case .mark(.b): "set loop end"
    case .mark(.clear): "clear loop"
    case .mark(.cycle): "set loop start, set loop end, clear loop"
    case .volume(let percent): "volume " + (percent < 0 ? "down " : "up ") + "\(percent.magnitude)%"
    case .setVolume(let percent): "volume \(percent)%"
    case .changeSound(let change): change.help
    case .toggleMute: "mute or unmute"
    case .toggleShuffle: "shuffle on or off"
    case .cycleRepeat: "repeat: off, all, one"
    case .toggleRepeatOne: "repeat this track, or nothing"
    case .setShuffle(let isOn): "shuffle \(isOn ? "on" : "off")"
    case .setRepeat(let mode): "repeat \(mode.word)"
    case .add(let names, let placement):
      (names.isEmpty ? "add the selection" : "add \(names.text)") + placement.help
    case .open(let names): names.isEmpty ? "play the selection" : "play \(names.text)"
    case .remove: "remove the selected track from the queue"
    case .clear: "remove all tracks"
    case .undo: "undo the last change of the queue"
    case .redo: "redo"
    case .moveTrack(let rows): "move the selected track " + (rows < 0 ? "up" : "down")
    case .save(let path, _): "save the queue as \(path)"
    case .load(let path): "replace the queue with \(path)"
    case .keepStream(let address, _): "save \(address ?? "the selected or current stream") in Streams"
    case .rename(let title): "rename the selected stream to \(title)"
    case .move(let motion): motion.help
    case .switchFocus: "switch focus between list and slider"
    case .playSelected: "play or open the selection; on the slider: seek there"
    case .selectPlaying: "select the current track"
    case .search: "search as you type"
    case .filter: "show only what matches, as you type"
    case .searchNext: "next match"
    case .searchPrevious: "previous match"
    case .prompt(""): "command line: Tab completes, Up recalls"
    case .prompt(let text):
      "command line: \(text) " + (Verb.all.first { $0.name == text && !$0.synopsis.isEmpty }?.synopsis ?? "…")
    case .changeFolder(let path): "show the folder \(path)"
    case .parentFolder: "show the parent folder"
    case .toggleRemaining: "show elapsed or remaining time"
    case .show(let view): view.help
    case .cancel: "leave the slider, the filter or this view"
    case .redraw: "redraw"
    case .suspend: "suspend (fg returns)"
    case .quit: "quit and save session"
    case .quitWithoutSaving: "quit without saving the session"
    case .tell(let setting): "show the value of \(setting.rawValue)"
    case .set, .bind, .unbind, .style: text
    }
  }
}

private func spelled(_ seconds: Double) -> String {
  seconds >= 60 && seconds < 1e6 ? "\(Int(seconds / 60)) min" : "\(Int(min(seconds, 1e6))) s"
}

extension SoundChange {
  fileprivate var help: String {
    switch self {
    case .gain(let mode): "ReplayGain mode: \(mode)"
    case .preamp(let decibels): "preamp \(written(decibels)) dB"
    case .equalizer(let equalizer): "equaliser: \(equalizer.words)"
    case .balance(let side): "balance \(written(side))"
    case .speed(let factor): "speed \(written(factor))"
    case .speedBy(let change): change < 0 ? "slower" : "faster"
    case .speedTimes(let factor): "speed times \(written(factor))"
    case .speedOver(let divisor): "speed divided by \(written(divisor))"
    }
  }
}

extension PlayQueue.Placement {
  fileprivate var help: String {
    switch self {
    case .end: " to the end of the queue"
    case .next: " after the current track"
    case .enqueued: " after other queued tracks"
    }
  }
}

extension ScreenView {
  fileprivate var help: String {
    switch self {
    case .queue: "the queue"
    case .files: "files and folders"
    case .streams: "saved and recent streams"
    case .log: "event log"
    case .info: "track details"
    case .help: "this help"
    }
  }
}

extension ListMotion {
  fileprivate var help: String {
    switch self {
    case .rows(let rows): rows < 0 ? "up in the list" : "down in the list"
    case .pages(let pages): pages < 0 ? "a page up" : "a page down"
    case .halfPages(let halves): halves < 0 ? "half a page up" : "half a page down"
    case .first: "first row"
    case .last: "last row"
    }
  }
}
