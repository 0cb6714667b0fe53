public import Playback

public enum CommandAnswer: Sendable, Hashable {
  /// The command has taken effect, with a sentence about it.
  case done(String?)
  /// The command has put new entries into the queue, with consecutive numbers; with a sentence about it.
  case added(Range<QueueEntry.ID>, String?)
  /// The command had no effect, for this reason.
  case refused(String)
}
