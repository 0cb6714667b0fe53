internal import AudioModel
internal import AudioSession
internal import ByteIO
public import Playback
public import SignalProcessing

extension Command {
  /// The line that `Command.parse` reads; empty for requests that only programs make.
  public var text: String { words.line }

  /// The effect, for the Help view.
  public var help: String { words.help ?? words.line }

  private var words: (line: String, help: String?) {
    switch self {
    case .playback(let command): command.words
    case .resume: ("play", "resume or start")
    case .togglePause: ("toggle", "pause or resume")
    case .playFromStart: ("restart", "play the track from its start")
    case .next: ("next", "next track")
    case .previous: ("previous", "previous track")
    case .stopAfter(nil): ("stop-after", "stop after this track: on or off")
    case .stopAfter(.none?): ("stop-after off", "play on after this track and album")
    case .stopAfter(.each?): ("stop-after each", "stop after each track")
    case .stopAfter(let point?): ("stop-after " + point.word, "stop after this \(point.word)")
    case .consume(let mode):
      (
        "consume" + (mode.map { " " + $0.word } ?? ""),
        mode == nil ? "remove played tracks from the queue: on or off" : nil
      )
    case .seekToPercent(let percent): ("seek " + written(percent) + "%", "seek to \(written(percent))% of the track")
    case .seekChapter(let step): step < 0 ? ("chapter previous", "previous chapter") : ("chapter next", "next chapter")
    case .goLive: ("live", "jump to live")
    case .shiftLyrics(let shift): ("lyrics-shift " + shift.text, shift.help)
    case .changeVolume(let change):
      (
        "volume \(change < 0 ? "" : "+")\(percent(change))",
        "volume \(change < 0 ? "down" : "up") \(percent(change).magnitude)%"
      )
    case .setVolume(let volume): ("volume \(percent(volume))", "volume \(percent(volume))%")
    case .changeSound(let change): change.words
    case .setSession(let request): ("session " + request.words, nil)
    case .showSession: ("session", "show the audio session")
    case .showVolume: ("volume", "show the volume")
    case .toggleMute: ("mute", "mute or unmute")
    case .showOutputs: ("output", "show the output devices")
    case .setOutput(let name): ("output " + quoted(name), "play on the output \(name)")
    case .sleep(.after(let span)): ("sleep " + written(span.inSeconds / 60), nil)
    case .sleep(.chapter): ("sleep chapter", "pause at the end of the chapter")
    case .sleep(.off): ("sleep off", nil)
    case .sleep(.show): ("sleep", nil)
    case .alarm(.at(let minute)): ("alarm " + AlarmClock.text(minute: minute), nil)
    case .alarm(.off): ("alarm off", nil)
    case .alarm(.show): ("alarm", nil)
    case .toggleShuffle: ("shuffle", "shuffle on or off")
    case .cycleRepeat: ("repeat", "repeat: off, all, one")
    case .toggleRepeatOne: ("repeat toggle-one", "repeat this track, or nothing")
    case .setShuffle(let isOn): (isOn ? "shuffle on" : "shuffle off", nil)
    case .setRepeat(let mode): ("repeat " + mode.word, nil)
    case .find(let names, let destination, _):
      (destination.verb + (names.isEmpty ? "" : " " + names.text), destination.help(names.isEmpty ? nil : names.text))
    case .edit(.clear): ("clear", "remove all tracks")
    case .undo: ("undo", "undo the last change of queue, ratings or playlists")
    case .redo: ("redo", nil)
    case .save(let path, let replacesOther, _):
      ((replacesOther ? "save! " : "save ") + quoted(path.description), "save the queue as \(path)")
    case .detach: ("detach", "leave the terminal and play on")
    case .quit(savesSession: true): ("quit", "quit and save session")
    case .quit(savesSession: false): ("quit without-saving", "quit without saving the session")
    case .set(let setting, let value):
      ("set \(setting.rawValue)" + (Setting.secret.contains(setting) ? "" : "=" + quoted(value)), nil)
    case .showSetting(let setting): ("set \(setting.rawValue)", "show the value of \(setting.rawValue)")
    case .library(.similar(_, let destination)):
      (destination.verb + " " + PlayerVerbs.similar, destination.help("similar music"))
    case .library(let request): request.words
    case .play, .edit, .collect, .ask: ("", nil)
    }
  }
}

private func percent(_ share: Double) -> Int { Int((max(-1, min(1, share)) * 100).rounded()) }

extension PlaybackCommand {
  fileprivate var words: (line: String, help: String?) {
    switch self {
    case .pause: ("pause", nil)
    case .stop: ("stop", nil)
    case .seek(let seconds):
      (seconds == .infinity ? "live" : "seek " + written(seconds), "seek to \(timeText(seconds))")
    case .seekBy(let seconds):
      ("seek " + signed(seconds), "seek \(seconds < 0 ? "back" : "forward") \(spelled(seconds.magnitude))")
    case .interruptionBegan(.default, from: .simulation): ("session interrupt", "simulate an interruption")
    case .interruptionEnded(from: .simulation, let shouldResume):
      ("session end" + (shouldResume ? "" : " stay"), "end the simulated interruption")
    case .set(.ducked(true)): ("session duck on", "simulate ducking")
    case .set(.ducked(false)): ("session duck off", "end the simulated ducking")
    case .routeChanged(let reason): ("session route \(reason)", "simulate another output")
    case .play, .setNext, .resume, .togglePause, .set, .interruptionBegan, .interruptionEnded, .setSession: ("", nil)
    }
  }
}

private func spelled(_ seconds: Double) -> String {
  seconds >= 60 && seconds < 1e6 ? "\(Int(seconds / 60)) min" : "\(Int(min(seconds, 1e6))) s"
}

extension SoundChange {
  fileprivate var words: (line: String, help: String?) {
    switch self {
    case .gain(let mode): ("gain \(mode)", "ReplayGain mode: \(mode)")
    case .preamp(let decibels): ("preamp " + written(decibels), "preamp \(written(decibels)) dB")
    case .equalizer(let equalizer): ("eq " + equalizer.words, "equaliser: \(equalizer.words)")
    case .balance(let side): ("balance " + written(side), nil)
    case .addEffects(let list): ("effect add " + list.words, "add the effect \(list.words)")
    case .removeEffect(let number): ("effect remove \(number)", "remove effect \(number)")
    case .setEffects(let list) where list.effects.isEmpty: ("effect clear", "remove all effects")
    case .setEffects(let list): ("set effects=" + quoted(list.words), "effects: \(list.words)")
    case .speed(let factor): ("speed " + written(factor), nil)
    case .speedBy(let change): ("speed " + signed(change), change < 0 ? "slower" : "faster")
    case .speedTimes(let factor): ("speed *" + written(factor), "speed times \(written(factor))")
    case .speedOver(let divisor): ("speed /" + written(divisor), "speed divided by \(written(divisor))")
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
    case .list: "open"
    case .whole: "load"
    case .turn(.end): "add"
    case .turn(.next): "play-next"
    case .turn(.enqueued): "enqueue"
    }
  }

  /// - Parameter names: `nil` for the selection.
  fileprivate func help(_ names: String?) -> String {
    switch self {
    case .list: "play \(names ?? "the selection") in place of the queue"
    case .whole: "replace the queue with " + (names ?? "the selection, and play it")
    case .turn(.end): "add \(names ?? "the selection") to the end of the queue"
    case .turn(.next): "add \(names ?? "the selection") after the current track"
    case .turn(.enqueued): "add \(names ?? "the selection") after other queued tracks"
    }
  }
}

extension PlayQueue.StopPoint {
  public var word: String { self == .none ? "off" : "\(self)" }
}

extension PlayQueue.Consumption {
  public var word: String { "\(self)" }
}

extension PlayQueue.RepeatMode {
  public var word: String { "\(self)" }
}
