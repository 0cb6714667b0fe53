internal import CNCurses
internal import Cells

/// Encodes a whole grid for a terminal. ncurses needs five times as long: it keeps each cell three times, and flushes
/// after every run of blanks. Only for terminals that clear, move and wrap as xterm does. The cursor ends in the first
/// cell, without attributes. Main thread only.
struct GridEncoder {
  /// The number of spaces up to which writing them is shorter than moving the cursor.
  private static let shortGap = 4

  private let clear: [UInt8]
  private let noAttributes: [UInt8]
  /// True if a cleared cell looks like a space of the plain style.
  private let clearsToPlain: Bool

  /// `nil` if terminfo describes another kind of terminal.
  init?(clearsToPlain: Bool) {
    guard terminalString("cup") == "\u{1b}[%i%p1%d;%p2%dH", terminalString("hpa") == "\u{1b}[%i%p1%dG",
      let clear = terminalString("clear"), let noAttributes = terminalString("sgr0"),
      !(clear + noAttributes).contains("$"),  // A delay.
      tigetflag("am") != 1 || tigetflag("xenl") == 1  // The last cell can be filled.
    else { return nil }
    (self.clear, self.noAttributes) = (Array(clear.utf8), Array(noAttributes.utf8))
    self.clearsToPlain = clearsToPlain
  }

  /// The bytes that draw a grid, whatever is on the screen. ncurses believes that no attribute is set.
  func bytes(of grid: CellGrid, attributes: (CellLook) -> (attr_t, pair: CShort)) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(grid.cells.count)
    bytes += noAttributes + clear
    // The sequence of each look after a reset of all attributes.
    var sequences: [CellLook: [UInt8]] = [:]
    func bytesSetting(_ look: CellLook) -> [UInt8] {
      if let known = sequences[look] { return known }
      let new = sequence(of: attributes(look))
      _ = sequence(of: (0, 0))
      sequences[look] = new
      return new
    }
    var look = CellLook.style(.plain)
    if !clearsToPlain { bytes += bytesSetting(look) }
    let cells = grid.cells.span
    for row in 0..<grid.size.rows {
      // The cursor's column in this row; `nil` while it is in another one.
      var place: Int?
      for column in 0..<grid.size.columns {
        let index = row * grid.size.columns + column
        // A wide character brings its right part with it.
        guard cells[index].width > 0,
          !clearsToPlain || cells[index].look != .style(.plain) || cells[index].character != " "
        else { continue }
        if let place, column - place <= Self.shortGap, column == place || look == .style(.plain) {
          for _ in place..<column { bytes.append(UInt8(ascii: " ")) }
        } else {
          move(to: column, in: place == nil ? row : nil, &bytes)
        }
        if cells[index].look != look {
          look = cells[index].look
          bytes += noAttributes
          bytes += bytesSetting(look)
        }
        if cells[index].isUnsure {
          bytes += cells[index].sureText.utf8
        } else {
          for byte in cells[index].character.utf8 { bytes.append(byte) }
        }
        place = column + Int(cells[index].width)
      }
    }
    bytes += noAttributes
    move(to: 0, in: 0, &bytes)
    return bytes
  }

  /// - Parameter row: `nil` if the cursor is in it.
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
