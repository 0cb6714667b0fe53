internal import CNCurses
public import TerminalUI

// Whole screens are sent first, and ncurses learns of them afterwards; what changes from then on, it sends itself.
extension NCursesTerminal {
  /// Shows a grid. Writes only what differs from what is seen; nothing if that is nothing.
  public func draw(_ grid: CellGrid) {
    guard phase == .drawing else { return }
    let isSent = shown == nil && send(grid)
    resizeterm(CInt(size.rows), CInt(size.columns))
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
    if isSent {
      learn()
    } else {
      placeCursor()
      // A few cells are one piece anyway.
      refresh(isWhole: isStale || shown == nil || changes.count > 16)
    }
    (shown, isStale) = (grid, false)
  }

  /// Forgets what is seen: the next `draw` paints everything.
  func forget() {
    isStale = true
    if phase == .drawing { clearok(nc_curscr(), true) }
  }

  /// Paints everything at once, as it was drawn last: whoever asks for that waits for no view to be made.
  public func repaint() {
    guard phase == .drawing, let shown else { return forget() }
    if send(shown) { return learn() }
    forget()
    refresh(isWhole: true)
    isStale = false
  }

  private func refresh(isWhole: Bool) {
    // Where ncurses takes the terminal over again, it needs it.
    if isWhole, !isendwin(), let frame {
      frame.show(synchronized: decoder.canSynchronize) { _ = wrefresh(nc_stdscr()) }
    } else {
      wrefresh(nc_stdscr())
    }
  }

  /// Sends a whole grid past ncurses, if that has the terminal and the terminal is of the right kind.
  private func send(_ grid: CellGrid) -> Bool {
    guard !isStale, !isendwin(), let encoder, let frame else { return false }
    frame.show(synchronized: decoder.canSynchronize, encoder.bytes(of: grid))
    return true
  }

  /// Tells ncurses what was sent: its window, the cursor in the first cell, and no attributes.
  private func learn() {
    frame?.learn {
      leaveok(nc_stdscr(), false)
      wmove(nc_stdscr(), 0, 0)
      wrefresh(nc_stdscr())
      vid_attr(0, 0, nil)
      wrefresh(nc_stdscr())
      leaveok(nc_stdscr(), cursor == nil)
    }
    guard cursor != nil else { return }
    placeCursor()
    wrefresh(nc_stdscr())
  }

  private func placeCursor() {
    if let cursor { wmove(nc_stdscr(), CInt(cursor.row), CInt(cursor.column)) }
  }
}
