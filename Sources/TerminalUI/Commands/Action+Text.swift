public import Playback
internal import SignalProcessing

extension Action {
  /// The command that asks for it, in the language that `Verb` reads.
  public var text: String {
    switch self {
    case .play: "play"
    case .togglePause: "toggle"
    case .pause: "pause"
    case .playFromStart: "restart"
    case .stop: "stop"
    case .next: "next"
    case .previous: "previous"
    case .toggleStopAfterCurrent: "stop-after"
    case .seek(let seconds): "seek " + (seconds < 0 ? "" : "+") + written(seconds)
    case .seekTo(let seconds): "seek " + written(seconds)
    case .seekToPercent(let percent): "seek " + written(percent) + "%"
    case .chapter(let step): "chapter " + (step < 0 ? "previous" : "next")
    case .undoSeek: "back"
    case .goLive: "live"
    case .mark(let mark): "mark \(mark)"
    case .volume(let percent): "volume " + (percent < 0 ? "" : "+") + "\(percent)"
    case .setVolume(let percent): "volume \(percent)"
    case .changeSound(let change): change.text
    case .toggleMute: "mute"
    case .toggleShuffle: "shuffle"
    case .cycleRepeat: "repeat"
    case .toggleRepeatOne: "repeat toggle-one"
    case .setShuffle(let isOn): "shuffle " + (isOn ? "on" : "off")
    case .setRepeat(let mode): "repeat " + mode.word
    case .add(let names, let placement): placement.verb + (names.isEmpty ? "" : " " + names.text)
    case .open(let names): "open" + (names.isEmpty ? "" : " " + names.text)
    case .remove: "remove"
    case .clear: "clear"
    case .undo: "undo"
    case .redo: "redo"
    case .moveTrack(let rows): "move-track " + (rows < 0 ? "up" : "down")
    case .save(let path, let replacesOther): (replacesOther ? "save! " : "save ") + quoted(path)
    case .load(let path): "load " + quoted(path)
    case .keepStream(let address, let title):
      (["keep"] + [address, title].compactMap(\.self).map(quoted)).joined(separator: " ")
    case .rename(let title): "rename " + title
    case .move(let motion): "move " + motion.word
    case .switchFocus: "focus"
    case .playSelected: "enter"
    case .selectPlaying: "go-playing"
    case .search(let text): "search" + (text.map { " " + $0 } ?? "")
    case .filter(let text): "filter" + (text.map { " " + $0 } ?? "")
    case .searchNext: "search-next"
    case .searchPrevious: "search-previous"
    case .prompt(let text): text.isEmpty ? "command" : "command " + text
    case .changeFolder(let path): "cd " + quoted(path)
    case .parentFolder: "parent"
    case .toggleRemaining: "remaining"
    case .show(let view): "view \(view)"
    case .cancel: "cancel"
    case .redraw: "redraw"
    case .suspend: "suspend"
    case .quit: "quit"
    case .quitWithoutSaving: "quit-without-saving"
    case .set(let setting, let value): "set \(setting.rawValue)=" + quoted(value)
    case .tell(let setting): "set \(setting.rawValue)"
    case .bind(let keys, let action): "bind \(keys) \(action.text)"
    case .unbind(let keys): "unbind \(keys)"
    case .style(let style, let appearance): "style \(style.name) \(appearance)"
    }
  }
}

/// A number without a fraction that says nothing.
func written(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? String(number) }

/// A word as the command language takes it for one.
func quoted(_ word: String) -> String {
  guard word.isEmpty || word.contains(where: { " \t'\"\\#".contains($0) }) else { return word }
  return "'" + word.replacing("'", with: "'\\''") + "'"
}

extension SoundChange {
  fileprivate var text: String {
    switch self {
    case .gain(let mode): "gain \(mode)"
    case .preamp(let decibels): "preamp " + written(decibels)
    case .equalizer(let equalizer): "eq " + equalizer.words
    case .balance(let side): "balance " + written(side)
    case .speed(let factor): "speed " + written(factor)
    case .speedBy(let change): "speed " + (change < 0 ? "" : "+") + written(change)
    case .speedTimes(let factor): "speed *" + written(factor)
    case .speedOver(let divisor): "speed /" + written(divisor)
    }
  }
}

extension Equalizer {
  /// As commands write it.
  var words: String { presetName ?? gains.map(written).joined(separator: ",") }
}

extension PlayQueue.Placement {
  fileprivate var verb: String {
    switch self {
    case .end: "add"
    case .next: "play-next"
    case .enqueued: "enqueue"
    }
  }
}

extension PlayQueue.RepeatMode {
  /// Its name in commands.
  public var word: String {
    switch self {
    case .off: "off"
    case .all: "all"
    case .one: "one"
    }
  }
}

extension ListMotion {
  /// The motions that have names.
  static let named: [(word: String, motion: ListMotion)] = [
    ("up", .rows(-1)), ("down", .rows(1)), ("page-up", .pages(-1)), ("page-down", .pages(1)),
    ("half-page-up", .halfPages(-1)), ("half-page-down", .halfPages(1)), ("first", .first), ("last", .last),
  ]

  fileprivate var word: String { Self.named.first { $0.motion == self }?.word ?? "" }
}
