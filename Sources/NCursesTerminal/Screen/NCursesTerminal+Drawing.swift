internal import CNCurses
public import Cells

// Whole screens are sent past ncurses, which learns of them afterwards; ncurses sends later changes itself.
extension NCursesTerminal {
  /// A descriptor to poll for POLLOUT before the next `draw`, while the terminal has not taken all bytes; else `nil`.
  public var outputDescriptor: CInt? { output.isWaiting ? output.descriptor : nil }

  /// Sends pending bytes. Returns whether the terminal has taken all of them; nothing is drawn before.
  public func flush() -> Bool { output.flush() }

  /// Shows a grid, unless the terminal has not taken the one before. Writes only the cells that differ. Never blocks.
  public func draw(_ grid: CellGrid) {
    guard phase == .drawing, flush() else { return }
    let grid = withPictures(grid)
    let isSent = shown == nil && send(grid)
    if is_term_resized(CInt(size.rows), CInt(size.columns)) {
      frame.show { resizeterm(CInt(size.rows), CInt(size.columns)) }
    }
    if shown == nil { werase(nc_stdscr()) }
    // An erased window is blank.
    let isBlankPlain = look.attributes[Int(Style.plain.rawValue)] == (0, 0)
    let changes = changes(from: shown ?? (isBlankPlain ? CellGrid(size: grid.size) : nil), to: grid)
    let hasNews = !changes.isEmpty || shown?.links != grid.links || pictures.lacksSixels
    guard isStale || isRecolored || hasNews else { return }
    let isWhole = isStale || shown == nil
    write(changes)
    if isSent {
      learn()
    } else {
      // A few cells need no synchronized output.
      refresh(
        isWhole: isWhole || isRecolored || changes.count > 16,
        ownCells(of: grid, after: isStale || isRecolored ? nil : shown, changes), of: grid)
    }
    showPixels(isWhole: isWhole)
    (shown, isStale, isRecolored) = (grid, false, false)
  }

  /// Replaces some rows of the last grid, which have no links: for cells that change often. Returns false, having done
  /// nothing, if that grid is not on the screen or has other rows.
  public func draw(_ part: CellGrid, inRows rows: Range<Int>) -> Bool {
    guard phase == .drawing, !isStale, !isRecolored, let old = shown?[rows], old.size == part.size, flush() else {
      return false
    }
    let changes = changes(from: old, to: part)
    guard !changes.isEmpty else { return true }
    write(changes, below: rows.lowerBound)
    shown?[rows] = part
    frame.show {
      placeCursor()
      wrefresh(nc_stdscr())
    }
    return true
  }

  private func write(_ changes: [CellChange], below top: Int = 0) {
    for change in changes {
      let attributes = attributes(of: change.look)
      guard wmove(nc_stdscr(), CInt(top + change.row), CInt(change.column)) == OK else { continue }
      wattr_set(nc_stdscr(), attributes.0, attributes.pair, nil)
      waddnstr(nc_stdscr(), change.text, -1)
    }
  }

  /// Makes the next `draw` paint everything.
  func forget() {
    isStale = true
    if phase == .drawing { clearok(nc_curscr(), true) }
  }

  /// Paints the last grid again, without a new view. False if there is none, or the terminal takes nothing now: the
  /// next `draw` paints it.
  @discardableResult public func repaint() -> Bool {
    // A terminal that lost its screen has lost its pictures, too.
    guard phase == .drawing, let shown, !pictures.isOnTerminal, flush() else {
      if phase == .drawing { removePictures() }
      forget()
      return false
    }
    if send(shown) {
      learn()
    } else {
      forget()
      refresh(isWhole: true, ownCells(of: shown, after: nil, []), of: shown)
      isStale = false
    }
    showPixels(isWhole: true)
    return true
  }

  private func refresh(isWhole: Bool, _ own: [OwnCells], of grid: CellGrid) {
    // After `endwin`, the terminal needs its modes before the frame, which is collected in memory.
    if isendwin() { reset_prog_mode() }
    frame.show(synchronized: isWhole && decoder.canSynchronize) {
      placeCursor()
      wrefresh(nc_stdscr())
      frame.add(written(own, of: grid))
    }
  }

  /// Sends a whole grid past ncurses, if ncurses has set up the terminal and `GridEncoder` supports it.
  private func send(_ grid: CellGrid) -> Bool {
    guard !isStale, !isendwin(), let encoder = look.encoder else { return false }
    frame.show(
      synchronized: decoder.canSynchronize,
      encoder.bytes(of: grid, attributes: attributes) + written(ownCells(of: grid, after: nil, []), of: grid))
    return true
  }

  /// Tells ncurses the state of the terminal: the content of its window, the cursor in the first cell, no attributes.
  private func learn() {
    frame.learn {
      leaveok(nc_stdscr(), false)
      wmove(nc_stdscr(), 0, 0)
      wrefresh(nc_stdscr())
      _ = sequence(of: (0, 0))
      leaveok(nc_stdscr(), cursor == nil)
    }
    guard cursor != nil else { return }
    frame.show {
      placeCursor()
      wrefresh(nc_stdscr())
    }
  }

  private func placeCursor() {
    if let cursor { wmove(nc_stdscr(), CInt(cursor.row), CInt(cursor.column)) }
  }
}
