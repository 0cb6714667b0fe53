internal import AudioOutput
internal import Threads

/// What reaches the feeder.
enum FeederMessage: Sendable {
  case command(PlaybackCommand)
  /// From the queue of that number; an older queue's last words are dropped.
  case queue(AudioQueueEvent, number: Int)
  /// Answered when everything before it took effect.
  case barrier(Mailbox<Void>)
  case quit
}
