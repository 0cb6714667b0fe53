public import Playback

/// The modes of the queue.
public struct QueueModes: Sendable, Hashable {
  /// The continuation after the end of the queue.
  public typealias Repetition = PlayQueue.RepeatMode

  /// True if entries are played in random order.
  public var isShuffled: Bool
  /// The continuation after the end.
  public var repetition: Repetition
  /// True if playback stops after the current entry.
  public var stopsAfterCurrent: Bool

  /// The default modes play the queue in order, once.
  public init(isShuffled: Bool = false, repetition: Repetition = .off, stopsAfterCurrent: Bool = false) {
    self.isShuffled = isShuffled
    self.repetition = repetition
    self.stopsAfterCurrent = stopsAfterCurrent
  }
}
