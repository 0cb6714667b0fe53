/// The state of the player (the numbers are the published ones).
public enum PlaybackState: Int, Sendable, Hashable {
  case stopped = 0
  case playing = 1
  case waiting = 2
  case paused = 3
}

/// Why the player is in its state, or how it got there.
public enum PlaybackReason: Sendable, Hashable {
  /// The listener asked for it.
  case user
  /// The end of the last track was heard.
  case finished
  /// The listener asked for a stop after the track, whose end was heard.
  case stopAfterTrack
  /// Nothing more could be played; the error has been announced.
  case failed
  /// Waiting: the track is being opened.
  case starting
  /// Waiting: the listener moved to another place.
  case seeking
  /// Waiting: the server has not answered yet.
  case connecting
  /// Waiting: data arrive slower than they are played; how much of what is needed is there, 0...100.
  case buffering(percent: Int?)
  /// Waiting: the connection was lost; seconds to the next try, as it was when this was said.
  case reconnecting(seconds: Int)
  /// Paused by another use of the sound system, a call for instance.
  case interruption
  /// Paused because the program was stopped in its terminal (SIGTSTP).
  case suspended
  /// Paused because the device went away; waiting for another.
  case routeLost
  /// Waiting: the device takes no sound. Somebody suspended it, or it does not start.
  case outputStalled
  /// The sound server cannot be reached.
  case serverLost
  /// Waiting: the sound server did not open a stream; it is asked again.
  case streamNotOpened
}

extension PlaybackReason {
  /// The same without its numbers: what is announced as one.
  var kind: PlaybackReason {
    switch self {
    case .buffering: .buffering(percent: nil)
    case .reconnecting: .reconnecting(seconds: 0)
    default: self
    }
  }
}
