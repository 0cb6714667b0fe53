internal import CGnu
internal import CNCurses
internal import Glibc
public import TerminalUI

/// The terminal, drawn on with ncurses. One at a time; main thread only. Owns no loop: poll `inputDescriptor`, then call
/// `readInput`; call it after SIGWINCH and SIGCONT as well. ncurses only writes: what is typed never passes through it.
public final class NCursesTerminal {
  /// What to poll for POLLIN.
  public let inputDescriptor: CInt
  /// What it can show, for `ScreenState`.
  public let typography: Typography
  /// How large the screen is.
  public private(set) var size: Size

  /// Where the cursor stands once a grid has been drawn; `nil`: it is hidden.
  public var cursor: (row: Int, column: Int)? {
    didSet {
      guard phase == .drawing, (cursor == nil) != (oldValue == nil) else { return }
      leaveok(nc_stdscr(), cursor == nil)
      curs_set(cursor == nil ? 0 : 1)
    }
  }

  private let outputDescriptor: CInt
  private let screen: OpaquePointer
  private let files: [UnsafeMutablePointer<FILE>]
  private let hasTitle: Bool
  /// Whether it may be asked for more than all terminals know (terminfo's flag of xterm's relatives).
  private let isLikeXterm: Bool
  /// Whether it puts right-to-left scripts into order by itself, in whole rows, unless it is told not to (VTE).
  private let isBidirectional = !environment("VTE_VERSION").isEmpty
  private var usesMouse: Bool
  private var look: Look
  private var attributes: [(attr_t, pair: CShort)]
  private var decoder = InputDecoder()
  /// CLOCK_MONOTONIC (seconds) of the last byte.
  private var lastInputTime = 0
  /// What stands in ncurses' window; `nil` where that must be filled anew.
  private var shown: CellGrid?
  /// Whether something else may be on the terminal than what ncurses has put there.
  private var isStale = false
  private var title = ""
  private var phase = Phase.drawing
  private let strayErrors: StrayErrors?

  private enum Phase { case drawing, suspended, closed }

  /// Takes the terminal over. Install the program's own signal handlers before; ncurses leaves those alone.
  ///
  /// - Parameters:
  ///   - usesMouse: Whether the mouse acts here; if not, the terminal selects text with it.
  public init(
    input: CInt = 0, output: CInt = 1, look: Look = Look(), usesMouse: Bool = true
  ) throws(TerminalError) {
    var modes = termios()
    guard isatty(input) == 1, isatty(output) == 1, tcgetattr(output, &modes) == 0 else { throw .notATerminal }
    strayErrors = StrayErrors()
    typography = chooseTypography()
    (screen, files) = try openScreen(input: input, output: output)
    inputDescriptor = input
    outputDescriptor = output
    // Terminfo tells of titles by the flag of xterm's relatives only.
    isLikeXterm = tigetflag("XT") == 1
    hasTitle = isLikeXterm || ["screen", "tmux"].contains { environment("TERM").hasPrefix($0) }
    (self.look, self.usesMouse) = (look, usesMouse)
    CrashGuard.arm(descriptor: output, modes: modes, farewell: Self.farewell, errors: strayErrors)
    raw()
    noecho()
    nonl()
    curs_set(0)
    leaveok(nc_stdscr(), true)
    typeahead(-1)
    attributes = prepareAttributes(look)
    size = Size(columns: Int(nc_columns()), rows: Int(nc_lines()))
    enter()
    if hasTitle { send("\u{1b}[22;2t") }
    _ = followSize()
  }

  deinit { close() }

  /// Looks otherwise from the next `draw` on, and lets the mouse act here, or not.
  public func configure(look: Look, usesMouse: Bool) {
    if look != self.look {
      self.look = look
      attributes = prepareAttributes(look)
      shown = nil
      forget()
    }
    guard usesMouse != self.usesMouse else { return }
    self.usesMouse = usesMouse
    guard phase == .drawing else { return }
    send(usesMouse ? Self.mouseSequence : Self.noMouseSequence)
    decoder.cellSize = nil
    reportPixelsIfPossible()
  }

  /// Asks for what is wanted of the terminal.
  private func enter() {
    send("\u{1b}[?2004h")
    if isBidirectional { send(Self.explicitSequence) }
    guard usesMouse else { return }
    send(Self.mouseSequence)
    // Whether the mouse can be reported in pixels; whoever does not know the question does not answer.
    if isLikeXterm { send("\u{1b}[?1016$p") }
  }

  /// Pixels in place of cells, where the terminal can, and says how large a cell is.
  private func reportPixelsIfPossible() {
    var window = winsize()
    guard usesMouse, decoder.canReportPixels, ioctl(outputDescriptor, UInt(TIOCGWINSZ), &window) == 0,
      window.ws_row > 0, window.ws_col > 0, window.ws_xpixel >= window.ws_col, window.ws_ypixel >= window.ws_row
    else { return }
    if decoder.cellSize == nil { send("\u{1b}[?1016h") }
    decoder.cellSize = (Int(window.ws_xpixel / window.ws_col), Int(window.ws_ypixel / window.ws_row))
  }

  /// Letters stay where they are put (ECMA-48 BDSM), and go again where the terminal puts them.
  private static let explicitSequence: StaticString = "\u{1b}[8l"
  private static let implicitSequence: StaticString = "\u{1b}[8h"
  private static let mouseSequence: StaticString = "\u{1b}[?1002h\u{1b}[?1006h"
  private static let noMouseSequence: StaticString = "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l"
  /// Takes back all that `init` asked of the terminal; after a crash, all that ncurses did too.
  private static let leaveSequence: StaticString = "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?2004l"
  private static let farewell: StaticString =
    "\u{1b}[?1016l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?2004l\u{1b}[8h\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l\r\n"

  // MARK: Input

  /// What has been typed, clicked or resized since the last call. Waits for nothing, but up to 25 ms for the rest of an
  /// escape sequence. Call it when `inputDescriptor` is readable, and after SIGWINCH and SIGCONT.
  public func readInput() -> [Message] {
    guard phase == .drawing else { return [] }
    var messages = followSize() ? [Message.resized(size)] : []
    // A terminal that is pasting does not stop for seconds: the paste's end was lost on the way.
    if monotonicSeconds() - lastInputTime > 3 { decoder.abandonPaste() }
    // What is left of a megabyte comes with the next call.
    var reads = 0
    while reads < 16, hasInput(withinMilliseconds: decoder.isPending ? 25 : 0), readOnce(&messages) { reads += 1 }
    if reads < 16 { messages += decoder.flush() }
    return messages
  }

  /// Lines that libraries, and what they start, have written to standard error since the last call: the screen is no place
  /// for them. What is not taken goes there in the end.
  public func takeErrors() -> [String] { phase == .drawing ? strayErrors?.take() ?? [] : [] }

  private func hasInput(withinMilliseconds timeout: CInt) -> Bool {
    var request = pollfd(fd: inputDescriptor, events: CShort(POLLIN), revents: 0)
    return poll(&request, 1, timeout) > 0
  }

  /// Whether there may be more.
  private func readOnce(_ messages: inout [Message]) -> Bool {
    let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = read(inputDescriptor, buffer.baseAddress, buffer.count)
      if count > 0 { messages += decoder.decode(buffer[..<count]) }
      return count
    }
    if count > 0 { lastInputTime = monotonicSeconds() }
    if decoder.canReportPixels, decoder.cellSize == nil { reportPixelsIfPossible() }
    if count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) { return count > 0 }
    messages.append(.inputClosed)
    return false
  }

  /// Whether the screen has another size now.
  private func followSize() -> Bool {
    var window = winsize()
    guard ioctl(outputDescriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0 else {
      return false
    }
    // Letters of another size make cells of another.
    if decoder.cellSize != nil { reportPixelsIfPossible() }
    let new = Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    guard new != size else { return false }
    size = new
    resizeterm(CInt(new.rows), CInt(new.columns))
    shown = nil
    return true
  }

  // MARK: Output

  /// Shows a grid. Writes only what differs from what is seen; nothing if that is nothing.
  public func draw(_ grid: CellGrid) {
    guard phase == .drawing else { return }
    if shown == nil { werase(nc_stdscr()) }
    // An erased window is blank.
    let isBlankPlain = attributes[Int(Style.plain.rawValue)] == (0, 0)
    let changes = changes(from: shown ?? (isBlankPlain ? CellGrid(size: grid.size) : nil), to: grid)
    guard isStale || shown == nil || !changes.isEmpty else { return }
    for change in changes {
      let look = attributes[Int(change.style.rawValue)]
      guard wmove(nc_stdscr(), CInt(change.row), CInt(change.column)) == OK else { continue }
      wattr_set(nc_stdscr(), look.0, look.pair, nil)
      waddnstr(nc_stdscr(), change.text, -1)
    }
    if let cursor { wmove(nc_stdscr(), CInt(cursor.row), CInt(cursor.column)) }
    wrefresh(nc_stdscr())
    (shown, isStale) = (grid, false)
  }

  /// Forgets what is seen: the next `draw` paints everything.
  private func forget() {
    isStale = true
    if phase == .drawing { clearok(nc_curscr(), true) }
  }

  /// Paints everything at once, as ncurses remembers it: whoever asks for that waits for no view to be made.
  public func repaint() {
    forget()
    guard phase == .drawing, shown != nil else { return }
    wrefresh(nc_stdscr())
    isStale = false
  }

  /// Names the window or tab, where the terminal can. Control characters are left out.
  public func setTitle(_ title: String) {
    guard hasTitle, phase == .drawing, title != self.title else { return }
    self.title = title
    let safe = title.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f ~= $0.value) }
    var sequence = "\u{1b}]2;" + String(safe) + "\u{07}"
    sequence.withUTF8 { _ = write(outputDescriptor, $0.baseAddress, $0.count) }
  }

  private func send(_ sequence: StaticString) {
    _ = write(outputDescriptor, sequence.utf8Start, sequence.utf8CodeUnitCount)
  }

  // MARK: Coming and going

  /// Gives the terminal back for a while, as for Ctrl-Z.
  public func suspend() {
    guard phase == .drawing else { return }
    phase = .suspended
    send(Self.leaveSequence)
    if isBidirectional { send(Self.implicitSequence) }
    decoder.cellSize = nil
    endwin()
    strayErrors?.end()
  }

  /// Takes the terminal over again as soon as the next `draw` paints everything.
  public func resume() {
    guard phase == .suspended else { return }
    phase = .drawing
    forget()
    enter()
    reportPixelsIfPossible()
    strayErrors?.begin()
  }

  /// Gives the terminal back for good. Does nothing the second time.
  public func close() {
    guard phase != .closed else { return }
    suspend()
    if hasTitle { send("\u{1b}[23;2t") }
    phase = .closed
    CrashGuard.disarm()
    for line in strayErrors?.take() ?? [] {
      let line = Array("\(line)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
    }
    delscreen(screen)
    for file in files { fclose(file) }
  }
}

private func monotonicSeconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec
}

/// A variable of the environment; empty if it is not set.
func environment(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

/// Takes the locale's characters over, and says what can be shown with them.
func chooseTypography() -> Typography {
  let wanted = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.map(environment).first { !$0.isEmpty } ?? ""
  let isKnown = setlocale(LC_CTYPE, "") != nil
  // A name like en_US.UTF-8, wanted here and not installed, says enough of the terminal.
  if !isKnown, wanted.uppercased().hasSuffix("UTF-8") || wanted.uppercased().hasSuffix("UTF8") {
    setlocale(LC_CTYPE, "C.UTF-8")
  }
  guard let codeset = nl_langinfo(nl_item(CODESET)), String(cString: codeset) == "UTF-8" else { return .ascii }
  var typography = Typography.unicode { Int(wcwidth(Int32(bitPattern: $0.value))) }
  typography.visualOrder = { VisualOrder.shared?.order(of: $0) }
  typography.hasEighths = environment("TERM") != "linux"
  return typography
}

/// Unlike `initscr`, `newterm` does not end the process when it does not know the terminal.
private func openScreen(
  input: CInt, output: CInt
) throws(TerminalError) -> (OpaquePointer, [UnsafeMutablePointer<FILE>]) {
  let term = environment("TERM")
  let files = [fdopen(dup(output), "w"), fdopen(dup(input), "r")].compactMap(\.self)
  guard files.count == 2 else { throw .notATerminal }
  let direct = directColorName(of: term).flatMap { newterm($0, files[0], files[1]) }
  guard let screen = direct ?? newterm(nil, files[0], files[1]) ?? newterm("xterm-256color", files[0], files[1]) else {
    for file in files { fclose(file) }
    throw .unknownTerminal(term: term)
  }
  guard let cup = tigetstr("cup"), UInt(bitPattern: cup) != .max else {
    endwin()
    delscreen(screen)
    for file in files { fclose(file) }
    throw .noCursorAddressing(term: term)
  }
  return (screen, files)
}
