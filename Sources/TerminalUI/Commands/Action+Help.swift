internal import Playback

extension Action {
  /// What it does, for the Help view.
  public var help: String {
    switch self {
    case .play: "go on, or start"
    case .togglePause: "pause, or go on"
    case .pause: "pause"
    case .playFromStart: "play the track from its start"
    case .stop: "stop"
    case .next: "next track"
    case .previous: "previous track"
    case .toggleStopAfterCurrent: "stop after this track, or not"
    case .seek(let seconds): "seek " + (seconds < 0 ? "back " : "forward ") + spelled(seconds.magnitude)
    case .seekTo(let seconds): "to \(timeText(seconds))"
    case .seekToPercent(let percent): "to \(written(percent)) % of the track"
    case .chapter(let step): step < 0 ? "to the chapter before" : "to the next chapter"
    case .undoSeek: "back to where the last seek began; in Files, to the folder above"
    case .goLive: "to what a station sends now"
    case .mark(.a): "mark A: play from here"
    case .mark(.b): "mark B: play to here, and from A again"
    case .mark(.clear): "take the marks away"
    case .mark(.cycle): "set loop start, set loop end, clear loop"
    case .volume(let percent): "volume " + (percent < 0 ? "down " : "up ") + "\(percent.magnitude) %"
    case .setVolume(let percent): "volume \(percent) %"
    case .changeSound(let change): change.help
    case .toggleMute: "mute, or let sound"
    case .toggleShuffle: "shuffle on or off"
    case .cycleRepeat: "repeat: off, all, one"
    case .toggleRepeatOne: "repeat this track, or nothing"
    case .setShuffle(let isOn): "shuffle \(isOn ? "on" : "off")"
    case .setRepeat(let mode): "repeat \(mode.word)"
    case .add(let names, let placement):
      (names.isEmpty ? "add what is selected" : "add \(names.text)") + placement.help
    case .open(let names): names.isEmpty ? "play what is selected" : "play \(names.text)"
    case .remove: "remove the selected track from the queue"
    case .clear: "remove all tracks"
    case .undo: "undo the last change of the queue"
    case .redo: "make that change again"
    case .moveTrack(let rows): "move the selected track " + (rows < 0 ? "up" : "down")
    case .save(let path, _): "save the queue as \(path)"
    case .load(let path): "play \(path) in place of the queue"
    case .keepStream(let address, _): "keep \(address ?? "what is selected, or played,") in Streams"
    case .rename(let title): "call the selected stream \(title)"
    case .move(let motion): motion.help
    case .switchFocus: "to the slider, and back to the list"
    case .playSelected: "play what is selected, or open it; on the slider: go there"
    case .selectPlaying: "to the track that is played"
    case .search: "search as you type"
    case .filter: "show only what matches, as you type"
    case .searchNext: "next match"
    case .searchPrevious: "previous match"
    case .prompt(""): "command line: Tab completes, Up goes back"
    case .prompt(let text):
      "command line: \(text) " + (Verb.all.first { $0.name == text && !$0.synopsis.isEmpty }?.synopsis ?? "…")
    case .changeFolder(let path): "show the folder \(path)"
    case .parentFolder: "show the folder above"
    case .toggleRemaining: "time elapsed or remaining"
    case .show(let view): view.help
    case .cancel: "leave the slider, the filter or this view"
    case .redraw: "draw the screen anew"
    case .suspend: "to the shell; fg comes back"
    case .quit: "quit, and come back to this next time"
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
    case .gain(let mode): "loudness by tags: \(mode)"
    case .preamp(let decibels): "\(written(decibels)) dB louder"
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
    case .end: " at the end of the queue"
    case .next: ": play it next"
    case .enqueued: ": play it after what was enqueued before"
    }
  }
}

extension ScreenView {
  fileprivate var help: String {
    switch self {
    case .queue: "the queue"
    case .files: "files and folders"
    case .streams: "addresses that are kept, and those heard lately"
    case .log: "the log: what happened, when and why"
    case .info: "all that is known of the track"
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
    case .first: "to the first row"
    case .last: "to the last row"
    }
  }
}
