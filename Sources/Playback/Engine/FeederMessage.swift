internal import AudioOutput
internal import Threads

/// A message to the feeder.
enum FeederMessage: Sendable {
  case command(PlaybackCommand)
  /// From the queue of that number; the last events of an older queue are dropped.
  case queue(AudioQueueEvent, number: Int)
  /// A network stream is open now, has bytes that the feeder waits for, or has notices.
  case networkNews
  /// Answered when everything before it took effect.
  case barrier(Mailbox<Void>)
  /// Reached when everything before it took effect.
  case mark(Int)
  case quit
}
