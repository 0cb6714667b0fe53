internal import CNCurses
public import TerminalUI

// Whole screens are sent first, and ncurses learns of them afterwards; what changes from then on, it sends itself.
extension NCursesTerminal {
  /// What to poll for POLLOUT, to `draw` again then: the terminal has not taken all of what was drawn. `nil` if it has.
  public var outputDescriptor: CInt? { output.isWaiting ? output.descriptor : nil }

  /// Sends what the terminal has not taken; whether it has all now. Until then nothing more is drawn.
  public func flush() -> Bool { output.flush() }

  /// Shows a grid, unless the terminal takes none now. Writes only what differs from what is seen; nothing if that is
  /// nothing. Waits for nobody.
  public func draw(_ grid: CellGrid) {
    guard phase == .drawing, flush() else { return }
    let isSent = shown == nil && send(grid)
    if is_term_resized(CInt(size.rows), CInt(size.columns)) {
      frame.show { resizeterm(CInt(size.rows), CInt(size.columns)) }
    }
    if shown == nil { werase(nc_stdscr()) }
    // An erased window is blank.
    let isBlankPlain = attributes[Int(Style.plain.rawValue)] == (0, 0)
    let changes = changes(from: shown ?? (isBlankPlain ? CellGrid(size: grid.size) : nil), to: grid)
    guard isStale || !changes.isEmpty || shown?.links != grid.links else { return }
    for change in changes {
      let look = attributes[Int(change.style.rawValue)]
      guard wmove(nc_stdscr(), CInt(change.row), CInt(change.column)) == OK else { continue }
      wattr_set(nc_stdscr(), look.0, look.pair, nil)
      waddnstr(nc_stdscr(), change.text, -1)
    }
    if isSent {
      learn()
    } else {
      // A few cells are seen at once anyway.
      refresh(
        isWhole: isStale || shown == nil || changes.count > 16,
        linkedCells(of: grid, after: isStale ? nil : shown, changes), of: grid)
    }
    (shown, isStale) = (grid, false)
  }

  /// Forgets what is seen: the next `draw` paints everything.
  func forget() {
    isStale = true
    if phase == .drawing { clearok(nc_curscr(), true) }
  }

  /// Paints everything at once, as it was drawn last: whoever asks for that waits for no view to be made. False where that
  /// is not known, or the terminal takes nothing now: the next `draw` does it.
  @discardableResult public func repaint() -> Bool {
    guard phase == .drawing, let shown, flush() else {
      forget()
      return false
    }
    if send(shown) {
      learn()
    } else {
      forget()
      refresh(isWhole: true, linkedCells(of: shown, after: nil, []), of: shown)
      isStale = false
    }
    return true
  }

  private func refresh(isWhole: Bool, _ linked: [LinkedCells], of grid: CellGrid) {
    // What is collected in memory has no modes.
    if isendwin() { reset_prog_mode() }
    frame.show(synchronized: isWhole && decoder.canSynchronize) {
      placeCursor()
      wrefresh(nc_stdscr())
      frame.add(rewritten(linked, of: grid))
    }
  }

  /// Sends a whole grid past ncurses, if that has the terminal and the terminal is of the right kind.
  private func send(_ grid: CellGrid) -> Bool {
    guard !isStale, !isendwin(), let encoder else { return false }
    frame.show(
      synchronized: decoder.canSynchronize,
      encoder.bytes(of: grid) + rewritten(linkedCells(of: grid, after: nil, []), of: grid))
    return true
  }

  /// Tells ncurses what was sent: its window, the cursor in the first cell, and no attributes.
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
