public import AudioModel

/// Pauses the player after a time. Pure; time is an argument.
public struct SleepTimer: Sendable, Hashable {
  public enum Request: Sendable, Hashable {
    /// Pauses after this time, 1 minute to 24 hours.
    case after(TimeSpan)
    /// Pauses at the end of the chapter; where no chapter follows, stops after the track.
    case chapter
    case off
    /// Shows the remaining time.
    case show
  }

  /// The time of the pause; `nil` while the timer is off.
  public private(set) var end: MonotonicTime?

  public init() {}

  /// Performs a request. Returns a message for the listener.
  public mutating func handle(_ request: Request, now: MonotonicTime) -> String {
    switch request {
    case .after(let span): end = now + span
    case .off, .chapter:
      end = nil
      return "sleep timer off"
    case .show: break
    }
    guard let end else { return "sleep timer off; sleep 30 pauses in 30 minutes" }
    let minutes = max(1, ((end - now).inMicroseconds + 59_999_999) / 60_000_000)
    return "sleep timer: pauses in \(counted(Int(minutes), "minute"))"
  }

  /// Returns true once when the time has come, and switches the timer off.
  public mutating func takeDue(now: MonotonicTime) -> Bool {
    guard let end, now >= end else { return false }
    self.end = nil
    return true
  }
}
