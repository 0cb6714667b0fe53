internal import AudioModel
internal import Playback

// The player's words for what happened: the Log view, the line mode and the message line say the same.
extension PlaybackNotice {
  /// One sentence, or nothing where the state says it already.
  var logText: String? {
    switch self {
    case .state(let state, let reason, _):
      state.word + (reason.phrase(for: state).map { " (\($0))" } ?? "")
    case .trackBegan(let entry): "now: \(entry.location)"
    case .trackFailed(let entry, let message), .trackDamaged(let entry, let message): "\(entry.location): \(message)"
    case .seeked(let position): "seek to \(clockText(position))"
    case .underrun: "the sound server ran dry"
    case .outputStalled: "the sound server does not start"
    case .routeChanged(let device): "sound goes to \(device)"
    case .outputFailed(let message): message
    case .needsNext, .informationRefined: nil
    }
  }

  /// Seconds into the track, where the event has a place.
  var position: Double? {
    switch self {
    case .state(_, _, let position), .seeked(let position): position
    default: nil
    }
  }

  /// Whether something could not be played.
  var isFailure: Bool {
    switch self {
    case .trackFailed, .trackDamaged, .outputFailed: true
    default: false
    }
  }

  /// Whether the listener should read it now, not only in the log.
  var isWorthReading: Bool {
    switch self {
    case .routeChanged: true
    default: isFailure
    }
  }
}

extension PlaybackState {
  /// The word for it.
  var word: String {
    switch self {
    case .stopped: "stopped"
    case .playing: "playing"
    case .waiting: "waiting"
    case .paused: "paused"
    }
  }
}

extension PlaybackReason {
  /// Its name in events.
  var word: String {
    switch self {
    case .user: "user"
    case .finished: "finished"
    case .failed: "failed"
    case .starting: "starting"
    case .seeking: "seeking"
    case .buffering: "buffering"
    case .interruption: "interruption"
    case .suspended: "suspended"
    case .routeLost: "route"
    case .serverLost: "server"
    }
  }

  /// What is said behind the state; nothing where the listener asked for it.
  func phrase(for state: PlaybackState) -> String? {
    switch self {
    case .user: nil
    case .finished: "finished"
    case .failed: "nothing could be played"
    case .starting: "opening"
    case .seeking: "seeking"
    case .buffering(let percent): "buffering" + (percent.map { " \($0) %" } ?? "")
    case .interruption: "interrupted"
    case .suspended: "suspended"
    case .routeLost: "device lost"
    case .serverLost: "sound server lost"
    }
  }
}

/// `1:02:03` or `2:03`.
func clockText(_ seconds: Double) -> String {
  let whole = Int(exactly: max(0, seconds.isFinite ? seconds : 0).rounded(.down)) ?? 0
  let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
  let (hours, minutes) = (whole / 3600, whole / 60 % 60)
  return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(whole % 60)
}
