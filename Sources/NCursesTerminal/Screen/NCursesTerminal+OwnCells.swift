internal import CNCurses
internal import Cells

// Cells that ncurses cannot write are written past it at the end of the same frame: addresses as links (OSC 8), which it
// does not know, and characters whose width is unsure, for which it has spaces.
extension NCursesTerminal {
  /// A part of a row to write past ncurses, and the address if it is a link.
  typealias OwnCells = (row: Int, columns: Range<Int>, address: String?)

  /// The cells of `grid` to write after ncurses has drawn these changes: it may write any cell of a row with changes, and
  /// leaves those alone that keep their character.
  ///
  /// - Parameter old: The grid on the terminal; `nil` if everything is drawn.
  func ownCells(of grid: CellGrid, after old: CellGrid?, _ changes: [CellChange]) -> [OwnCells] {
    let changed = Set(changes.map(\.row) + [cursor?.row].compactMap(\.self))
    return unsureCells(of: grid, inRows: old == nil ? Array(0..<grid.size.rows) : changed.sorted())
      + linkedCells(of: grid, after: old, changedRows: changed)
  }

  private func linkedCells(of grid: CellGrid, after old: CellGrid?, changedRows: Set<Int>) -> [OwnCells] {
    guard hasLinks, !grid.links.isEmpty || old?.links.isEmpty == false else { return [] }
    guard let old else { return grid.links.map { ($0.row, $0.columns, $0.address) } }
    let gone = old.links.filter { !grid.links.contains($0) }
    let rows = changedRows.union(gone.map(\.row))
    return gone.map { ($0.row, $0.columns, nil) }
      + grid.links.filter { rows.contains($0.row) }.map { ($0.row, $0.columns, $0.address) }
  }

  /// Rows from their first character of unsure width to their end, or to the picture: the terminal may have moved what
  /// follows.
  private func unsureCells(of grid: CellGrid, inRows rows: [Int]) -> [OwnCells] {
    rows.compactMap { row -> OwnCells? in
      guard row < grid.size.rows, case let cells = grid.row(row), let first = cells.firstIndex(where: \.isUnsure) else {
        return nil
      }
      let start = first - cells.startIndex
      let pictures = grid.pictures.filter { $0.rows.contains(row) && $0.columns.lowerBound > start }
      return (row, start..<(pictures.map(\.columns.lowerBound).min() ?? grid.size.columns), nil)
    }
  }

  /// The sequences that write these cells at the end of a frame, while no attribute is set.
  func written(_ parts: [OwnCells], of grid: CellGrid) -> [UInt8] {
    guard !parts.isEmpty else { return [] }
    var bytes = Array("\u{1b}7".utf8)
    for part in parts where part.row < grid.size.rows {
      bytes += move(to: part.row, part.columns.lowerBound)
      // Parts of one address, in several rows, are one link.
      if let address = part.address { bytes += "\u{1b}]8;id=\(checksum(address));\(address)\u{1b}\\".utf8 }
      bytes += written(part.columns.clamped(to: 0..<grid.size.columns), ofRow: part.row, of: grid)
      if part.address != nil { bytes += "\u{1b}]8;;\u{1b}\\".utf8 }
    }
    return bytes + sequence(of: (0, 0)) + "\u{1b}8".utf8
  }

  /// From the cursor on, which is at their start.
  private func written(_ columns: Range<Int>, ofRow row: Int, of grid: CellGrid) -> [UInt8] {
    let cells = grid.row(row)
    var bytes: [UInt8] = []
    var look: CellLook?
    for column in columns {
      let cell = cells[cells.startIndex + column]
      guard cell.width > 0 else { continue }
      if cell.look != look { bytes += sequence(of: attributes(of: cell.look)) }
      look = cell.look
      guard cell.isUnsure else {
        bytes += cell.character.utf8
        continue
      }
      let end = column + Int(cell.width)
      // At the end of a row it must not continue in the next one (DECAWM).
      let mayWrap = end + 2 * cell.character.unicodeScalars.count > grid.size.columns
      bytes += cell.sureText.utf8 + move(to: row, column)
      bytes += ((mayWrap ? "\u{1b}[?7l" : "") + String(cell.character) + (mayWrap ? "\u{1b}[?7h" : "")).utf8
      if end < columns.upperBound { bytes += move(to: row, end) }
    }
    return bytes
  }
}

private func move(to row: Int, _ column: Int) -> [UInt8] { Array("\u{1b}[\(row + 1);\(column + 1)H".utf8) }

// Safety: used on the main thread only, like all of ncurses.
nonisolated(unsafe) private var collected: [UInt8] = []

/// The sequence with which ncurses sets these attributes. ncurses believes that it was written.
func sequence(of look: (attr_t, pair: CShort)) -> [UInt8] {
  collected = []
  vid_puts(look.0, look.pair, nil) { byte in
    collected.append(UInt8(truncatingIfNeeded: byte))
    return byte
  }
  return collected.withUnsafeBytes(trueColorPairs.written)
}

/// FNV-1a.
private func checksum(_ text: String) -> UInt32 {
  text.utf8.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
}

/// True if the terminal is known to support links (OSC 8); it cannot be asked.
func showsLinks(_ environment: (String) -> String = environment) -> Bool {
  let (term, program) = (environment("TERM"), environment("TERM_PROGRAM"))
  func version(_ name: String) -> Int { Int(environment(name)) ?? 0 }
  if term == "linux" || term == "dumb" || !environment("STY").isEmpty { return false }
  if !environment("TMUX").isEmpty || ["tmux", "screen"].contains(where: term.hasPrefix) {
    // tmux drops links if the terminal around it does not support them.
    let numbers = environment("TERM_PROGRAM_VERSION").split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return program == "tmux" && !numbers.lexicographicallyPrecedes([3, 4])
  }
  if ["ghostty", "WezTerm", "iTerm.app", "vscode"].contains(program) { return true }
  if ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour"].contains(where: term.hasPrefix) {
    return true
  }
  let isVTE = program.isEmpty && term.hasPrefix("xterm") && version("VTE_VERSION") >= 5000
  return isVTE || version("KONSOLE_VERSION") >= 201200 || !environment("WT_SESSION").isEmpty
}
