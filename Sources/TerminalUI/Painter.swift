/// Puts text into a grid. What lies outside is left out.
struct Painter {
  var grid: CellGrid
  let typography: Typography

  init(grid: CellGrid, typography: Typography) {
    self.grid = grid
    self.typography = typography
  }

  init(size: Size, typography: Typography) { self.init(grid: CellGrid(size: size), typography: typography) }

  /// Columns that `text` takes, of those that there are.
  func width(of text: String) -> Int {
    DisplayText(text, columns: grid.size.columns, typography: typography).width
  }

  /// Writes `text` from `column` on, cut to `columns`. Returns the columns it took.
  @discardableResult
  mutating func write(_ text: String, row: Int, column: Int, columns: Int = .max, style: Style = .plain) -> Int {
    let room = min(columns, grid.size.columns - column)
    return write(DisplayText(text, columns: room, typography: typography), row: row, column: column, style: style)
  }

  /// Writes `text` as a whole; not at all if it does not fit.
  private mutating func write(_ text: DisplayText, row: Int, column: Int, style: Style) -> Int {
    let columns = 0...grid.size.columns
    guard 0..<grid.size.rows ~= row, columns ~= column, columns ~= column + text.width else { return 0 }
    var index = row * grid.size.columns + column
    for cluster in text.clusters {
      grid.cells[index] = Cell(character: cluster.character, width: Int8(cluster.width), style: style)
      for right in 1..<max(1, cluster.width) {
        grid.cells[index + right] = Cell(character: " ", width: 0, style: style)
      }
      index += cluster.width
    }
    return text.width
  }

  /// Writes `text` so that it ends before `column`, within `columns`. Returns the columns it took.
  @discardableResult
  mutating func write(_ text: String, row: Int, endingAt column: Int, columns: Int, style: Style = .plain) -> Int {
    let text = DisplayText(text, columns: columns, typography: typography)
    return write(text, row: row, column: column - text.width, style: style)
  }

  /// Fills a part of a row.
  mutating func fill(row: Int, _ columns: Range<Int>, with character: Character = " ", style: Style) {
    guard 0..<grid.size.rows ~= row else { return }
    for column in columns.clamped(to: 0..<grid.size.columns) {
      grid.cells[row * grid.size.columns + column] = Cell(character: character, width: 1, style: style)
    }
  }
}
