internal import AudioModel
internal import AudioSession
internal import ByteIO
internal import Playback
internal import Streaming
internal import TerminalUI

// The player's words for what happened: the Log view, the line mode and the message line say the same.
extension PlaybackNotice {
  /// One sentence, or nothing where the state says it already.
  var logText: String? { text(nameLength: .max) }

  /// The same in a line, in which a long name leaves room for what is said of it.
  var lineText: String? { text(nameLength: 32) }

  private func text(nameLength: Int) -> String? {
    switch self {
    case .state(let state, let reason, _):
      state.word + (state == .playing || reason == .user ? "" : " (\(reason.words))")
    case .trackBegan(let entry, let name): "now: \(name?.description ?? entry.location.name)"
    case .foundPlaylist(let entry, let locations): "\(entry.location.name): a playlist of \(locations.count)"
    case .trackFailed(let entry, let message), .trackDamaged(let entry, let message):
      entry.location.name.prefix(nameLength) + (entry.location.name.count > nameLength ? "…: " : ": ") + message
    case .seeked(let position, let isEstimated): "seek to \(isEstimated ? "~" : "")\(timeText(position))"
    case .seekRefused: "that part of the stream is not available"
    case .titleChanged(let title): "now on air: \(title)"
    case .shiftLost(let seconds): "oldest \(timeText(seconds)) dropped from the buffer"
    case .connection(.connectionLost(let reason, let seconds)):
      "connection lost (\(reason)), retrying in \(Int(max(0, min(seconds, 1e6)).rounded(.up))) s"
    case .connection(.rejoined): "reconnected (a gap was skipped)"
    case .underrun: "playback underrun"
    case .outputStalled: "the audio device is not responding"
    case .routeChanged(let route, let reason):
      reason == .oldDeviceUnavailable
        ? "device removed; now playing on \(route.description)" : "now playing on \(route.description)"
    case .duckingUnavailable: "cannot lower other programs' volume"
    case .othersChanged(let others):
      others.caller.map { "call from \($0.prefix(40))" } ?? (others.isPlaying ? "another program is playing too" : nil)
    case .outputFailed(let message), .soundUnchanged(let message): message
    case .slowedToLive: "speed back to 1.0: this station is live"
    case .needsNext, .informationRefined, .buffered, .volumeChanged: nil
    }
  }

  /// Seconds into the track, where the event has a place.
  var position: Double? {
    switch self {
    case .state(_, _, let position), .seeked(let position, _): position
    default: nil
    }
  }

  /// Whether something could not be played.
  var isFailure: Bool {
    switch self {
    case .trackFailed, .trackDamaged, .outputFailed, .soundUnchanged: true
    default: false
    }
  }

  /// Whether the listener should read it now, not only in the log.
  var isWorthReading: Bool {
    switch self {
    case .routeChanged, .seekRefused, .connection, .shiftLost, .slowedToLive: true
    default: isFailure
    }
  }
}

extension PlaybackReason {
  /// Its name in `--events`, which never changes.
  var eventName: String {
    switch self {
    case .user: "user"
    case .finished, .stopAfterTrack: "finished"
    case .failed: "failed"
    case .starting: "starting"
    case .seeking: "seeking"
    case .connecting: "connecting"
    case .buffering: "buffering"
    case .reconnecting: "reconnecting"
    case .interruption: "interruption"
    case .suspended: "suspended"
    case .routeLost: "route"
    case .serverLost: "server"
    case .streamNotOpened: "stream"
    case .outputStalled: "device"
    }
  }
}

extension RouteChangeReason {
  /// Its name in `--events`.
  var eventName: String {
    switch self {
    case .unknown: "unknown"
    case .newDeviceAvailable: "newDevice"
    case .oldDeviceUnavailable: "oldDeviceGone"
    case .categoryChange: "category"
    case .override: "override"
    case .wakeFromSleep: "wake"
    case .noSuitableRouteForCategory: "noRoute"
    case .routeConfigurationChange: "configuration"
    }
  }
}
