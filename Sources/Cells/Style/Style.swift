/// The purpose of a cell; a theme defines its look. No information on the screen depends on style alone.
public enum Style: UInt8, Sendable, Hashable, CaseIterable {
  case plain
  /// Secondary text: column heads, the format, the names of other views.
  case faint
  /// Rules, and the rest of the slider.
  case line
  /// The name of the view that is shown.
  case heading
  /// The row that is being played.
  case playing
  /// The played part: the line of the slider, and its thumb while the keys move it.
  case played, thumb
  case selected
  /// The selected row, which is being played.
  case selectedPlaying
  /// The selected row while another part of the screen has the keys.
  case selectedIdle
  /// A track that could not be played.
  case failed
  case state
  case notice
  /// The seek target on the slider, and its time.
  case ghost
  /// The line of the lyrics that is sung, those at some distance, and those far away.
  case sung, fading, faded
}

extension Style {
  /// The name in themes: `selected-playing`.
  public var name: String {
    switch self {
    case .selectedPlaying: "selected-playing"
    case .selectedIdle: "selected-idle"
    default: "\(self)"
    }
  }
}
