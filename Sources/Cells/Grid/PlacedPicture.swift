public import Pictures

public struct PlacedPicture: Sendable, Hashable {
  public var picture: Picture
  /// The rows and columns that it may take. It keeps its proportions, in the middle of them.
  public var rows: Range<Int>, columns: Range<Int>
}

extension CellGrid {
  /// Replaces the blank cells of a picture by cells that show it.
  ///
  /// - Parameter cells: The picture, no larger than its place.
  public mutating func show(_ cells: PictureCells, at placed: PlacedPicture) {
    let place = placed.place(columns: cells.columns, rows: cells.rows)
    fill(place.rows, place.columns) { row, column in
      let cell = cells.cells[row * cells.columns + column]
      return Cell(
        character: Character(cell.character), width: 1,
        look: .colors(foreground: cell.foreground, background: cell.background))
    }
  }

  /// Replaces the blank cells of a picture by characters that look blank, but that are not erased as blanks are: the
  /// terminal shows the picture above them.
  ///
  /// - Parameters:
  ///   - columns: The size of the picture.
  ///   - rows: The size of the picture.
  public mutating func reserve(columns: Int, rows: Int, at placed: PlacedPicture) {
    let place = placed.place(columns: columns, rows: rows)
    fill(place.rows, place.columns) { _, _ in Cell(character: "\u{a0}", width: 1, style: .plain) }
  }

  /// Replaces cells, by their row and column within a place.
  mutating func fill(_ rows: Range<Int>, _ columns: Range<Int>, _ cell: (_ row: Int, _ column: Int) -> Cell) {
    for row in rows.clamped(to: 0..<size.rows) {
      for column in columns.clamped(to: 0..<size.columns) {
        cells[row * size.columns + column] = cell(row - rows.lowerBound, column - columns.lowerBound)
      }
    }
  }
}

extension PlacedPicture {
  /// A place of this size in the middle.
  public func place(columns columnCount: Int, rows rowCount: Int) -> (rows: Range<Int>, columns: Range<Int>) {
    let row = rows.lowerBound + max(0, rows.count - rowCount) / 2
    let column = columns.lowerBound + max(0, columns.count - columnCount) / 2
    return (row..<row + rowCount, column..<column + columnCount)
  }
}
