internal import CNCurses
internal import Glibc
public import TerminalUI

// Requests to the terminal beyond ncurses, and their withdrawal, each only where the terminal supports it.
extension NCursesTerminal {
  private static let mouseSequence: StaticString = "\u{1b}[?1002h\u{1b}[?1006h"
  private static let noMouseSequence: StaticString = "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l"
  /// Switches the terminal's own reordering of right-to-left scripts off (ECMA-48 BDSM), and on again.
  private static let explicitSequence: StaticString = "\u{1b}[8l"
  private static let implicitSequence: StaticString = "\u{1b}[8h"
  /// Saves the title on xterm's stack, and restores it.
  static let keepTitleSequence: StaticString = "\u{1b}[22;2t"
  static let formerTitleSequence: StaticString = "\u{1b}[23;2t"
  private static let noProgressSequence: StaticString = "\u{1b}]9;4;0\u{07}"
  /// Withdraws all requests; after a crash, those of ncurses, too.
  private static let leaveSequence: StaticString = "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l"
  private static let farewell: StaticString =
    "\u{1b}[?2026l\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l\u{1b}[8h\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l\r\n"
  private static let farewellOfProgress: StaticString =
    "\u{1b}]9;4;0\u{07}\u{1b}[?2026l\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l\u{1b}[8h\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l\r\n"

  static func farewell(ofProgress: Bool) -> StaticString { ofProgress ? farewellOfProgress : farewell }

  /// Sends all requests.
  func enter() {
    send("\u{1b}[?2004h")
    if isBidirectional { send(Self.explicitSequence) }
    // Asks for synchronized output and for the background. A terminal that does not know a question sends no answer;
    // the first screen does not wait for it. An answer ends as its question does, preferably with one byte.
    if isLikeXterm { send("\u{1b}[?1004h\u{1b}[?2026$p\u{1b}]11;?\u{07}") }
    askForMouse()
  }

  /// Withdraws all requests.
  func leave() {
    showProgress(nil)
    send(Self.leaveSequence)
    if isBidirectional { send(Self.implicitSequence) }
    decoder.cellSize = nil
  }

  /// Switches mouse reports on or off.
  func followMouse() {
    decoder.cellSize = nil
    guard usesMouse else { return send(Self.noMouseSequence) }
    askForMouse()
    reportPixelsIfPossible()
  }

  private func askForMouse() {
    guard usesMouse else { return }
    send(Self.mouseSequence)
    // Asks for reports in pixels.
    if isLikeXterm { send("\u{1b}[?1016$p") }
  }

  /// Switches mouse reports from cells to pixels, if the terminal can and reports the size of a cell.
  func reportPixelsIfPossible() {
    var window = winsize()
    guard usesMouse, decoder.canReportPixels, ioctl(output.descriptor, UInt(TIOCGWINSZ), &window) == 0,
      window.ws_row > 0, window.ws_col > 0, window.ws_xpixel >= window.ws_col, window.ws_ypixel >= window.ws_row
    else { return }
    if decoder.cellSize == nil { send("\u{1b}[?1016h") }
    decoder.cellSize = (Int(window.ws_xpixel / window.ws_col), Int(window.ws_ypixel / window.ws_row))
  }

  /// Sets the title of the window or tab, if the terminal can, without control characters.
  public func setTitle(_ title: String) {
    guard hasTitle, phase == .drawing, title != self.title else { return }
    self.title = title
    let safe = title.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f ~= $0.value) }
    send("\u{1b}]2;" + String(safe) + "\u{07}")
  }

  /// Shows the progress of playback in the window's tab or in the taskbar, if the terminal can (OSC 9;4).
  public func showProgress(_ progress: WindowProgress?) {
    guard hasProgress, phase == .drawing, progress != self.progress else { return }
    self.progress = progress
    switch progress {
    case nil: send(Self.noProgressSequence)
    case .playing(let percent): send("\u{1b}]9;4;1;\(percent)\u{07}")
    case .paused(let percent): send("\u{1b}]9;4;4;\(percent)\u{07}")
    case .waiting: send("\u{1b}]9;4;3\u{07}")
    }
  }

  func send(_ sequence: StaticString) { output.write(sequence) }

  private func send(_ text: String) {
    var text = text
    text.withUTF8 { output.write(UnsafeRawBufferPointer($0)) }
  }
}

/// True if terminfo sets the title as xterm does.
func setsTitleLikeXterm() -> Bool {
  terminalString("tsl")?.hasPrefix("\u{1b}]") == true
}

/// True if the terminal is known to take OSC 9;4 for progress. It cannot be asked, and other terminals show OSC 9 as a
/// desktop notification.
func showsProgress() -> Bool {
  let program = environment("TERM_PROGRAM")
  // Programs started from a VTE terminal inherit its variable.
  let isVTE = program.isEmpty && environment("TERM").hasPrefix("xterm") && !environment("VTE_VERSION").isEmpty
  return isVTE || program == "ghostty" || !environment("WT_SESSION").isEmpty || environment("ConEmuANSI") == "ON"
}
