public import Cells
public import Commands

/// A request of the user, by a key or in words. Keys, the command line and the files of settings share it.
public indirect enum Action: Sendable, Hashable {
  /// A request to the player. The screen completes it where it depends on what is shown: names relate to the shown
  /// folder, no names mean the selection, a seek is shown at once.
  case player(Command)

  // Seeking.
  /// Returns to the place before the last seek; in Files and Library, a level up.
  case undoSeek
  /// Sets or clears the A-B loop.
  case mark(LoopMark)

  // The queue.
  /// Removes the chosen rows: those that are marked, else the selected one.
  case remove
  /// Moves the chosen tracks by a number of rows.
  case moveTrack(Int)
  /// Removes the album of the selected track from the queue; moves it behind the next album (1), or before the last.
  case removeAlbum, moveAlbum(Int)
  /// Sorts the queue, or its marked rows.
  case sort(QueueOrder)
  /// Saves an address among the streams: this one, or the selected one, or the current one.
  case keepStream(String?, title: String?)
  /// Names the selected stream.
  case rename(String)

  // Marks.
  /// Marks the selected row or removes its mark, and moves the selection by a number of rows.
  case markRow(Int)
  /// Begins a range at the selected row, or ends it and marks its rows.
  case markRange
  /// Marks all rows that are shown, the tracks of the selected album, or nothing.
  case markAll, markAlbum, unmark

  // Lists and views.
  case move(ListMotion)
  /// Switches between list and slider, plays or opens the selection, selects the current track.
  case switchFocus, playSelected, selectPlaying
  /// Opens a prompt without a text.
  case search(String?), filter(String?)
  /// Selects the next row whose name begins with these letters; without them, with the next key.
  case jump(String?)
  /// Finds words in everything that the player knows.
  case find(String)
  case searchNext, searchPrevious
  /// Opens the command line with these words.
  case prompt(String)
  case changeFolder(String), parentFolder
  /// Shows all files in Files, or only those that can be played.
  case toggleAllFiles
  /// Shows the elapsed or the remaining time.
  case toggleRemaining
  /// Shows the next visualizer: spectrum, level meters, none.
  case cycleVisualizer
  /// Shows one list, or what stands beside it on wide screens.
  case togglePanes
  /// Shows a view. If it is shown already, it gives way to the view before it, unless it is a list of music.
  case show(ScreenView)
  /// Shows what Help has on a text.
  case help(String)
  /// Leaves the slider, the filter, the search or the view; draws the screen again; stops the program (Ctrl-Z).
  case cancel, redraw, suspend

  // Settings of the screen.
  case set(ScreenSetting, String)
  case showSetting(ScreenSetting)
  /// Opens a list of values, which the screen shows at once: themes or columns.
  case choose(ScreenSetting)
  case bind(KeySequence, Action), unbind(KeySequence)
  case style(Style, Appearance)
}

/// The ends of an A-B loop.
public enum LoopMark: String, Sendable, Hashable, CaseIterable {
  /// Sets an end of the loop, or removes the loop.
  case a, b, clear
  /// The next step: A, then B, then none.
  case cycle
}

public enum ListMotion: Sendable, Hashable {
  case rows(Int)
  case pages(Int), halfPages(Int)
  case first, last
}

extension Action {
  /// True if it acts on the rows of the view, or on a selected one.
  var isForRows: Bool {
    switch self {
    case .playSelected, .remove, .moveTrack, .removeAlbum, .moveAlbum, .sort, .keepStream, .rename, .markRow,
      .markRange, .markAll, .markAlbum, .move, .jump, .searchNext, .searchPrevious, .player(.find([], _, in: nil)),
      .player(.library(.rate(_, []))):
      true
    case .prompt(let text): !text.isEmpty
    default: false
    }
  }
}
