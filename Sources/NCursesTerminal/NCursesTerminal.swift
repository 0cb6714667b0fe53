internal import CGlibcExtras
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
      frame.show { curs_set(cursor == nil ? 0 : 1) }
    }
  }

  let output: TerminalOutput
  /// How the terminal treats what is typed, before and after.
  private let modes: termios
  private let screen: OpaquePointer
  private let files: [UnsafeMutablePointer<FILE>]
  /// Whether it may be asked for more than all terminals know: xterm's relatives, which terminfo tells by a flag or by how
  /// they take a title.
  let isLikeXterm: Bool
  let hasTitle: Bool
  let hasProgress: Bool
  let hasLinks: Bool
  /// Whether it puts right-to-left scripts into order by itself, in whole rows, unless it is told not to (VTE).
  let isBidirectional = !environment("VTE_VERSION").isEmpty
  var usesMouse: Bool
  private var look: Look
  /// The terminal's own, as far as that is known.
  private var background = Background.unknown
  private(set) var attributes: [(attr_t, pair: CShort)]
  private(set) var encoder: GridEncoder?
  var decoder = InputDecoder()
  /// CLOCK_MONOTONIC (seconds) of the last byte.
  private var lastInputTime = 0
  /// What stands in ncurses' window; `nil` where that must be filled anew.
  var shown: CellGrid?
  /// Whether something else may be on the terminal than what ncurses has put there.
  var isStale = true
  var title = ""
  var progress: WindowProgress?
  private(set) var phase = Phase.drawing
  let frame: WholeFrame
  private let strayErrors: StrayErrors?

  enum Phase { case drawing, suspended, closed }

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
    (self.output, self.modes) = (TerminalOutput(output), modes)
    frame = WholeFrame(of: fileno(files[0]), terminal: output, output: self.output)
    isLikeXterm = tigetflag("XT") == 1 || setsTitleLikeXterm()
    hasTitle = isLikeXterm || ["screen", "tmux"].contains { environment("TERM").hasPrefix($0) }
    hasProgress = showsProgress()
    hasLinks = showsLinks()
    (self.look, self.usesMouse) = (look, usesMouse)
    CrashGuard.arm(
      descriptor: self.output.descriptor, modes: modes, farewell: Self.farewell(ofProgress: hasProgress),
      errors: strayErrors)
    raw()
    noecho()
    nonl()
    frame.show { curs_set(0) }
    leaveok(nc_stdscr(), true)
    typeahead(-1)
    background = guessedBackground()
    attributes = prepareAttributes(look, on: background)
    // Not known before to ncurses: whatever the shell has left ends.
    sequence(of: (0, 0)).withUnsafeBytes(self.output.write)
    encoder = GridEncoder(attributes)
    size = Size(columns: Int(nc_columns()), rows: Int(nc_lines()))
    if hasTitle { send(Self.keepTitleSequence) }
    enter()
    _ = followSize()
  }

  deinit { close() }

  /// Looks otherwise from the next `draw` on, and lets the mouse act here, or not.
  public func configure(look: Look, usesMouse: Bool) {
    if look != self.look {
      self.look = look
      adoptLook()
    }
    guard usesMouse != self.usesMouse else { return }
    self.usesMouse = usesMouse
    if phase == .drawing { followMouse() }
  }

  private func adoptLook() {
    attributes = prepareAttributes(look, on: background)
    encoder = GridEncoder(attributes)
    shown = nil
    forget()
  }

  /// True if what the terminal has said of its background changes the colours.
  private func followBackground() -> Bool {
    guard let new = decoder.background, new != background else { return false }
    let old = look.theme.appearances(colorCount: 256, on: background)
    background = new
    guard look.theme.appearances(colorCount: 256, on: new) != old else { return false }
    adoptLook()
    return true
  }

  // MARK: Input

  /// What has been typed, clicked or resized since the last call. Waits for nothing, but up to 25 ms for the rest of an
  /// escape sequence. Call it when `inputDescriptor` is readable, and after SIGWINCH and SIGCONT.
  public func readInput() -> [Message] {
    guard phase == .drawing else { return [] }
    var messages = followSize() ? [Message.resized(size)] : []
    // A terminal that is pasting does not stop for seconds: the paste's end was lost on the way.
    if monotonicSeconds() - lastInputTime > 3 { decoder.abandonUnfinished() }
    // What is left of a megabyte comes with the next call.
    var reads = 0
    while reads < 16, hasInput(withinMilliseconds: decoder.isPending ? 25 : 0), readOnce(&messages) { reads += 1 }
    if reads < 16 { messages += decoder.flush() }
    if followBackground() { messages.append(.recolored) }
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
    guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0 else {
      return false
    }
    // Letters of another size make cells of another.
    if decoder.cellSize != nil { reportPixelsIfPossible() }
    let new = Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    guard new != size else { return false }
    size = new
    shown = nil
    return true
  }

  // MARK: Coming and going

  /// Gives the terminal back for a while, as for Ctrl-Z.
  public func suspend() {
    guard phase == .drawing else { return }
    leave()
    phase = .suspended
    frame.show { endwin() }
    output.finish(Self.farewell(ofProgress: hasProgress))
    var modes = modes
    tcsetattr(output.descriptor, TCSANOW, &modes)
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
    if hasTitle { send(Self.formerTitleSequence) }
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

/// What the environment says of the terminal's background. The Linux console is black, and cannot be asked.
private func guessedBackground() -> Background {
  environment("TERM") == "linux" ? .dark : Background(variable: environment("COLORFGBG"))
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
  guard terminalString("cup") != nil else {
    endwin()
    delscreen(screen)
    for file in files { fclose(file) }
    throw .noCursorAddressing(term: term)
  }
  return (screen, files)
}
