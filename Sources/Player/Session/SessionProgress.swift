internal import Playback

/// The events that decide how a session ends, and how its stops are shown. Pure.
struct SessionProgress {
  /// True if an input was not found, or a track could not be played.
  var hasFailures = false
  /// True if the session is saved at the end.
  var isSaved = true
  /// The place where playback has stopped by itself.
  private var stopPoint = PlayQueue.StopPoint.none
  private var hasPlayed = false

  /// Playback has stopped because the listener asked for it.
  mutating func stop(at point: PlayQueue.StopPoint) { stopPoint = point }

  /// Follows an event. Returns the end of the session that it means; `endsWithQueue`: the end of the queue is one.
  mutating func follow(
    _ notice: PlaybackNotice, isStopped: Bool, endsWithQueue: Bool
  ) -> PlayerSession.Ending? {
    switch notice {
    case .trackFailed: hasFailures = true
    case .outputFailed: return !hasPlayed && isStopped ? .couldNotStart : nil
    case .state(.playing, _, _): hasPlayed = true
    case .state(.stopped, let reason, _) where reason != .user && endsWithQueue:
      return reason == .finished && !hasFailures ? .done : hasPlayed ? .someFailed : .nothingPlayable
    default: break
    }
    return nil
  }

  /// The snapshot and the notices as they are shown: a stop before the end of the queue has its own reason.
  mutating func shown(
    _ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]
  ) -> (snapshot: PlaybackSnapshot, notices: [PlaybackNotice]) {
    if snapshot.state != .stopped { stopPoint = .none }
    guard let reason = stopPoint.reason else { return (snapshot, notices) }
    return (snapshot.stopped(by: reason), notices.map { $0.stopped(by: reason) })
  }
}

extension PlaybackSnapshot {
  /// The snapshot with the reason of a stop before the end of the queue.
  fileprivate func stopped(by new: PlaybackReason) -> PlaybackSnapshot {
    var snapshot = self
    if reason == .finished { snapshot.reason = new }
    return snapshot
  }
}

extension PlaybackNotice {
  /// The notice with the reason of a stop before the end of the queue.
  fileprivate func stopped(by reason: PlaybackReason) -> PlaybackNotice {
    guard case .state(.stopped, .finished, let position) = self else { return self }
    return .state(.stopped, reason, position: position)
  }
}

extension PlayQueue.StopPoint {
  /// The reason of a stop there.
  fileprivate var reason: PlaybackReason? {
    switch self {
    case .none: nil
    case .track, .each: .stopAfterTrack
    case .album: .stopAfterAlbum
    }
  }
}
