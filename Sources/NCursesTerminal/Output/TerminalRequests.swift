internal import CNCurses
internal import Glibc
internal import Cells

/// The requests to the terminal beyond ncurses: mouse, paste, focus, title, progress. Each is sent only where the
/// terminal supports it, and withdrawn at the end. Main thread only.
struct TerminalRequests {
  private static let mouseSequence: StaticString = "\u{1b}[?1002h\u{1b}[?1006h"
  private static let noMouseSequence: StaticString = "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l"
  /// Switches the terminal's own reordering of right-to-left scripts off (ECMA-48 BDSM), and on again.
  private static let explicitSequence: StaticString = "\u{1b}[8l"
  private static let implicitSequence: StaticString = "\u{1b}[8h"
  /// Saves the title on xterm's stack, and restores it.
  private static let keepTitleSequence: StaticString = "\u{1b}[22;2t"
  private static let formerTitleSequence: StaticString = "\u{1b}[23;2t"
  private static let formerTitleKeptSequence: StaticString = "\u{1b}[23;2t\u{1b}[22;2t"
  private static let noProgressSequence: StaticString = "\u{1b}]9;4;0\u{07}"
  private static let leaveSequence: StaticString = "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l"
  private static let farewell: StaticString =
    "\u{1b}[?2026l\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l\u{1b}[8h\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l\r\n"
  private static let farewellOfProgress: StaticString =
    "\u{1b}]9;4;0\u{07}\u{1b}[?2026l\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l\u{1b}[8h\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l\r\n"

  /// `farewell` for a terminal of which nothing is known.
  static var anyFarewell: [UInt8] { farewell.withUTF8Buffer { Array($0) } }

  private let output: TerminalOutput
  /// True if the terminal understands requests of xterm, which terminfo shows by a flag or by the sequence of the
  /// title.
  private let isLikeXterm: Bool
  private let hasTitle: Bool
  private let hasProgress: Bool
  /// True if the terminal reorders right-to-left scripts in whole rows unless it is told not to (VTE).
  private let isBidirectional = !environment("VTE_VERSION").isEmpty
  private(set) var usesMouse: Bool
  private var title = ""
  private var progress: WindowProgress?

  /// Asks terminfo, which ncurses must have loaded.
  init(_ output: TerminalOutput, usesMouse: Bool) {
    (self.output, self.usesMouse) = (output, usesMouse)
    isLikeXterm = tigetflag("XT") == 1 || setsTitleLikeXterm()
    hasTitle = isLikeXterm || ["screen", "tmux"].contains { environment("TERM").hasPrefix($0) }
    hasProgress = canShowProgress()
  }

  /// Withdraws all requests after a crash, those of ncurses, too.
  var farewell: StaticString { hasProgress ? Self.farewellOfProgress : Self.farewell }

  // MARK: Sending and withdrawing

  func enter() {
    output.write("\u{1b}[?2004h")
    if isBidirectional { output.write(Self.explicitSequence) }
    // Asks for synchronized output, for the background and for sixels. A terminal that does not know a question sends
    // no answer; the first screen does not wait for it. An answer ends as its question does, preferably with one byte.
    if mayPlacePictures() || isLikeXterm && mayHaveTrueColor() { output.write("\u{1b}[>q") }
    if isLikeXterm { output.write("\u{1b}[?1004h\u{1b}[?2026$p\u{1b}]11;?\u{07}\u{1b}[c") }
    askForMouse()
  }

  mutating func leave() {
    showProgress(nil)
    // Other programs set titles of their own.
    title = ""
    output.write(Self.leaveSequence)
    if isBidirectional { output.write(Self.implicitSequence) }
  }

  // MARK: The mouse

  /// Switches mouse reports on or off.
  ///
  /// - Parameter isNow: False while the program does not have the terminal; the next `enter` then sends the request.
  mutating func setMouse(_ usesMouse: Bool, isNow: Bool) {
    self.usesMouse = usesMouse
    guard isNow else { return }
    if usesMouse { askForMouse() } else { output.write(Self.noMouseSequence) }
  }

  private func askForMouse() {
    guard usesMouse else { return }
    output.write(Self.mouseSequence)
    // Asks whether the terminal can report the mouse in pixels.
    if isLikeXterm { output.write("\u{1b}[?1016$p") }
  }

  /// Requests mouse reports in pixels, if the terminal supports them and reports the size of a cell. Returns that size.
  ///
  /// - Parameter areReported: True if pixels are reported already.
  func reportPixels(areReported: Bool) -> (width: Int, height: Int)? {
    guard usesMouse, let cellSize else { return nil }
    if !areReported { output.write("\u{1b}[?1016h") }
    return cellSize
  }

  /// The size of a cell in pixels, if the terminal reports it.
  var cellSize: (width: Int, height: Int)? {
    var window = winsize()
    guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0,
      window.ws_xpixel >= window.ws_col, window.ws_ypixel >= window.ws_row
    else { return nil }
    return (Int(window.ws_xpixel / window.ws_col), Int(window.ws_ypixel / window.ws_row))
  }

  // MARK: Title and progress

  func keepTitle() { if hasTitle { output.write(Self.keepTitleSequence) } }

  func restoreTitle() { if hasTitle { output.write(Self.formerTitleSequence) } }

  /// Sets the title of the window or tab, if the terminal can, without control characters. An empty one restores the
  /// former title, which stays kept.
  mutating func setTitle(_ title: String) {
    guard hasTitle, title != self.title else { return }
    self.title = title
    if title.isEmpty { return output.write(Self.formerTitleKeptSequence) }
    let safe = title.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f ~= $0.value) }
    send("\u{1b}]2;" + String(safe) + "\u{07}")
  }

  /// Shows the progress of playback in the window's tab or in the taskbar, if the terminal can (OSC 9;4).
  mutating func showProgress(_ progress: WindowProgress?) {
    guard hasProgress, progress != self.progress else { return }
    self.progress = progress
    switch progress {
    case nil: output.write(Self.noProgressSequence)
    case .playing(let percent): send("\u{1b}]9;4;1;\(percent)\u{07}")
    case .paused(let percent): send("\u{1b}]9;4;4;\(percent)\u{07}")
    case .waiting: send("\u{1b}]9;4;3\u{07}")
    }
  }

  private func send(_ text: String) {
    var text = text
    text.withUTF8 { output.write(UnsafeRawBufferPointer($0)) }
  }
}

/// True if the terminal may know placeholders of pictures, depending on its version.
private func mayPlacePictures() -> Bool {
  guard environment("TMUX").isEmpty, environment("STY").isEmpty else { return false }
  return ["xterm-kitty", "xterm-ghostty"].contains(environment("TERM")) || !environment("KITTY_WINDOW_ID").isEmpty
    || environment("TERM_PROGRAM") == "ghostty"
}

/// True if only its name (XTVERSION) can tell whether the terminal shows any RGB colour. Apple's shows the question.
func mayHaveTrueColor() -> Bool {
  !hasTrueColorByTerminfo() && environment("TMUX").isEmpty && environment("STY").isEmpty
    && !["screen", "tmux"].contains { environment("TERM").hasPrefix($0) }
    && environment("TERM_PROGRAM") != "Apple_Terminal"
}

private func setsTitleLikeXterm() -> Bool {
  terminalString("tsl")?.hasPrefix("\u{1b}]") == true
}

/// True if the terminal is known to take OSC 9;4 for progress. It cannot be asked, and other terminals show OSC 9 as a
/// desktop notification.
private func canShowProgress() -> Bool {
  let program = environment("TERM_PROGRAM")
  // Programs started from a VTE terminal inherit its variable.
  let isVTE = program.isEmpty && environment("TERM").hasPrefix("xterm") && !environment("VTE_VERSION").isEmpty
  return isVTE || program == "ghostty" || !environment("WT_SESSION").isEmpty || environment("ConEmuANSI") == "ON"
}

func terminalString(_ name: String) -> String? {
  guard let sequence = tigetstr(name), UInt(bitPattern: sequence) != .max else { return nil }
  return String(cString: sequence)
}
