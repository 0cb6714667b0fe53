/// Input from a terminal: keys, the mouse, and changes of the terminal itself.
public enum TerminalInput: Sendable, Hashable {
  case key(Key)
  case mouse(MouseEvent)
  /// Pasted text, which may contain control characters.
  case paste(String)
  /// Text that was pasted, but is too long to be kept.
  case excessivePaste
  case resized(Size)
  /// The colours of the terminal have changed.
  case recolored
  /// The terminal got or lost the keyboard focus, if it reports that.
  case focused(Bool)
  /// The terminal is gone.
  case closed
}
