internal import CNCurses
internal import Glibc
internal import TerminalUI

/// What a terminal says of itself: by terminfo, and by its own answers. For who asks what works here; the screen needs
/// none of it.
public struct TerminalFacts: Sendable, Hashable {
  /// TERM.
  public var term: String
  /// Whether terminfo knows it.
  public var isKnown = false
  /// Whether the cursor can be put anywhere: without, there is no screen.
  public var canAddressCursor = false
  /// How many colours terminfo knows of.
  public var colorCount = 0
  /// Whether any colour can be named (COLORTERM, or terminfo's `RGB` or `Tc`).
  public var hasTrueColor = false
  /// Whether the locale's characters are UTF-8.
  public var isLocaleUnicode = false
  /// Whether the terminal puts two bytes of UTF-8 into one cell; `nil` if it does not say.
  public var showsUnicode: Bool?
  /// Whether the mouse can be reported, and in pixels; `nil` if it does not say.
  public var hasMouse, hasPixelMouse: Bool?
  /// Whether a screen can be sent as a whole (mode 2026); `nil` if it does not say.
  public var hasSynchronizedOutput: Bool?

  /// Asks terminfo and, if `input` and `output` are a terminal that is ours, the terminal itself. Waits half a second for
  /// one that does not answer. Not while there is a screen; main thread only.
  public init(input: CInt = 0, output: CInt = 1) {
    term = environment("TERM")
    isLocaleUnicode = chooseTypography().isUnicode
    var problem: CInt = 0
    isKnown = setupterm(term, output, &problem) == OK
    if isKnown {
      canAddressCursor = tigetstr("cup").map { UInt(bitPattern: $0) != .max } ?? false
      colorCount = max(0, Int(tigetnum("colors")))
      hasTrueColor = tigetflag("RGB") > 0 || tigetflag("Tc") > 0
    }
    if ["truecolor", "24bit"].contains(environment("COLORTERM")) { hasTrueColor = true }
    guard canAddressCursor else { return }
    let answers = answers(input, output)
    // DECRPM: CSI ? mode ; state $ y. 0 is not known, 4 never on.
    func mode(_ number: Int) -> Bool? {
      let start = "[?\(number);"
      return answers.first { $0.hasPrefix(start) }.map { !["0", "4"].contains($0.dropFirst(start.count).prefix(1)) }
    }
    (hasMouse, hasPixelMouse, hasSynchronizedOutput) = (mode(1006), mode(1016), mode(2026))
    // CPR: CSI row ; column R, behind one character.
    showsUnicode = answers.first { $0.hasSuffix("R") }.map { $0.hasSuffix(";2R") }
  }
}

/// What the terminal answers to our questions, up to the one that all answer, each without its ESC; nothing where nobody
/// is to be asked.
private func answers(_ input: CInt, _ output: CInt) -> [Substring] {
  var modes = termios()
  // From the background a terminal is not to be asked.
  guard isatty(output) == 1, tcgetattr(input, &modes) == 0, tcgetpgrp(input) == getpgrp() else { return [] }
  var quiet = modes
  quiet.c_lflag &= ~tcflag_t(ICANON | ECHO)
  tcsetattr(input, TCSAFLUSH, &quiet)
  defer { tcsetattr(input, TCSAFLUSH, &modes) }
  let questions = "\ré\u{1b}[6n\r\u{1b}[K\u{1b}[?1006$p\u{1b}[?1016$p\u{1b}[?2026$p\u{1b}[c"
  guard write(output, questions, questions.utf8.count) == questions.utf8.count else { return [] }
  var bytes: [UInt8] = []
  var request = pollfd(fd: input, events: CShort(POLLIN), revents: 0)
  while bytes.count < 4096, bytes.last != UInt8(ascii: "c"), poll(&request, 1, 500) > 0 {
    let count = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
      let count = read(input, buffer.baseAddress, buffer.count)
      if count > 0 { bytes += buffer[..<count] }
      return count
    }
    if count <= 0 { break }
  }
  return String(decoding: bytes, as: UTF8.self).split(separator: "\u{1b}")
}
