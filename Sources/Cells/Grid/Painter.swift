package import Pictures

/// Puts text into an area of a grid, at rows and columns of that area. Parts outside the area are left out.
package struct Painter {
  package private(set) var grid: CellGrid
  package let typography: Typography
  /// The area, in rows and columns of the grid.
  private var rows: Range<Int>
  private var columnRange: Range<Int>

  package init(grid: CellGrid, typography: Typography) {
    self.grid = grid
    self.typography = typography
    (rows, columnRange) = (0..<grid.size.rows, 0..<grid.size.columns)
  }

  package init(size: Size, typography: Typography) { self.init(grid: CellGrid(size: size), typography: typography) }

  package var columns: Int { columnRange.count }
  package var rowCount: Int { rows.count }

  /// Draws in some rows of the area, as an area of their own.
  package mutating func draw(inRows part: Range<Int>, _ draw: (inout Painter) -> Void) {
    let outer = rows
    rows = (outer.lowerBound + part.lowerBound..<outer.lowerBound + part.upperBound).clamped(to: outer)
    draw(&self)
    rows = outer
  }

  /// Draws in some columns of the area, as an area of their own.
  package mutating func draw(inColumns part: Range<Int>, _ draw: (inout Painter) -> Void) {
    let outer = columnRange
    columnRange = (outer.lowerBound + part.lowerBound..<outer.lowerBound + part.upperBound).clamped(to: outer)
    draw(&self)
    columnRange = outer
  }

  package mutating func show(_ picture: Picture, inRows part: Range<Int>) {
    let rows = (rows.lowerBound + part.lowerBound..<rows.lowerBound + part.upperBound).clamped(to: rows)
    guard !rows.isEmpty, !columnRange.isEmpty else { return }
    grid.pictures.append(PlacedPicture(picture: picture, rows: rows, columns: columnRange))
  }

  /// Columns that `text` takes, at most those of the area.
  package func width(of text: String) -> Int { DisplayText(text, columns: columns, typography: typography).width }

  /// Writes `text` from `column` on, cut to `columns`. Returns the columns it took.
  @discardableResult
  package mutating func write(_ text: String, row: Int, column: Int, columns limit: Int = .max, style: Style = .plain)
    -> Int
  {
    let room = min(limit, columns - column)
    return write(DisplayText(text, columns: room, typography: typography), row: row, column: column, style: style)
  }

  /// Writes `text`, its first characters in a style of their own wherever they stand: right-to-left text is put into
  /// visual order as a whole.
  package mutating func write(
    _ text: String, row: Int, column: Int, columns limit: Int, first count: Int, in first: Style, style: Style
  ) {
    let text = DisplayText(text, columns: min(limit, columns - column), typography: typography)
    write(text, row: row, column: column, style: style)
    guard count > 0 else { return }
    var start = column
    for cluster in text.clusters {
      let end = start + cluster.width
      if cluster.source < count { restyle(row: row, start..<end, in: first) }
      start = end
    }
  }

  private mutating func restyle(row: Int, _ part: Range<Int>, in style: Style) {
    guard 0..<rowCount ~= row else { return }
    for column in part.clamped(to: 0..<columns) { grid.cells[index(row: row, column: column)].look = .style(style) }
  }

  /// Writes `text` as a whole; not at all if it does not fit.
  @discardableResult
  private mutating func write(_ text: DisplayText, row: Int, column: Int, style: Style) -> Int {
    guard 0..<rowCount ~= row, 0...columns ~= column, 0...columns ~= column + text.width else { return 0 }
    var index = self.index(row: row, column: column)
    for cluster in text.clusters {
      grid.cells[index] = Cell(
        character: cluster.character, width: Int8(cluster.width), isUnsure: cluster.isUnsure, style: style)
      for right in 1..<max(1, cluster.width) {
        grid.cells[index + right] = Cell(character: " ", width: 0, style: style)
      }
      index += cluster.width
    }
    return text.width
  }

  private func index(row: Int, column: Int) -> Int {
    (rows.lowerBound + row) * grid.size.columns + columnRange.lowerBound + column
  }

  /// Writes `text` so that it ends before `column`, within `columns`. Returns the columns it took.
  @discardableResult
  package mutating func write(_ text: String, row: Int, endingAt column: Int, columns: Int, style: Style = .plain)
    -> Int
  {
    let text = DisplayText(text, columns: columns, typography: typography)
    return write(text, row: row, column: column - text.width, style: style)
  }

  package mutating func fill(row: Int, _ part: Range<Int>, with character: Character = " ", style: Style) {
    guard 0..<rowCount ~= row else { return }
    for column in part.clamped(to: 0..<columns) {
      grid.cells[index(row: row, column: column)] = Cell(character: character, width: 1, style: style)
    }
  }

  /// Draws a code in half blocks, in black on white in any theme, with a margin of two modules.
  package mutating func draw(_ code: QRCode, row: Int, column: Int) {
    let color = { (row: Int, column: Int) in
      let part: UInt8 = code[row, column] ? 0 : 255
      return PictureColor(red: part, green: part, blue: part)
    }
    for (line, top) in stride(from: -2, to: code.size + 2, by: 2).enumerated() where 0..<rowCount ~= row + line {
      for (place, left) in (-2..<code.size + 2).enumerated() where 0..<columns ~= column + place {
        grid.cells[index(row: row + line, column: column + place)] = Cell(
          character: "▀", width: 1,
          look: .colors(foreground: color(top, left), background: color(top + 1, left)))
      }
    }
  }

  package mutating func fill(row: Int, with character: Character = " ", style: Style) {
    fill(row: row, 0..<columns, with: character, style: style)
  }

  /// Empties the area for a part of the screen that floats above others, with a frame if wanted. Pictures and links that
  /// reach into it are left out.
  package mutating func clear(isFramed: Bool) {
    let (rule, side, corners) = (typography.rule, typography.verticalLine.middle, typography.corners)
    for row in 0..<rowCount {
      blankHalves(row)
      fill(row: row, style: .plain)
      guard isFramed, columns > 1 else { continue }
      let isTop = row == 0
      let isEdge = isTop || row == rowCount - 1
      if isEdge { fill(row: row, with: rule, style: .line) }
      fill(row: row, 0..<1, with: isEdge ? corners[isTop ? 0 : 2] : side, style: .line)
      fill(row: row, (columns - 1)..<columns, with: isEdge ? corners[isTop ? 1 : 3] : side, style: .line)
    }
    grid.pictures.removeAll { $0.rows.overlaps(rows) && $0.columns.overlaps(columnRange) }
    grid.links.removeAll { rows.contains($0.row) && $0.columns.overlaps(columnRange) }
  }

  /// Characters that lie half inside become blanks.
  private mutating func blankHalves(_ row: Int) {
    guard columns > 0 else { return }
    let (left, right) = (index(row: row, column: 0), index(row: row, column: columns - 1) + 1)
    if grid.cells[left].width == 0 {
      let start = grid.cells[..<left].lastIndex { $0.width > 0 } ?? left
      for place in start..<left { grid.cells[place] = .blank }
    }
    let end = grid.cells[right...].firstIndex { $0.width > 0 } ?? right
    for place in right..<end { grid.cells[place] = .blank }
  }

  package mutating func link(row: Int, _ part: Range<Int>, to address: String) {
    let start = columnRange.lowerBound
    grid.links.append(
      CellLink(
        row: rows.lowerBound + row, columns: start + part.lowerBound..<start + part.upperBound, address: address))
  }
}
