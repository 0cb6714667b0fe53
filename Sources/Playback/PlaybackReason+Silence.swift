internal import AudioSession

extension PlaybackReason {
  /// Why a paused player is silent.
  init(_ silence: InterruptionPolicy.Silence?) {
    switch silence {
    case .userPaused, nil: self = .user
    case .interrupted(.appWasSuspended): self = .suspended
    case .interrupted: self = .interruption
    case .routePaused: self = .routeLost
    }
  }
}
