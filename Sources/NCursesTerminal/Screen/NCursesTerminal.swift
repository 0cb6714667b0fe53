public import AudioModel
internal import CGlibcExtras
internal import CNCurses
internal import Glibc
public import Cells
internal import Threads

/// The terminal, drawn with ncurses. One at a time; main thread only. Owns no loop: poll `inputDescriptor`, then call
/// `readInput`; call it after SIGWINCH and SIGCONT as well. ncurses only writes: input never passes through it.
public final class NCursesTerminal {
  public typealias Look = TerminalLook

  /// The library for right-to-left scripts, which this opens. Any thread.
  public static var orderingLibrary: SharedLibrary { VisualOrder.library }

  /// The descriptor to poll for POLLIN.
  public let inputDescriptor: CInt
  /// The characters that it can show, for `ScreenState`.
  public var typography: Typography {
    var typography = characters
    // Sixels bring colours of their own.
    typography.hasPictures = typography.isUnicode && (colorCount >= 8 || pictureMethod == .sixels)
    typography.hasPixels = if case .blocks = pictureMethod { false } else { true }
    typography.hasPalette = colorCount >= 256
    typography.hasTrueColor = look.colors.hasTrueColor
    return typography
  }
  let characters: Typography
  private let colorCount: Int
  public private(set) var size: Size

  /// The place of the cursor after a grid has been drawn; `nil`: hidden.
  public var cursor: (row: Int, column: Int)? {
    didSet {
      guard phase == .drawing, (cursor == nil) != (oldValue == nil) else { return }
      leaveok(nc_stdscr(), cursor == nil)
      frame.show { curs_set(cursor == nil ? 0 : 1) }
    }
  }

  let output: TerminalOutput
  /// The terminal's modes before this program, and while it has the screen.
  private let modes: termios
  private let screen: OpaquePointer
  private let files: [UnsafeMutablePointer<FILE>]
  let hasLinks: Bool
  private(set) var requests: TerminalRequests
  private(set) var look: PreparedLook
  var pictures = PictureOutput()
  private(set) var decoder = InputDecoder()
  /// The grid in ncurses' window; `nil` if the window must be filled again.
  var shown: CellGrid?
  /// True if the terminal may show something that ncurses has not drawn.
  var isStale = true
  /// True if colours of styles have changed that are on the screen.
  var isRecolored = false
  private(set) var phase = Phase.drawing
  let frame: WholeFrame
  private let strayErrors: StrayErrors?

  enum Phase { case drawing, suspended, closed }

  /// Takes the terminal over. Install the program's own signal handlers before; ncurses keeps them.
  ///
  /// - Parameters:
  ///   - handle: The terminal.
  ///   - usesMouse: True to receive mouse reports; false lets the terminal select text with the mouse.
  public init(
    _ handle: TerminalHandle = TerminalHandle(), look: Look = Look(), usesMouse: Bool = true
  ) throws(TerminalError) {
    let (input, output) = (handle.input, handle.output)
    describeTerminal(by: handle.variables)
    var modes = termios()
    guard isatty(input) == 1, isatty(output) == 1, tcgetattr(output, &modes) == 0 else { throw .notATerminal }
    strayErrors = StrayErrors()
    characters = chooseTypography()
    (screen, files) = try openScreen(input: input, output: output)
    inputDescriptor = input
    (self.output, self.modes) = (TerminalOutput(output, writer: handle.writer), modes)
    frame = WholeFrame(of: fileno(files[0]), terminal: output, output: self.output)
    requests = TerminalRequests(self.output, usesMouse: usesMouse)
    hasLinks = showsLinks()
    CrashGuard.arm(
      descriptor: self.output.descriptor, modes: modes, farewell: requests.farewell, errors: strayErrors)
    raw()
    noecho()
    nonl()
    frame.show { curs_set(0) }
    leaveok(nc_stdscr(), true)
    typeahead(-1)
    trueColorPairs = TrueColorPairs()
    let colors = TerminalColors(limit: look.colorLimit, hasTrueColor: hasTrueColorByTerminfo())
    let attributes = prepareAttributes(look, on: guessedBackground(), colors)
    // ncurses does not know the attributes that the shell has left.
    sequence(of: (0, 0)).withUnsafeBytes(self.output.write)
    self.look = PreparedLook(look, on: guessedBackground(), colors, attributes)
    colorCount = TerminalColors(limit: nil, hasTrueColor: colors.hasTrueColor).count
    size = Size(columns: Int(nc_columns()), rows: Int(nc_lines()))
    requests.keepTitle()
    requests.enter()
    _ = followSize()
  }

  deinit { close() }

  /// Changes the look from the next `draw` on, and switches the mouse on or off.
  public func configure(look: Look, usesMouse: Bool) {
    if look != self.look.look { adopt(look, on: self.look.background) }
    guard usesMouse != requests.usesMouse else { return }
    requests.setMouse(usesMouse, isNow: phase == .drawing)
    guard phase == .drawing else { return }
    decoder.cellSize = nil
    reportPixelsIfPossible()
  }

  private func adopt(_ look: Look, on background: Background) {
    let old = self.look
    let hasTrueColor = old.colors.hasTrueColor || decoder.hasTrueColor
    let hasOtherColors = look.colorLimit != old.look.colorLimit || hasTrueColor != old.colors.hasTrueColor
    if hasOtherColors {
      trueColorPairs = TrueColorPairs()
      pictures.forgetPairs()
    }
    let colors = TerminalColors(limit: look.colorLimit, hasTrueColor: hasTrueColor)
    self.look = PreparedLook(look, on: background, colors, prepareAttributes(look, on: background, colors))
    // ncurses itself paints the cells whose colours have changed, as the accent does with each cover.
    isRecolored =
      look.cover == old.look.cover && !hasOtherColors
      && zip(self.look.attributes, old.attributes).allSatisfy { $0 == $1 }
    guard !isRecolored else { return }
    shown = nil
    forget()
  }

  /// True if what the terminal has answered changes the colours: its background, or its name.
  private func followAnswers() -> Bool {
    let new = decoder.background ?? look.background
    let hasMoreColors = decoder.hasTrueColor && !look.colors.hasTrueColor
    guard new != look.background || hasMoreColors else { return false }
    let hasChanged = hasMoreColors || look.differs(on: new)
    if hasChanged { adopt(look.look, on: new) } else { look.background = new }
    return hasChanged
  }

  /// Sets the title of the window or tab, if the terminal can. An empty one restores the title that the window had.
  public func setTitle(_ title: String) {
    if phase == .drawing { requests.setTitle(title) }
  }

  /// Shows the progress of playback in the window's tab or in the taskbar, if the terminal can.
  public func showProgress(_ progress: WindowProgress?) {
    if phase == .drawing { requests.showProgress(progress) }
  }

  private func reportPixelsIfPossible() {
    guard decoder.canReportPixels, let size = requests.reportPixels(areReported: decoder.cellSize != nil) else {
      return
    }
    decoder.cellSize = size
  }

  // MARK: Input

  /// The time for `readInput` although nothing may have arrived; `nil` if there is none.
  public var inputDeadline: MonotonicTime? { phase == .drawing ? decoder.deadline : nil }

  /// Keys, mouse events and new sizes since the last call. Does not wait. Call it when `inputDescriptor` is readable, at
  /// `inputDeadline`, and after SIGWINCH and SIGCONT.
  public func readInput() -> [TerminalInput] {
    guard phase == .drawing else { return [] }
    let before = typography
    var inputs = followSize() ? [TerminalInput.resized(size)] : []
    // The rest of a megabyte is read by the next call, and that of hundreds of keys, so that the screen follows them.
    var (reads, isMoreExpected) = (0, true)
    while isMoreExpected, reads < 16, inputs.count < 256 {
      isMoreExpected = hasInput && readOnce(&inputs)
      reads += 1
    }
    if !isMoreExpected { inputs += decoder.expire(at: .now) }
    let now = typography
    let areChanged = (now.hasPictures, now.hasPixels) != (before.hasPictures, before.hasPixels)
    if followAnswers() || areChanged { inputs.append(.recolored) }
    return inputs
  }

  /// Lines that libraries and their child processes have written to standard error since the last call; they would
  /// damage the screen. Lines that are not taken are written to standard error at the end.
  public func takeErrors() -> [String] { phase == .drawing ? strayErrors?.take() ?? [] : [] }

  private var hasInput: Bool {
    var request = pollfd(fd: inputDescriptor, events: CShort(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  /// True if there may be more to read.
  private func readOnce(_ inputs: inout [TerminalInput]) -> Bool {
    let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = read(inputDescriptor, buffer.baseAddress, buffer.count)
      if count > 0 { inputs += decoder.decode(buffer[..<count], at: .now) }
      return count
    }
    if decoder.canReportPixels, decoder.cellSize == nil { reportPixelsIfPossible() }
    if count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) { return count > 0 }
    inputs.append(.closed)
    return false
  }

  private func followSize() -> Bool {
    var window = winsize()
    guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0 else {
      return false
    }
    // Another font size changes the size of a cell.
    if decoder.cellSize != nil { reportPixelsIfPossible() }
    let new = Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    guard new != size else { return false }
    size = new
    shown = nil
    return true
  }

  // MARK: Suspending and closing

  /// Gives the terminal back for a while, as for Ctrl-Z.
  public func suspend() {
    guard phase == .drawing else { return }
    requests.leave()
    removePictures()
    decoder.cellSize = nil
    phase = .suspended
    frame.show { endwin() }
    output.finish(requests.farewell)
    var modes = modes
    tcsetattr(output.descriptor, TCSANOW, &modes)
    strayErrors?.end()
  }

  /// Takes the terminal over again as soon as the next `draw` paints everything.
  public func resume() {
    guard phase == .suspended else { return }
    phase = .drawing
    forget()
    requests.enter()
    reportPixelsIfPossible()
    strayErrors?.begin()
  }

  /// The bytes that give a terminal back in place of a program that was killed.
  public static var farewell: [UInt8] { TerminalRequests.anyFarewell }

  /// Gives the terminal back for good. Does nothing the second time.
  public func close() {
    guard phase != .closed else { return }
    suspend()
    requests.restoreTitle()
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

/// The terminal's background according to the environment. The Linux console is black, and cannot be asked.
private func guessedBackground() -> Background {
  environment("TERM") == "linux" ? .dark : Background(variable: environment("COLORFGBG"))
}

/// Sets the locale's character encoding, and returns the characters that it can show.
func chooseTypography() -> Typography {
  let wanted = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.map(environment).first { !$0.isEmpty } ?? ""
  if setlocale(LC_CTYPE, wanted.isEmpty ? "C" : wanted) == nil {
    // A locale like en_US.UTF-8 shows that the terminal is UTF-8 even if it is not installed. Any other one must not
    // leave the encoding of the terminal before.
    let isUTF8 = ["UTF-8", "UTF8"].contains { wanted.uppercased().hasSuffix($0) }
    setlocale(LC_CTYPE, isUTF8 ? "C.UTF-8" : "C")
  }
  guard let codeset = nl_langinfo(nl_item(CODESET)), String(cString: codeset) == "UTF-8" else { return .ascii }
  var typography = Typography.unicode { Int(wcwidth(Int32(bitPattern: $0.value))) }
  typography.visualOrder = { VisualOrder.shared?.order(of: $0) }
  typography.hasEighths = environment("TERM") != "linux"
  return typography
}

/// Opens the screen. Unlike `initscr`, `newterm` does not end the process for an unknown terminal.
private func openScreen(
  input: CInt, output: CInt
) throws(TerminalError) -> (OpaquePointer, [UnsafeMutablePointer<FILE>]) {
  let term = environment("TERM")
  let files = [fdopen(dup(output), "w"), fdopen(dup(input), "r")].compactMap(\.self)
  guard files.count == 2 else { throw .notATerminal }
  // xterm alone has eight colours in terminfo.
  let isWider = announcesTrueColor() && !term.contains("256color")
  let wider = isWider ? newterm(term + "-256color", files[0], files[1]) : nil
  guard let screen = wider ?? newterm(term, files[0], files[1]) ?? newterm("xterm-256color", files[0], files[1]) else {
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
