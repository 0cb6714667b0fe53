public import Playback

/// All that decides what is seen. Changed by `update` alone.
public struct ScreenState: Sendable {
  /// How large the screen is.
  public internal(set) var size: Size
  /// CLOCK_MONOTONIC of the latest message, nanoseconds.
  public internal(set) var now: UInt64 = 0
  /// The player.
  public internal(set) var playback = PlaybackSnapshot()
  /// The queue, shared with its owner as long as neither changes it.
  public internal(set) var entries: [QueueEntry] = []
  /// What is known of the entries.
  public internal(set) var facts: [QueueEntry.ID: TrackFacts] = [:]
  /// How the queue goes on.
  public internal(set) var modes = QueueModes()
  /// The last thousand things that happened.
  public internal(set) var log: [LogEntry] = []
  /// What the terminal can show.
  public internal(set) var typography: Typography
  /// What the keys do.
  public internal(set) var keyMap: KeyMap

  /// A screen without anything to show yet.
  public init(size: Size, typography: Typography, keyMap: KeyMap = .standard) {
    self.size = size
    self.typography = typography
    self.keyMap = keyMap
  }
}
