/// The values of the setting `cover`.
public enum CoverStyle: String, Sendable, Hashable, CaseIterable {
  /// The best that the terminal is known to show.
  case auto
  /// Pixels, by the protocol of kitty or by sixels.
  case kitty, sixel
  /// Characters for 2 x 3, 2 x 2 or 1 x 2 pixels.
  case sextants, quadrants, halves
  case off
}
