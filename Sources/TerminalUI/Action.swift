/// What a key can be bound to.
public enum Action: Sendable, Hashable {
  case togglePause, pause, playFromStart, stop, next, previous
  /// By so many seconds.
  case seek(Double)
  case undoSeek
  /// By so many percent of the whole.
  case volume(Int)
  case toggleMute, toggleShuffle, cycleRepeat
  case move(ListMotion)
  case switchFocus, playSelected, selectPlaying
  case toggleRemaining
  case show(ScreenView)
  case cancel, redraw, suspend, quit, quitWithoutSaving
}

/// How to move in a list.
public enum ListMotion: Sendable, Hashable {
  case rows(Int)
  /// By so many screenfuls, or halves of one.
  case pages(Int), halfPages(Int)
  case first, last
}

/// What the upper part of the screen can show.
public enum ScreenView: Sendable, Hashable, CaseIterable {
  case queue, log, help
}
