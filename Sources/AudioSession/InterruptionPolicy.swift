/// Keeps three separate facts: the listener paused, another use of the sound system interrupted, the device disappeared.
/// Audio may be heard if none of them is true. The listener's last action always wins.
///
/// Pure: the player reports events, and is silent unless `isAudible`.
public struct InterruptionPolicy: Sendable, Hashable {
  /// Events of the session.
  public enum Event: Sendable, Hashable {
    /// The listener wants to hear something: play, resume, another track.
    case userPlayed
    /// The listener paused.
    case userPaused
    /// An interruption began; the session is inactive from now on. `isPlaying`: true if the player was
    /// playing or waiting for data.
    case interruptionBegan(InterruptionReason, from: InterruptionSource, isPlaying: Bool)
    /// It is over. An end without a begin from the same source changes nothing.
    case interruptionEnded(from: InterruptionSource, shouldResume: Bool)
    /// The output changed.
    case routeChanged(RouteChangeReason, isPlaying: Bool)
  }

  /// The listener paused, and has not wished to hear anything since.
  public private(set) var isUserPaused = false
  /// The interruption that paused the player and is not over, or ended without permission to resume.
  public private(set) var interruption: InterruptionReason?
  /// Paused because the device went away; only the listener lifts this.
  public private(set) var isRoutePaused = false
  /// Begun and not ended. An end need not ever come.
  private var ongoing: [InterruptionSource: InterruptionReason] = [:]
  private var resumesWhenOver = false

  /// Nothing happened yet.
  public init() {}

  /// True if an interruption keeps the player silent.
  public var isInterrupted: Bool { interruption != nil }

  /// True if nothing stands against sound.
  public var isAudible: Bool { !isUserPaused && !isInterrupted && !isRoutePaused }

  /// Handles an event.
  public mutating func handle(_ event: Event) {
    switch event {
    case .userPlayed, .userPaused:
      isUserPaused = event == .userPaused
      // Interruptions that the listener has overruled no longer count.
      if event == .userPlayed { ongoing = [:] }
      interruption = nil
      isRoutePaused = false

    case .interruptionBegan(.routeDisconnected, _, let isPlaying):
      handle(.routeChanged(.oldDeviceUnavailable, isPlaying: isPlaying))  // It has no end.

    case .interruptionBegan(let reason, let source, let isPlaying):
      ongoing[source] = reason
      guard isPlaying, isAudible else { return }
      interruption = reason
      resumesWhenOver = true

    case .interruptionEnded(let source, let shouldResume):
      guard ongoing.removeValue(forKey: source) != nil, isInterrupted else { return }
      resumesWhenOver = resumesWhenOver && shouldResume
      if let other = ongoing.values.min(by: { $0.rawValue < $1.rawValue }) {
        interruption = other
      } else if resumesWhenOver {
        interruption = nil
      }

    case .routeChanged(let reason, let isPlaying):
      if reason == .oldDeviceUnavailable, isPlaying || isInterrupted { isRoutePaused = true }
    }
  }
}
