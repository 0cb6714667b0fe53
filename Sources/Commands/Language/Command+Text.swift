internal import AudioModel
internal import AudioSession
internal import ByteIO
public import Playback
public import SignalProcessing

extension Command {
  /// The line that `Command.parse` reads; empty for requests that only programs make.
  public var text: String {
    switch self {
    case .playback(let command): command.text
    case .resume: "play"
    case .togglePause: "toggle"
    case .playFromStart: "restart"
    case .next: "next"
    case .previous: "previous"
    case .stopAfter(let point): "stop-after" + (point.map { " " + $0.word } ?? "")
    case .seekToPercent(let percent): "seek " + written(percent) + "%"
    case .seekChapter(let step): "chapter " + (step < 0 ? "previous" : "next")
    case .goLive: "live"
    case .shiftLyrics(let shift): "lyrics-shift " + shift.text
    case .changeVolume(let change): "volume " + (change < 0 ? "" : "+") + "\(percent(change))"
    case .setVolume(let volume): "volume \(percent(volume))"
    case .changeSound(let change): change.text
    case .setSession(let request): "session " + request.words
    case .showSession: "session"
    case .toggleMute: "mute"
    case .showOutputs: "output"
    case .setOutput(let name): "output " + quoted(name)
    case .sleep(.after(let span)): "sleep " + written(span.inSeconds / 60)
    case .sleep(.off): "sleep off"
    case .sleep(.show): "sleep"
    case .alarm(.at(let minute)): "alarm " + AlarmClock.text(minute: minute)
    case .alarm(.off): "alarm off"
    case .alarm(.show): "alarm"
    case .toggleShuffle: "shuffle"
    case .cycleRepeat: "repeat"
    case .toggleRepeatOne: "repeat toggle-one"
    case .setShuffle(let isOn): "shuffle " + (isOn ? "on" : "off")
    case .setRepeat(let mode): "repeat " + mode.word
    case .find(let names, .whole, _): "load" + (names.isEmpty ? "" : " " + names.text)
    case .find(let names, let destination, _): destination.verb + (names.isEmpty ? "" : " " + names.text)
    case .edit(.clear): "clear"
    case .undo: "undo"
    case .redo: "redo"
    case .save(let path, let replacesOther, _): (replacesOther ? "save! " : "save ") + quoted(path.description)
    case .detach: "detach"
    case .quit(let savesSession): savesSession ? "quit" : "quit-without-saving"
    case .set(let setting, _) where Setting.secret.contains(setting): "set \(setting.rawValue)"
    case .set(let setting, let value): "set \(setting.rawValue)=" + quoted(value)
    case .showSetting(let setting): "set \(setting.rawValue)"
    case .library(let request): request.text
    case .play, .edit, .collect, .ask: ""
    }
  }
}

/// A share in percent.
private func percent(_ share: Double) -> Int { Int((max(-1, min(1, share)) * 100).rounded()) }

extension PlaybackCommand {
  fileprivate var text: String {
    switch self {
    case .pause: "pause"
    case .stop: "stop"
    case .seek(let seconds): seconds == .infinity ? "live" : "seek " + written(seconds)
    case .seekBy(let seconds): "seek " + (seconds < 0 ? "" : "+") + written(seconds)
    case .interruptionBegan(.default, from: .simulation): "session interrupt"
    case .interruptionEnded(from: .simulation, let shouldResume): "session end" + (shouldResume ? "" : " stay")
    case .setDucked(let isDucked): "session duck " + (isDucked ? "on" : "off")
    case .routeChanged(let reason): "session route \(reason)"
    default: ""
    }
  }

  fileprivate var help: String {
    switch self {
    case .pause: "pause"
    case .stop: "stop"
    case .seek(let seconds): "seek to \(timeText(seconds))"
    case .seekBy(let seconds): "seek " + (seconds < 0 ? "back " : "forward ") + spelled(seconds.magnitude)
    case .interruptionBegan: "simulate an interruption"
    case .interruptionEnded: "end the simulated interruption"
    case .setDucked(let isDucked): isDucked ? "simulate ducking" : "end the simulated ducking"
    case .routeChanged: "simulate another output"
    default: ""
    }
  }
}

private func spelled(_ seconds: Double) -> String {
  seconds >= 60 && seconds < 1e6 ? "\(Int(seconds / 60)) min" : "\(Int(min(seconds, 1e6))) s"
}

extension Command {
  /// The effect, for the Help view.
  public var help: String {
    switch self {
    case .playback(let command): command.help
    case .resume: "resume or start"
    case .togglePause: "pause or resume"
    case .playFromStart: "play the track from its start"
    case .next: "next track"
    case .previous: "previous track"
    case .stopAfter(nil): "stop after this track: on or off"
    case .stopAfter(.none?): "play on after this track and album"
    case .stopAfter(let point?): "stop after this \(point.word)"
    case .seekToPercent(let percent): "seek to \(written(percent))% of the track"
    case .seekChapter(let step): step < 0 ? "previous chapter" : "next chapter"
    case .goLive: "jump to live"
    case .shiftLyrics(let shift): shift.help
    case .changeVolume(let change): "volume " + (change < 0 ? "down " : "up ") + "\(percent(change).magnitude)%"
    case .setVolume(let volume): "volume \(percent(volume))%"
    case .changeSound(let change): change.help
    case .showSession: "show the audio session"
    case .toggleMute: "mute or unmute"
    case .showOutputs: "show the output devices"
    case .setOutput(let name): "play on the output \(name)"
    case .toggleShuffle: "shuffle on or off"
    case .cycleRepeat: "repeat: off, all, one"
    case .toggleRepeatOne: "repeat this track, or nothing"
    case .setShuffle(let isOn): "shuffle \(isOn ? "on" : "off")"
    case .setRepeat(let mode): "repeat \(mode.word)"
    case .find(let names, .whole, _):
      names.isEmpty ? "replace the queue with the selection, and play it" : "replace the queue with \(names.text)"
    case .find(let names, .now, _): names.isEmpty ? "play the selection" : "play \(names.text)"
    case .find(let names, .turn(let placement), _):
      (names.isEmpty ? "add the selection" : "add \(names.text)") + placement.help
    case .edit(.clear): "remove all tracks"
    case .undo: "undo the last change of the queue (in playlists: of playlists)"
    case .redo: "redo"
    case .save(let path, _, _): "save the queue as \(path)"
    case .detach: "leave the terminal and play on"
    case .quit(let savesSession): savesSession ? "quit and save session" : "quit without saving the session"
    case .showSetting(let setting): "show the value of \(setting.rawValue)"
    case .library(let request): request.help
    default: text
    }
  }
}

extension SoundChange {
  fileprivate var text: String {
    switch self {
    case .gain(let mode): "gain \(mode)"
    case .preamp(let decibels): "preamp " + written(decibels)
    case .equalizer(let equalizer): "eq " + equalizer.words
    case .balance(let side): "balance " + written(side)
    case .addEffects(let list): "effect add " + list.words
    case .removeEffect(let number): "effect remove \(number)"
    case .setEffects(let list): list.effects.isEmpty ? "effect clear" : "set effects=" + quoted(list.words)
    case .speed(let factor): "speed " + written(factor)
    case .speedBy(let change): "speed " + (change < 0 ? "" : "+") + written(change)
    case .speedTimes(let factor): "speed *" + written(factor)
    case .speedOver(let divisor): "speed /" + written(divisor)
    }
  }

  fileprivate var help: String {
    switch self {
    case .gain(let mode): "ReplayGain mode: \(mode)"
    case .preamp(let decibels): "preamp \(written(decibels)) dB"
    case .equalizer(let equalizer): "equaliser: \(equalizer.words)"
    case .balance(let side): "balance \(written(side))"
    case .addEffects(let list): "add the effect \(list.words)"
    case .removeEffect(let number): "remove effect \(number)"
    case .setEffects(let list): list.effects.isEmpty ? "remove all effects" : "effects: \(list.words)"
    case .speed(let factor): "speed \(written(factor))"
    case .speedBy(let change): change < 0 ? "slower" : "faster"
    case .speedTimes(let factor): "speed times \(written(factor))"
    case .speedOver(let divisor): "speed divided by \(written(divisor))"
    }
  }
}

extension Equalizer {
  /// The form of the command language.
  public var words: String { presetName ?? gains.map(written).joined(separator: ",") }
}

extension Command.Destination {
  fileprivate var verb: String {
    switch self {
    case .now: "open"
    case .whole: "load"
    case .turn(.end): "add"
    case .turn(.next): "play-next"
    case .turn(.enqueued): "enqueue"
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

extension PlayQueue.StopPoint {
  /// The name in commands.
  public var word: String {
    switch self {
    case .none: "off"
    case .track: "track"
    case .album: "album"
    }
  }
}

extension PlayQueue.RepeatMode {
  /// The name in commands.
  public var word: String {
    switch self {
    case .off: "off"
    case .all: "all"
    case .one: "one"
    }
  }
}
