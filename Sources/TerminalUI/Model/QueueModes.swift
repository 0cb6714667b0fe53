public import Playback

/// How the queue goes on, for the header.
public struct QueueModes: Sendable, Hashable {
  public var isShuffled: Bool
  public var repetition: PlayQueue.RepeatMode
  /// The place where playback stops by itself.
  public var stopPoint: PlayQueue.StopPoint
  /// True if played tracks leave the queue.
  public var consumes: Bool

  public init(
    isShuffled: Bool = false, repetition: PlayQueue.RepeatMode = .off, stopPoint: PlayQueue.StopPoint = .none,
    consumes: Bool = false
  ) {
    self.isShuffled = isShuffled
    self.repetition = repetition
    self.stopPoint = stopPoint
    self.consumes = consumes
  }
}
