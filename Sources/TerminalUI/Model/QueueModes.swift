public import Playback

public struct QueueModes: Sendable, Hashable {
  public typealias Repetition = PlayQueue.RepeatMode

  public var isShuffled: Bool
  public var repetition: Repetition
  /// The place where playback stops by itself.
  public var stopPoint: PlayQueue.StopPoint

  public init(isShuffled: Bool = false, repetition: Repetition = .off, stopPoint: PlayQueue.StopPoint = .none) {
    self.isShuffled = isShuffled
    self.repetition = repetition
    self.stopPoint = stopPoint
  }
}
