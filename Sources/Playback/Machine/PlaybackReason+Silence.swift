internal import AudioSession

extension PlaybackReason {
  /// The reason for which a paused player is silent.
  init(_ policy: InterruptionPolicy) {
    if policy.isUserPaused {
      self = .user
    } else if let interruption = policy.interruption {
      self = interruption == .appWasSuspended ? .suspended : .interruption
    } else {
      self = .routeLost
    }
  }
}
