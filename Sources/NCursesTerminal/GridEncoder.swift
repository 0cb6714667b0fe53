internal import CNCurses
internal import TerminalUI

/// Writes a whole grid down as terminals take it. ncurses needs five times as long: it keeps each cell three times, and
/// flushes after every run of blanks. Only for terminals that clear, move and wrap as xterm and its relatives do; the
/// cursor is left in the first cell, without attributes. Main thread only.
struct GridEncoder {
  /// Up to so many blanks are shorter than a move.
  private static let shortGap = 4

  private let clear: [UInt8]
  private let noAttributes: [UInt8]
  /// What each style adds to no attributes, by its number.
  private let styles: [[UInt8]]
  /// Whether what has been cleared looks like blanks.
  private let clearsToPlain: Bool

  /// `nil` where terminfo describes another kind of terminal.
  ///
  /// - Parameter attributes: How each style is drawn, by its number. ncurses believes that nothing holds.
  init?(_ attributes: [(attr_t, pair: CShort)]) {
    guard terminalString("cup") == "\u{1b}[%i%p1%d;%p2%dH", terminalString("hpa") == "\u{1b}[%i%p1%dG",
      let clear = terminalString("clear"), let noAttributes = terminalString("sgr0"),
      !(clear + noAttributes).contains("$"),  // A delay.
      tigetflag("am") != 1 || tigetflag("xenl") == 1  // The last cell can be filled.
    else { return nil }
    (self.clear, self.noAttributes) = (Array(clear.utf8), Array(noAttributes.utf8))
    styles = attributes.map {
      defer { _ = sequence(of: (0, 0)) }
      return sequence(of: $0)
    }
    clearsToPlain = styles[Int(Style.plain.rawValue)].isEmpty
  }

  /// All that has to be sent, whatever is on the screen.
  func bytes(of grid: CellGrid) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(grid.cells.count)
    bytes += noAttributes + clear
    var style = Style.plain
    if !clearsToPlain { bytes += styles[Int(style.rawValue)] }
    let cells = grid.cells.span
    for row in 0..<grid.size.rows {
      // Where the cursor is in this row.
      var place: Int?
      for column in 0..<grid.size.columns {
        let index = row * grid.size.columns + column
        // The right part of a wide character comes with it.
        guard cells[index].width > 0,
          !clearsToPlain || cells[index].style != .plain || cells[index].character != " "
        else { continue }
        if let place, column - place <= Self.shortGap, column == place || style == .plain {
          for _ in place..<column { bytes.append(UInt8(ascii: " ")) }
        } else {
          move(to: column, in: place == nil ? row : nil, &bytes)
        }
        if cells[index].style != style {
          style = cells[index].style
          bytes += noAttributes
          bytes += styles[Int(style.rawValue)]
        }
        for byte in cells[index].character.utf8 { bytes.append(byte) }
        place = column + Int(cells[index].width)
      }
    }
    bytes += noAttributes
    move(to: 0, in: 0, &bytes)
    return bytes
  }

  /// - Parameter row: `nil` where the cursor is in it.
  private func move(to column: Int, in row: Int?, _ bytes: inout [UInt8]) {
    bytes += [0x1b, UInt8(ascii: "[")]
    if let row {
      bytes += String(row + 1).utf8
      bytes.append(UInt8(ascii: ";"))
    }
    bytes += String(column + 1).utf8
    bytes.append(UInt8(ascii: row == nil ? "G" : "H"))
  }
}

/// What terminfo holds under a name.
func terminalString(_ name: String) -> String? {
  guard let sequence = tigetstr(name), UInt(bitPattern: sequence) != .max else { return nil }
  return String(cString: sequence)
}
