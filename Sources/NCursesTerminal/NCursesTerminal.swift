public import TerminalUI

/// Why there is no screen.
public enum TerminalError: Error, Sendable, Hashable {
  /// One of the descriptors is no terminal.
  case notATerminal
  /// A terminal that cannot move its cursor (`TERM=dumb`): use the line mode.
  case noCursorAddressing(term: String)
  /// Neither `TERM` nor its substitute is known here.
  case unknownTerminal(term: String)
}

/// The terminal, drawn on with ncurses. One at a time; main thread only. Owns no loop: poll `inputDescriptor`, then call
/// `readInput`; call it after each SIGWINCH and each resume as well.
public final class NCursesTerminal {
  /// What to poll for POLLIN.
  public let inputDescriptor: CInt
  /// What it can show.
  public let typography: Typography

  /// Takes the terminal over. Install the program's own signal handlers before.
  ///
  /// - Parameters:
  ///   - usesMouse: Whether to take the mouse from the terminal.
  public init(input: CInt = 0, output: CInt = 1, usesMouse: Bool = true) throws(TerminalError) {
    inputDescriptor = input
    typography = .ascii
  }

  /// How large the screen is now.
  public var size: Size { Size(columns: 80, rows: 24) }

  /// All that has been typed, clicked or resized since. Does not wait, but 25 ms for the rest of an escape sequence.
  public func readInput() -> [Message] { [] }

  /// Shows a grid; writes only what differs from the one before.
  public func draw(_ grid: CellGrid) {}

  /// Forgets what the terminal shows: the next `draw` paints everything.
  public func forget() {}

  /// Names the window or tab, where the terminal can.
  public func setTitle(_ title: String) {}

  /// Gives the terminal back, as for Ctrl-Z.
  public func suspend() {}

  /// Takes the terminal over again.
  public func resume() {}

  /// Gives the terminal back for good. Does nothing the second time.
  public func close() {}
}
