public import Library
public import Playback
public import Player

/// All that can happen to the screen.
public enum Message: Sendable, Hashable {
  // From the terminal.
  case key(Key)
  case mouse(MouseEvent)
  /// Text that was pasted; control characters may be in it.
  case paste(String)
  case resized(Size)
  /// The terminal is to be drawn with other colours.
  case recolored
  /// Whether keys come here, as far as the terminal says so.
  case focused(Bool)
  /// The terminal is gone.
  case inputClosed
  // From the composition root.
  /// Nothing but time has passed: a deadline is reached.
  case tick
  /// The player's new state.
  case playback(PlaybackSnapshot)
  /// The queue's new entries, in its order.
  case queue([QueueEntry])
  /// How the queue goes on.
  case modes(QueueModes)
  /// What is known now of an entry.
  case facts(TrackFacts, entryID: QueueEntry.ID)
  /// How loud an entry is along its length.
  case waveform(Waveform, entryID: QueueEntry.ID)
  /// The addresses that are kept.
  case streams(StreamList)
  /// What a folder holds that was asked for.
  case folder(FolderContents)
  /// Names of files that begin as was asked for, folders with a slash behind them.
  case completions([String], beginning: String)
  /// Former command lines, the latest last.
  case history([String])
  /// The settings of the player have changed.
  case settings(Settings)
  /// Settings were read, or read again.
  case configured(Configuration)
  /// The screen of the session before: the view, and the selected row of the queue.
  case restored(ScreenView, selected: Int)
  /// Something the listener should read: an error in a sentence.
  case notice(String)
  /// Something for the Log view.
  case log(LogEntry)
  /// Whether the screen can be seen; not while the program is stopped in its terminal (SIGTSTP).
  case visible(Bool)
}
