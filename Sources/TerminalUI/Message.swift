public import AudioOutput
public import Library
public import Pictures
public import Playback
public import Player

/// Everything that can happen to the screen.
public enum Message: Sendable, Hashable {
  // From the terminal.
  /// A key.
  case key(Key)
  /// A press, a movement or the wheel of the mouse.
  case mouse(MouseEvent)
  /// Pasted text, which may contain control characters.
  case paste(String)
  /// Text that was pasted, but is too long to be kept.
  case excessivePaste
  /// The terminal has a new size.
  case resized(Size)
  /// The colours of the terminal have changed.
  case recolored
  /// The terminal got or lost the keyboard focus, if it reports that.
  case focused(Bool)
  /// The terminal is gone.
  case inputClosed
  // From the composition root.
  /// A deadline was reached.
  case tick
  /// The player's new state.
  case playback(PlaybackSnapshot)
  /// The queue's new entries, in its order.
  case queue([QueueEntry])
  /// Shuffle, repeat and stop-after.
  case modes(QueueModes)
  /// The timers that are set, with their times of day: `sleep 23:45`.
  case timers([String])
  /// Tags and duration of an entry, or why it failed.
  case facts(TrackFacts, entryID: QueueEntry.ID)
  /// The waveform of an entry.
  case waveform(Waveform, entryID: QueueEntry.ID)
  /// The sound that is heard, as `ScreenCommand.listen` requested it; `nil` without any.
  case heard(HeardSound?)
  /// The lyrics beside the file of an entry.
  case lyrics(LyricsFiles, entryID: QueueEntry.ID)
  /// Seconds by which the listener has shifted the lyrics of an entry.
  case lyricsShift(Double, entryID: QueueEntry.ID)
  /// The cover of an entry, and its colours; `nil` without one.
  case cover(Picture?, colors: PictureColors? = nil, entryID: QueueEntry.ID)
  /// Saved and recent streams.
  case streams(StreamList)
  /// The output devices.
  case outputs(OutputList)
  /// The music library.
  case library(LibraryAnswer)
  /// The contents of a folder that was requested.
  case folder(FolderContents)
  /// Requested names of files with a given beginning; folders end with a slash.
  case completions([String], beginning: String)
  /// Former command lines, the latest last.
  case history([String])
  /// The settings of the player have changed.
  case settings(Settings)
  /// Settings were read, or read again.
  case configured(Configuration)
  /// The screen of the last session: the view, and the selected row of the queue.
  case restored(ScreenView, selected: Int)
  /// A sentence that the listener should read now.
  case notice(String)
  /// An event for the view Log.
  case log(LogEntry)
  /// The screen became visible or invisible: it is invisible while the program is stopped in its terminal (SIGTSTP).
  case visible(Bool)
}
