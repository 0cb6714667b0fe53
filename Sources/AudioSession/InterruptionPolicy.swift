/// Why another use of the sound system, or of the terminal, silences the player (CONTRACTS B.5-8).
public enum InterruptionReason: Int, Sendable, Hashable {
  /// Another application needs the output: a call, an alarm.
  case `default` = 0
  /// The program itself was stopped (SIGTSTP) and continues later.
  case appWasSuspended = 1
}

/// The three facts that can silence a player, kept apart so that none undoes another: the listener paused, something
/// interrupts, the device went away. Audible means none of them. What the listener wants always wins (CONTRACTS D.4).
public struct InterruptionPolicy: Sendable, Hashable {
  /// Why the player is silent, the strongest reason first.
  public enum Silence: Sendable, Hashable {
    case userPaused
    case interrupted(InterruptionReason)
    case routePaused
  }

  private var isUserPaused = false
  private var interruption: InterruptionReason?
  private var isRoutePaused = false

  /// Audible.
  public init() {}

  /// Whether nothing silences the player.
  public var isAudible: Bool { silence == nil }

  /// What is said to the listener; `nil` while audible.
  public var silence: Silence? {
    if isUserPaused { return .userPaused }
    if let interruption { return .interrupted(interruption) }
    return isRoutePaused ? .routePaused : nil
  }

  /// Play, resume: clears all three (E5).
  public mutating func userDidPlay() { self = InterruptionPolicy() }

  /// Pause: whatever interrupts no longer decides when to go on (003-39).
  public mutating func userDidPause() { isUserPaused = true }

  /// Something interrupts.
  public mutating func interruptionBegan(_ reason: InterruptionReason) { interruption = reason }

  /// It is over. Without `shouldResume` the player stays paused until the listener plays (003-38).
  public mutating func interruptionEnded(shouldResume: Bool) {
    guard interruption != nil else { return }
    if !shouldResume { isUserPaused = true }
    interruption = nil
  }

  /// The device went away: silent until the listener plays, plugging it in again included (B.5-11).
  public mutating func routeLost() { isRoutePaused = true }
}
