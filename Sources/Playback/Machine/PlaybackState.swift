/// The state of the player (the numbers are the published ones).
public enum PlaybackState: Int, Sendable, Hashable {
  /// At rest: nothing is open.
  case stopped = 0
  /// The device plays.
  case playing = 1
  /// Playback was requested and cannot continue yet: `PlaybackReason` has the cause.
  case waiting = 2
  /// Silent at a position, until `resume`.
  case paused = 3
}

/// The reason for the player's state.
public enum PlaybackReason: Sendable, Hashable {
  /// The listener requested it.
  case user
  /// The end of the last track was heard.
  case finished
  /// The listener requested a stop after the track, and its end was heard.
  case stopAfterTrack
  /// The listener requested a stop after the album, and its end was heard.
  case stopAfterAlbum
  /// Nothing more could be played; the error has been announced.
  case failed
  /// Waiting: the track is being opened.
  case starting
  /// Waiting: a seek is pending.
  case seeking
  /// Waiting: the server has not answered yet.
  case connecting
  /// Waiting: data arrive slower than they are played; the percentage of the needed data that has arrived.
  case buffering(percent: Int?)
  /// Waiting: the connection was lost; seconds to the next attempt, at the moment of this report.
  case reconnecting(seconds: Int)
  /// Waiting: the server is busy; seconds to the next attempt, at the moment of this report.
  case serverBusy(seconds: Int)
  /// Waiting: the disk of the file does not answer.
  case diskStalled
  /// Waiting: the file ends here, and is still being written.
  case fileGrows
  /// Paused because of another program, such as a call.
  case interruption
  /// Paused because the program was stopped in its terminal (SIGTSTP).
  case suspended
  /// The device was removed: paused until the listener resumes, or waiting for another device.
  case routeLost
  /// Waiting: the device plays nothing, because it was suspended, does not start, or stands still.
  case outputStalled
  /// Waiting: the sound server has no device.
  case noDevice
  /// The sound server cannot be reached.
  case serverLost
  /// Waiting: the sound server did not open a stream; the player retries.
  case streamNotOpened
}

extension PlaybackReason {
  /// True for a player that waits for its output, not for its source.
  public var concernsOutput: Bool {
    [.outputStalled, .noDevice, .routeLost, .serverLost, .streamNotOpened].contains(self)
  }

  /// The reason without its numbers: changes of the numbers alone are not announced.
  var kind: PlaybackReason {
    switch self {
    case .buffering: .buffering(percent: nil)
    case .reconnecting: .reconnecting(seconds: 0)
    case .serverBusy: .serverBusy(seconds: 0)
    default: self
    }
  }
}
