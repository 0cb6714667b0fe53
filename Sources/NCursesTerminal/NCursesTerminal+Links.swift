internal import CNCurses
internal import TerminalUI

// Addresses as links (OSC 8), which ncurses does not know: their cells are written again as a link, in the same frame.
extension NCursesTerminal {
  /// A part of a row that is a link, or no longer is one.
  typealias LinkedCells = (row: Int, columns: Range<Int>, address: String?)

  /// The cells of `grid` to write again after ncurses has drawn these changes: it may write any cell of a row with
  /// changes, and leaves those alone that keep their character.
  ///
  /// - Parameter old: The grid on the terminal; `nil` if everything is drawn.
  func linkedCells(of grid: CellGrid, after old: CellGrid?, _ changes: [CellChange]) -> [LinkedCells] {
    guard hasLinks, !grid.links.isEmpty || old?.links.isEmpty == false else { return [] }
    guard let old else { return grid.links.map { ($0.row, $0.columns, $0.address) } }
    let gone = old.links.filter { !grid.links.contains($0) }
    let rows = Set(changes.map(\.row) + gone.map(\.row) + [cursor?.row].compactMap(\.self))
    return gone.map { ($0.row, $0.columns, nil) }
      + grid.links.filter { rows.contains($0.row) }.map { ($0.row, $0.columns, $0.address) }
  }

  /// The sequences that write these cells as links, or as plain cells, at the end of a frame, while no attribute is
  /// set.
  func rewritten(_ parts: [LinkedCells], of grid: CellGrid) -> [UInt8] {
    guard !parts.isEmpty else { return [] }
    var bytes = Array("\u{1b}7".utf8)
    for part in parts where part.row < grid.size.rows {
      let cells = grid.row(part.row).dropFirst(part.columns.lowerBound).prefix(part.columns.count)
      guard let look = cells.first?.look else { continue }
      bytes += "\u{1b}[\(part.row + 1);\(part.columns.lowerBound + 1)H".utf8
      // Parts of one address, in several rows, are one link.
      if let address = part.address { bytes += "\u{1b}]8;id=\(checksum(address));\(address)\u{1b}\\".utf8 }
      bytes += sequence(of: attributes(of: look))
      for cell in cells where cell.width > 0 { bytes += cell.character.utf8 }
      if part.address != nil { bytes += "\u{1b}]8;;\u{1b}\\".utf8 }
    }
    return bytes + sequence(of: (0, 0)) + "\u{1b}8".utf8
  }
}

// Safety: used on the main thread only, like all of ncurses.
nonisolated(unsafe) private var collected: [UInt8] = []

/// The sequence with which ncurses sets these attributes. ncurses believes that it was written.
func sequence(of look: (attr_t, pair: CShort)) -> [UInt8] {
  collected = []
  vid_puts(look.0, look.pair, nil) { byte in
    collected.append(UInt8(truncatingIfNeeded: byte))
    return byte
  }
  return collected
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
