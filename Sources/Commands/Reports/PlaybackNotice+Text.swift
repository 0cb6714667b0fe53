internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import ByteIO
public import Playback

// The sentences of events, the same for the Log view, the line mode and the message line.
extension PlaybackNotice {
  /// One sentence; `nil` if the state says it already.
  public var logText: String? { text(.full, nameLength: .max) }

  /// The sentence with a short name, for one line.
  public var lineText: String? { text(.reason, nameLength: 32) }

  /// The problem of a failure; `nil` for other notices.
  public func problem(_ detail: FailureDetail) -> String? {
    switch self {
    case .trackFailed(_, let error): error.text(detail)
    case .trackDamaged(_, let damage): detail == .reason ? damage.reason : damage.description
    case .outputFailed(let error): error.description
    case .soundUnchanged(let error): detail == .full ? error.description : error.reason
    default: nil
    }
  }

  private func text(_ detail: FailureDetail, nameLength: Int) -> String? {
    switch self {
    case .state(let state, let reason, _):
      state.word + (state == .playing || reason == .user ? "" : " (\(reason.words))")
    case .trackBegan(let entry, let name): "now: \(name?.description ?? entry.location.name)"
    case .foundPlaylist(let entry, let locations): "\(entry.location.name): a playlist of \(locations.count)"
    case .trackFailed(let entry, _), .trackDamaged(let entry, _):
      entry.location.name.prefix(nameLength) + (entry.location.name.count > nameLength ? "…: " : ": ")
        + (problem(detail) ?? "")
    case .seeked(let position, let isEstimated): "seek to \(isEstimated ? "~" : "")\(timeText(position))"
    case .seekRefused: "that part of the stream is not available"
    case .titleChanged(let title): "now on air: \(title)"
    case .shiftLost(let seconds): "oldest \(timeText(seconds)) dropped from the buffer"
    case .connection(.connectionLost(let reason, let seconds)):
      "connection lost (\(reason)), retrying in \(Self.whole(seconds)) s"
    case .connection(.busy(let reason, let seconds)):
      "the server is busy (\(reason)), trying again in \(Self.whole(seconds)) s"
    case .connection(.ended(let reason)): "the rest is missing on the server (\(reason))"
    case .connection(.rejoined): "reconnected (a gap was skipped)"
    case .connection(.skipped(let seconds)):
      "\(max(1, Int(min(seconds, 1e6).rounded()))) s are missing on the server and are skipped"
    case .connection(.replacesFile(let server)): "the file is missing: played from \(server)"
    case .connection(.replacesServer(let silent, let server)): "\(silent) does not answer: played from \(server)"
    case .underrun: "playback underrun"
    case .outputStalled: "the audio device is not responding"
    case .routeChanged(let route, let reason):
      reason == .oldDeviceUnavailable
        ? "device removed; now playing on \(route.description)" : "now playing on \(route.description)"
    case .sessionRefused(let error): detail == .full ? error.description : error.reason
    case .duckingUnavailable: "cannot lower other programs' volume"
    case .othersChanged(let others):
      others.caller.map { "call from \($0.prefix(40))" } ?? (others.isPlaying ? "another program is playing too" : nil)
    case .outputFailed, .soundUnchanged: problem(detail)
    case .slowedToLive: "speed back to 1.0: this station is live"
    case .needsNext, .informationRefined, .buffered, .volumeChanged, .muteChanged, .clockCorrected: nil
    }
  }

  private static func whole(_ seconds: Double) -> Int { Int(max(0, min(seconds, 1e6)).rounded(.up)) }

  /// The position of the event in seconds.
  public var position: Double? {
    switch self {
    case .state(_, _, let position), .seeked(let position, _): position
    default: nil
    }
  }

  /// A problem with a track or the output.
  public var isFailure: Bool { problem(.reason) != nil }

  /// The listener should read it now, not only in the log.
  public var isWorthReading: Bool {
    switch self {
    case .routeChanged, .seekRefused, .sessionRefused, .connection, .shiftLost, .slowedToLive: true
    default: isFailure
    }
  }
}

extension PlaybackReason {
  /// The name in `--events`, which never changes.
  public var eventName: String {
    switch self {
    case .user: "user"
    case .finished, .stopAfterTrack, .stopAfterAlbum: "finished"
    case .failed: "failed"
    case .starting: "starting"
    case .seeking: "seeking"
    case .connecting: "connecting"
    case .buffering: "buffering"
    case .reconnecting: "reconnecting"
    case .serverBusy: "busy"
    case .diskStalled: "disk"
    case .fileGrows: "growth"
    case .interruption: "interruption"
    case .suspended: "suspended"
    case .routeLost: "route"
    case .serverLost: "server"
    case .streamNotOpened: "stream"
    case .outputStalled: "device"
    case .noDevice: "nodevice"
    }
  }
}

extension RouteChangeReason {
  /// The name in `--events`.
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
