internal import ByteIO
internal import Commands
internal import ControlSocket
internal import Desk
internal import Glibc
internal import NCursesTerminal
internal import Player

extension Finding {
  static func terminal() -> Finding {
    let facts = TerminalFacts()
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    let problem = problem(with: facts)
    let found = "TERM=\(facts.term), \(facts.colorCount) colours" + (facts.hasTrueColor ? " (true colour)" : "")
    let abilities = [
      ("UTF-8", facts.isLocaleUnicode), ("mouse", facts.hasMouse), ("mouse in pixels", facts.hasPixelMouse),
      ("synchronized output", facts.hasSynchronizedOutput),
    ].compactMap { name, isThere in
      isThere.map { "\(name): \($0 ? "yes" : "no")" } ?? (isTerminal ? "\(name): unknown" : nil)
    }
    let place = isTerminal ? "" : "; not a terminal: no screen, line mode"
    return Finding(
      subject: "terminal", verdict: problem == nil ? .ok : .warning,
      text: (problem.map { "\($0.text); " } ?? "") + ([found] + abilities).joined(separator: ", ") + place,
      remedy: problem?.remedy ?? "",
      facts: [
        "term": .string(facts.term), "isTerminal": .bool(isTerminal), "isKnown": .bool(facts.isKnown),
        "hasScreen": .bool(facts.canAddressCursor), "colors": JSON(facts.colorCount),
        "trueColor": .bool(facts.hasTrueColor), "utf8Locale": .bool(facts.isLocaleUnicode),
        "utf8Shown": JSON(facts.showsUnicode), "mouse": JSON(facts.hasMouse), "pixelMouse": JSON(facts.hasPixelMouse),
        "synchronizedOutput": JSON(facts.hasSynchronizedOutput),
      ])
  }

  private static func problem(with facts: TerminalFacts) -> (text: String, remedy: String)? {
    if !facts.isKnown {
      return ("TERM has no terminfo entry", "set TERM to your terminal's name, or apt install ncurses-term")
    }
    if !facts.canAddressCursor {
      return ("no screen, line mode", "set TERM to your terminal's name, if it can do more")
    }
    if !facts.isLocaleUnicode {
      return ("ASCII only", "export LC_ALL=C.UTF-8, if the terminal shows UTF-8")
    }
    if facts.showsUnicode == false {
      return ("the locale is UTF-8, but the terminal is not", "switch the terminal to UTF-8, or export LC_ALL=C")
    }
    return nil
  }

  /// The sockets of players: for remote control, and for the next terminal of a player without one.
  static func remoteControl(in folders: UserFolders) -> Finding {
    let subject = "remote control"
    guard let folder = folders.runtime else {
      return Finding(
        subject: subject, verdict: .warning, text: "none, and no :detach: there is no folder for sockets",
        remedy: "set XDG_RUNTIME_DIR to a folder that only you can enter, as a login does")
    }
    let isRunning = LocalListener.isAnswered(folder.appending(BytePath("control")))
    let isFree = LocalListener.isAnswered(folder.appending(BytePath(TerminalDoor.socketName)), .packets)
    let state = isFree ? "a player runs without a terminal" : isRunning ? "a player runs" : "no player runs"
    return Finding(
      subject: subject, text: "\(folder): \(state)",
      facts: [
        "folder": .string(folder.description), "running": .bool(isRunning), "withoutTerminal": .bool(isFree),
      ])
  }
}
