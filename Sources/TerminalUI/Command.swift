public import Playback

/// What the screen asks of the composition root, in order.
public enum Command: Sendable, Hashable {
  /// Play this entry from its start.
  case play(QueueEntry.ID)
  /// Play the current entry from its start; the first where nothing is current.
  case playFromStart
  /// Pause what plays, go on with what is paused; start where nothing is loaded.
  case togglePause
  case pause
  case stop
  case next
  case previous
  /// To so many seconds into the track.
  case seek(to: Double)
  /// By so many seconds, from the target of a seek that is still under way.
  case seekBy(Double)
  /// By so much of the whole volume (0.05 is 5 %), the result clamped to 0...1.
  case changeVolume(by: Double)
  case toggleMute
  case toggleShuffle
  /// Off, all, one.
  case cycleRepeat
  /// Find out what these entries are (tags, duration) and send `facts`; asked once each, most wanted first.
  case requestFacts([QueueEntry.ID])
  /// Draw everything anew, whatever is on the terminal.
  case redraw
  /// Cork, restore the terminal, stop the process (Ctrl-Z).
  case suspend
  case quit(savesSession: Bool)
}
