/// The progress of playback, for the window's tab or the taskbar.
public enum WindowProgress: Sendable, Hashable {
  /// In percent.
  case playing(Int)
  /// Paused at a percentage.
  case paused(Int)
  /// For an unknown time.
  case waiting
}
