internal import AudioOutput
internal import Threads

/// What reaches the feeder.
enum FeederMessage: Sendable {
  case command(PlaybackCommand)
  /// From the queue of that number; an older queue's last words are dropped.
  case queue(AudioQueueEvent, number: Int)
  /// A network stream is open now, has bytes that were waited for, or something to tell.
  case networkNews
  /// Answered when everything before it took effect.
  case barrier(Mailbox<Void>)
  /// Reached when everything before it took effect.
  case mark(Int)
  case quit
}
