public import Playback

/// What the listener can ask for, with a key or in words (`Verb`): the vocabulary of keys, command line and files.
public indirect enum Action: Sendable, Hashable {
  // Playing.
  case play, togglePause, pause, playFromStart, stop, next, previous
  case toggleStopAfterCurrent
  /// By so many seconds.
  case seek(Double)
  /// To so many seconds into the track, or so much of it (0...100).
  case seekTo(Double), seekToPercent(Double)
  /// To the beginning of a chapter: the next, the previous.
  case chapter(Int)
  case undoSeek
  /// To the newest that a station has sent.
  case goLive
  case mark(LoopMark)
  /// By so many percent of the whole; to so many.
  case volume(Int), setVolume(Int)
  case changeSound(SoundChange)
  case toggleMute, toggleShuffle, cycleRepeat
  /// Repeats the current track, or nothing any more.
  case toggleRepeatOne
  case setShuffle(Bool), setRepeat(PlayQueue.RepeatMode)

  // The queue.
  /// Paths and addresses as they were written; none for what is selected.
  case add(WrittenNames, PlayQueue.Placement)
  /// Plays that now, in front of what comes next.
  case open(WrittenNames)
  case remove, clear, undo, redo
  /// Moves the selected track by so many rows.
  case moveTrack(Int)
  /// Writes the queue as a playlist; whether in place of another one.
  case save(String, replacesOther: Bool = false)
  case load(String)
  /// Keeps an address among the streams: that one, else the selected, else the one that is played.
  case keepStream(String?, title: String?)
  /// Gives the selected stream a name.
  case rename(String)

  // Lists and views.
  case move(ListMotion)
  case switchFocus, playSelected, selectPlaying
  /// Without a text it is asked for.
  case search(String?), filter(String?)
  case searchNext, searchPrevious
  /// The command line, with these words in it.
  case prompt(String)
  case changeFolder(String), parentFolder
  case toggleRemaining
  case show(ScreenView)
  case cancel, redraw, suspend, quit, quitWithoutSaving

  // Settings.
  case set(Setting, String)
  /// Says what a setting is.
  case tell(Setting)
  case bind(KeySequence, Action), unbind(KeySequence)
  case style(Style, Appearance)
}

/// The two ends of what is played over and over.
public enum LoopMark: String, Sendable, Hashable, CaseIterable {
  case a, b, clear
  /// The next of these: A, then B, then none.
  case cycle
}

/// How to move in a list.
public enum ListMotion: Sendable, Hashable {
  case rows(Int)
  /// By so many screenfuls, or halves of one.
  case pages(Int), halfPages(Int)
  case first, last
}

/// What the upper part of the screen can show.
public enum ScreenView: String, Sendable, Hashable, CaseIterable {
  case queue, files, streams, log, info, help
}
