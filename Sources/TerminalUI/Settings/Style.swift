/// What a cell is for; a theme says how that looks. Nothing on the screen is told by style alone.
public enum Style: UInt8, Sendable, Hashable, CaseIterable {
  /// Text.
  case plain
  /// Text that stands back: column heads, the format, the names of other views.
  case faint
  /// Rules, and the rest of the slider.
  case line
  /// The name of the view that is shown.
  case heading
  /// The row that is being played.
  case playing
  /// How far it is played: the line of the slider, and its thumb while the keys move it.
  case played, thumb
  /// The selected row.
  case selected
  /// The selected row, which is being played.
  case selectedPlaying
  /// The selected row while the keys go elsewhere.
  case selectedIdle
  /// What could not be played.
  case failed
  /// The state of the player.
  case state
  /// Something to be read now.
  case notice
  /// The place on the slider that is being chosen, and its time.
  case ghost
}

extension Style {
  /// What themes call it: `selected-playing`.
  public var name: String {
    switch self {
    case .selectedPlaying: "selected-playing"
    case .selectedIdle: "selected-idle"
    default: "\(self)"
    }
  }
}
