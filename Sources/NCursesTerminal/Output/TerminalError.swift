/// The reasons why there can be no screen. The line mode works without one.
public enum TerminalError: Error, Sendable, Hashable, CustomStringConvertible {
  case notATerminal
  /// A terminal that cannot place its cursor (`TERM=dumb`).
  case noCursorAddressing(term: String)
  /// Neither `TERM` nor its substitute `xterm-256color` is known here.
  case unknownTerminal(term: String)

  public var description: String {
    switch self {
    case .notATerminal: "no terminal"
    case .noCursorAddressing(let term): "a terminal of type \(term) cannot place its cursor"
    case .unknownTerminal(let term): "the terminal type \(term) is unknown here (the package ncurses-term may have it)"
    }
  }
}
