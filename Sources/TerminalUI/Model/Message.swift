public import AudioOutput
public import Cells
public import Playback
public import Commands

/// Everything that can happen to the screen.
public enum Message: Sendable, Hashable {
  case terminal(TerminalInput)
  /// The answer to a request about files, tracks or the library.
  case answer(Answer)
  /// A deadline was reached.
  case tick
  /// The player's new state.
  case playback(PlaybackSnapshot)
  /// The queue's new entries, in its order.
  case queue([QueueEntry])
  /// Shuffle, repeat and stop-after.
  case modes(QueueModes)
  /// The sound that is heard, as `ScreenCommand.listen` requested it; `nil` without any.
  case heard(HeardSound?)
  case news(PlayerNews)
  case settings(Settings)
  /// Settings were read, or read again.
  case configured(Configuration)
  /// The screen of the last session: the view, the selected row of the queue, and the folder of Files.
  case restored(ScreenView, selected: Int, files: FacePlace.Files? = nil)
  /// A sentence that the listener should read now.
  case notice(String)
  case log(LogEntry)
  /// The screen became visible or invisible: it is invisible while the program is stopped in its terminal (SIGTSTP).
  case visible(Bool)
}
