public import Playback

/// Minutes and seconds, and hours if needed: `2:03`, `1:02:03`; `--:--` if unknown.
public func timeText(_ seconds: Double?) -> String {
  guard let seconds, seconds >= 0, seconds < 1e9 else { return "--:--" }
  let whole = Int(seconds)
  let padded = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
  let minutes = whole / 60 % 60
  let hours = whole / 3600
  return (hours > 0 ? "\(hours):\(padded(minutes))" : "\(minutes)") + ":" + padded(whole % 60)
}

/// The end of a sentence on a change that can be undone. A screen names its key in place of the command.
public func undoHint(_ way: String = "undo") -> String { "; \(way) brings it back" }

/// `5,000`.
public func grouped(_ number: Int) -> String {
  let digits = String(number.magnitude)
  var text = ""
  for (place, digit) in digits.enumerated() {
    if place > 0, (digits.count - place).isMultiple(of: 3) { text.append(",") }
    text.append(digit)
  }
  return (number < 0 ? "-" : "") + text
}

extension PlaybackState {
  public var word: String {
    switch self {
    case .stopped: "stopped"
    case .playing: "playing"
    case .waiting: "waiting"
    case .paused: "paused"
    }
  }
}

extension PlaybackReason {
  public var words: String {
    switch self {
    case .user: "by you"
    case .finished: "end of the queue"
    case .stopAfterTrack: "stop after this track"
    case .stopAfterAlbum: "stop after this album"
    case .failed: "nothing could be played"
    case .starting: "opening"
    case .seeking: "seeking"
    case .connecting: "connecting"
    case .buffering(let percent): percent.map { "buffering \($0)%" } ?? "buffering"
    case .reconnecting(let seconds): seconds > 0 ? "reconnecting in \(seconds) s" : "reconnecting"
    case .serverBusy(let seconds): "the server is busy, trying again" + (seconds > 0 ? " in \(seconds) s" : "")
    case .diskStalled: "the disk does not answer"
    case .fileGrows: "the file grows"
    case .interruption: "interrupted"
    case .suspended: "suspended"
    case .routeLost: "device removed"
    case .serverLost: "sound server lost"
    case .streamNotOpened: "the sound server did not open a stream; retrying"
    case .outputStalled: "audio device not responding"
    case .noDevice: "no audio device"
    }
  }
}
