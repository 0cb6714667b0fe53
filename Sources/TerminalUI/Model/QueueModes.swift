public import Playback

/// The modes of the queue.
public struct QueueModes: Sendable, Hashable {
  /// The continuation after the end of the queue.
  public typealias Repetition = PlayQueue.RepeatMode

  /// True if entries are played in random order.
  public var isShuffled: Bool
  /// The continuation after the end.
  public var repetition: Repetition
  /// The place where playback stops by itself.
  public var stopPoint: PlayQueue.StopPoint

  /// The default modes play the queue in order, once.
  public init(isShuffled: Bool = false, repetition: Repetition = .off, stopPoint: PlayQueue.StopPoint = .none) {
    self.isShuffled = isShuffled
    self.repetition = repetition
    self.stopPoint = stopPoint
  }
}
