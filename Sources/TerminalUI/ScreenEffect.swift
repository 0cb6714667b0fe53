internal import Player

/// A request of one part of the screen, which `ScreenState` carries out.
enum ScreenEffect: Sendable, Hashable {
  /// Hand a command to the player.
  case send(Command)
  /// Show a sentence above the state line.
  case say(String)
  /// Do something that another part is responsible for.
  case obey(Action)
  /// Switch to a view without reading its rows anew.
  case show(ScreenView)
}
