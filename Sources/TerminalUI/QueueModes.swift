public import Playback

/// How the queue goes on.
public struct QueueModes: Sendable, Hashable {
  /// What follows the end of the queue.
  public typealias Repetition = PlayQueue.RepeatMode

  /// Whether entries are played in random order.
  public var isShuffled: Bool
  /// What follows the end.
  public var repetition: Repetition
  /// Whether nothing follows the current entry.
  public var stopsAfterCurrent: Bool

  /// Modes; in order and once unless told otherwise.
  public init(isShuffled: Bool = false, repetition: Repetition = .off, stopsAfterCurrent: Bool = false) {
    self.isShuffled = isShuffled
    self.repetition = repetition
    self.stopsAfterCurrent = stopsAfterCurrent
  }
}
