public import Player

/// A request of the user, by key or in words: the vocabulary of keys, command line and files of settings.
public indirect enum Action: Sendable, Hashable {
  /// A request to the player. The screen completes it where it depends on what is shown: names relate to the shown
  /// folder, no names mean the selection, a seek is shown at once.
  case player(Command)

  // Seeking.
  case undoSeek
  case mark(LoopMark)

  // The queue.
  case remove
  /// Moves the selected track by a number of rows.
  case moveTrack(Int)
  /// Saves an address among the streams: this one, or the selected one, or the current one.
  case keepStream(String?, title: String?)
  /// Names the selected stream.
  case rename(String)

  // Lists and views.
  case move(ListMotion)
  case switchFocus, playSelected, selectPlaying
  /// Opens a prompt without a text.
  case search(String?), filter(String?)
  case searchNext, searchPrevious
  /// Opens the command line with these words.
  case prompt(String)
  case changeFolder(String), parentFolder
  case toggleRemaining
  /// Shows the next visualizer: spectrum, level meters, none.
  case cycleVisualizer
  case show(ScreenView)
  case cancel, redraw, suspend

  // Settings of the screen.
  case set(ScreenSetting, String)
  /// Shows the value of a setting.
  case tell(ScreenSetting)
  case bind(KeySequence, Action), unbind(KeySequence)
  case style(Style, Appearance)
}

/// The ends of an A-B loop.
public enum LoopMark: String, Sendable, Hashable, CaseIterable {
  case a, b, clear
  /// The next step: A, then B, then none.
  case cycle
}

/// A movement in a list.
public enum ListMotion: Sendable, Hashable {
  case rows(Int)
  /// Screenfuls, or halves of one.
  case pages(Int), halfPages(Int)
  case first, last
}

/// A view in the upper part of the screen.
public enum ScreenView: String, Sendable, Hashable, CaseIterable {
  case queue, library, files, streams, log, info, lyrics, cover, help
}
