public import Commands

/// A request of the screen to the program, in order.
public enum ScreenCommand: Sendable, Hashable {
  case player(Command)
  /// Settings of the screen have changed.
  case configure(Configuration)
  /// Answer with `Message.heard`: the frames that were heard last, at most that number.
  case listen(frameCount: Int)
  /// Draws everything again, whatever the terminal shows.
  case redraw
  /// Silences the player, restores the terminal and stops the job (Ctrl-Z).
  case suspend
  /// The terminal is gone.
  case hangUp
}
