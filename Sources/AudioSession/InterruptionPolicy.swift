/// Keeps three separate facts: the listener paused, another use of the sound system interrupted, the device
/// disappeared. Audio may be heard if none of them is true. The listener's last action always wins.
///
/// Pure: the player reports events, and is silent unless `isAudible`.
public struct InterruptionPolicy: Sendable, Hashable {
  /// Facts that decide whether audio may be heard.
  public enum Event: Sendable, Hashable {
    /// The listener requested playback: play, resume, another track.
    case userPlayed
    /// The listener paused.
    case userPaused
    /// An interruption began; the session is inactive from now on. `isPlaying`: true if the player was
    /// playing or waiting for data.
    case interruptionBegan(InterruptionReason, from: InterruptionSource, isPlaying: Bool)
    /// The interruption is over. An end without a beginning from the same source changes nothing.
    case interruptionEnded(from: InterruptionSource, shouldResume: Bool)
    /// The output changed. `isPlaying`: true if the player was playing or waiting for data.
    case routeChanged(RouteChangeReason, isPlaying: Bool)
  }

  /// True if the listener paused, and has not requested playback since.
  public private(set) var isUserPaused = false
  /// The interruption that paused the player and is not over, or ended without permission to resume.
  public private(set) var interruption: InterruptionReason?
  /// True if playback is paused because the device was removed; only the listener resumes it.
  public private(set) var isRoutePaused = false
  /// Interruptions that have begun and not ended. An end may never come.
  private var ongoing: [InterruptionSource: InterruptionReason] = [:]
  private var resumesWhenOver = false

  /// A policy without reasons for silence.
  public init() {}

  /// True if an interruption keeps the player silent.
  public var isInterrupted: Bool { interruption != nil }

  /// True if there is no reason for silence.
  public var isAudible: Bool { !isUserPaused && !isInterrupted && !isRoutePaused }

  /// Takes an event into account; `isAudible` may then have another value.
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
