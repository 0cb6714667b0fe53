internal import CNCurses
internal import Glibc
public import TerminalUI

// What is asked of the terminal beyond what ncurses does, and taken back: each where it is offered.
extension NCursesTerminal {
  private static let mouseSequence: StaticString = "\u{1b}[?1002h\u{1b}[?1006h"
  private static let noMouseSequence: StaticString = "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l"
  /// Letters stay where they are put (ECMA-48 BDSM), and go again where the terminal puts them.
  private static let explicitSequence: StaticString = "\u{1b}[8l"
  private static let implicitSequence: StaticString = "\u{1b}[8h"
  /// The title on xterm's stack, and back.
  static let keepTitleSequence: StaticString = "\u{1b}[22;2t"
  static let formerTitleSequence: StaticString = "\u{1b}[23;2t"
  private static let noProgressSequence: StaticString = "\u{1b}]9;4;0\u{07}"
  /// Takes back all that was asked for; after a crash, all that ncurses did too.
  private static let leaveSequence: StaticString = "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l"
  private static let farewell: StaticString =
    "\u{1b}[?2026l\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l\u{1b}[8h\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l\r\n"
  private static let farewellOfProgress: StaticString =
    "\u{1b}]9;4;0\u{07}\u{1b}[?2026l\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1004l\u{1b}[?2004l\u{1b}[8h\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l\r\n"

  static func farewell(ofProgress: Bool) -> StaticString { ofProgress ? farewellOfProgress : farewell }

  /// Asks for what is wanted of the terminal.
  func enter() {
    send("\u{1b}[?2004h")
    if isBidirectional { send(Self.explicitSequence) }
    // Whether screens can be sent as a whole, and how light the background is; whoever does not know a question does not
    // answer. The first screen does not wait. An answer ends as its question does, best with one byte.
    if isLikeXterm { send("\u{1b}[?1004h\u{1b}[?2026$p\u{1b}]11;?\u{07}") }
    askForMouse()
  }

  /// Takes it back.
  func leave() {
    showProgress(nil)
    send(Self.leaveSequence)
    if isBidirectional { send(Self.implicitSequence) }
    decoder.cellSize = nil
  }

  /// The mouse acts here from now on, or not.
  func followMouse() {
    decoder.cellSize = nil
    guard usesMouse else { return send(Self.noMouseSequence) }
    askForMouse()
    reportPixelsIfPossible()
  }

  private func askForMouse() {
    guard usesMouse else { return }
    send(Self.mouseSequence)
    // Whether it can be reported in pixels.
    if isLikeXterm { send("\u{1b}[?1016$p") }
  }

  /// Pixels in place of cells, where the terminal can, and says how large a cell is.
  func reportPixelsIfPossible() {
    var window = winsize()
    guard usesMouse, decoder.canReportPixels, ioctl(output.descriptor, UInt(TIOCGWINSZ), &window) == 0,
      window.ws_row > 0, window.ws_col > 0, window.ws_xpixel >= window.ws_col, window.ws_ypixel >= window.ws_row
    else { return }
    if decoder.cellSize == nil { send("\u{1b}[?1016h") }
    decoder.cellSize = (Int(window.ws_xpixel / window.ws_col), Int(window.ws_ypixel / window.ws_row))
  }

  /// Names the window or tab, where the terminal can. Control characters are left out.
  public func setTitle(_ title: String) {
    guard hasTitle, phase == .drawing, title != self.title else { return }
    self.title = title
    let safe = title.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f ~= $0.value) }
    send("\u{1b}]2;" + String(safe) + "\u{07}")
  }

  /// Shows in the window's tab or in the taskbar how far playback is, where the terminal can (OSC 9;4).
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

/// Whether terminfo has the title written as xterm wants it.
func setsTitleLikeXterm() -> Bool {
  terminalString("tsl")?.hasPrefix("\u{1b}]") == true
}

/// Whether the terminal is one that takes OSC 9;4 for progress: it cannot be asked, and others take OSC 9 for a message to
/// the desktop.
func showsProgress() -> Bool {
  let program = environment("TERM_PROGRAM")
  // What VTE's terminals have started bears their mark, too.
  let isVTE = program.isEmpty && environment("TERM").hasPrefix("xterm") && !environment("VTE_VERSION").isEmpty
  return isVTE || program == "ghostty" || !environment("WT_SESSION").isEmpty || environment("ConEmuANSI") == "ON"
}
