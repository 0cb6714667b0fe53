internal import Commands

/// A request of one part of the screen, which `ScreenState` carries out.
enum ScreenEffect: Sendable, Hashable {
  /// Pass a command to the player.
  case send(Command)
  /// Show a sentence above the state line.
  case say(String)
  /// Perform an action of another part.
  case obey(Action)
  /// Switch to a view without reading its rows again.
  case show(ScreenView)
  /// Switch back to the view before.
  case leave
}
