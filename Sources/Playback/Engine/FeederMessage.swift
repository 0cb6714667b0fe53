internal import AudioOutput
internal import Threads

enum FeederMessage: Sendable {
  case command(PlaybackCommand)
  /// From the queue of that number; the last events of an older queue are dropped.
  case queue(AudioQueueEvent, number: Int)
  /// A network stream or a file is open now, has bytes that the feeder waits for, or has notices.
  case sourceNews
  /// The file that plays may have grown.
  case growth
  /// Answered when all earlier messages have taken effect.
  case barrier(Mailbox<Void>)
  /// The same when there is nothing more to do at once.
  case rest(Mailbox<Void>)
  /// Reached when all earlier messages have taken effect.
  case mark(Int)
  case quit
}
