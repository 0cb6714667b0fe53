internal import CNCurses
internal import Glibc
internal import Cells

/// The abilities of a terminal, from terminfo and from its own answers, for `segue doctor`. The screen needs none of
/// them.
public struct TerminalFacts: Sendable, Hashable {
  /// The value of TERM.
  public var term: String
  /// True if terminfo knows it.
  public var isKnown = false
  /// True if the cursor can be placed anywhere, which the screen needs.
  public var canAddressCursor = false
  /// The number of colours in terminfo.
  public var colorCount = 0
  /// True if it shows any RGB colour (COLORTERM, terminfo's `RGB` or `Tc`, or its name).
  public var hasTrueColor = false
  /// True if the locale's encoding is UTF-8.
  public var isLocaleUnicode = false
  /// True if the terminal decodes UTF-8; `nil` without an answer.
  public var showsUnicode: Bool?
  /// True if it can report the mouse, and report it in pixels; `nil` without an answer.
  public var hasMouse, hasPixelMouse: Bool?
  /// True if it supports synchronized output (mode 2026); `nil` without an answer.
  public var hasSynchronizedOutput: Bool?

  /// Asks terminfo and, if this process is in the foreground of a terminal, the terminal itself. Waits three seconds for
  /// an answer, which may come over a slow link. Not while there is a screen; main thread only.
  public init(input: CInt = 0, output: CInt = 1) {
    term = environment("TERM")
    isLocaleUnicode = chooseTypography().isUnicode
    var problem: CInt = 0
    isKnown = setupterm(term, output, &problem) == OK
    if isKnown {
      canAddressCursor = tigetstr("cup").map { UInt(bitPattern: $0) != .max } ?? false
      colorCount = max(0, Int(tigetnum("colors")))
      hasTrueColor = hasTrueColorByTerminfo()
    }
    guard canAddressCursor else { return }
    let answers = answers(input, output)
    // XTVERSION: DCS > | name ( version ).
    let name = answers.first { $0.hasPrefix("P>|") }?.dropFirst(3)
    if let name, InputDecoder.showsTrueColor(terminal: String(name)) { hasTrueColor = true }
    // DECRPM: CSI ? mode ; state $ y. 0 is not known, 4 never on.
    func mode(_ number: Int) -> Bool? {
      let start = "[?\(number);"
      return answers.first { $0.hasPrefix(start) }.map { !["0", "4"].contains($0.dropFirst(start.count).prefix(1)) }
    }
    (hasMouse, hasPixelMouse, hasSynchronizedOutput) = (mode(1006), mode(1016), mode(2026))
    // CPR: CSI row ; column R, after one character.
    showsUnicode = answers.first { $0.hasSuffix("R") }.map { $0.hasSuffix(";2R") }
  }
}

/// The answers of the terminal, each without its ESC, up to the one that every terminal sends; empty if the terminal
/// may not be asked.
private func answers(_ input: CInt, _ output: CInt) -> [Substring] {
  var modes = termios()
  // A process in the background must not ask the terminal.
  guard isatty(output) == 1, tcgetattr(input, &modes) == 0, tcgetpgrp(input) == getpgrp() else { return [] }
  var quiet = modes
  quiet.c_lflag &= ~tcflag_t(ICANON | ECHO)
  tcsetattr(input, TCSAFLUSH, &quiet)
  defer { tcsetattr(input, TCSAFLUSH, &modes) }
  let name = mayHaveTrueColor() ? "\u{1b}[>q" : ""
  let questions = "\ré\u{1b}[6n\r\u{1b}[K\(name)\u{1b}[?1006$p\u{1b}[?1016$p\u{1b}[?2026$p\u{1b}[c"
  guard write(output, questions, questions.utf8.count) == questions.utf8.count else { return [] }
  var bytes: [UInt8] = []
  var request = pollfd(fd: input, events: CShort(POLLIN), revents: 0)
  while bytes.count < 4096, bytes.last != UInt8(ascii: "c"), poll(&request, 1, 3000) > 0 {
    let count = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
      let count = read(input, buffer.baseAddress, buffer.count)
      if count > 0 { bytes += buffer[..<count] }
      return count
    }
    if count <= 0 { break }
  }
  return String(decoding: bytes, as: UTF8.self).split(separator: "\u{1b}")
}
