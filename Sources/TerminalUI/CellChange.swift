/// Neighbouring cells of one style that have to be drawn.
public struct CellChange: Sendable, Hashable {
  /// From the top, from 0.
  public var row: Int
  /// From the left, from 0.
  public var column: Int
  /// What they are for.
  public var style: Style
  /// What they show.
  public var text: String
}

/// What has to be drawn where `old` is seen, so that `new` is seen. Everything, if nothing or another size is seen.
public func changes(from old: CellGrid?, to new: CellGrid) -> [CellChange] {
  let old = old?.size == new.size ? old : nil
  var changes: [CellChange] = []
  for row in 0..<new.size.rows where !new.hasRow(row, as: old) {
    var run: CellChange?
    for column in 0..<new.size.columns {
      let index = row * new.size.columns + column
      let cell = new.cells[index]
      guard cell != old?.cells[index] else {
        if let done = run.take() { changes.append(done) }
        continue
      }
      // The right part of a wide character is drawn with it. If only that part differs, so does its character.
      guard cell.width > 0 else { continue }
      if run?.style == cell.style {
        run?.text.append(cell.character)
      } else {
        if let done = run { changes.append(done) }
        run = CellChange(row: row, column: column, style: cell.style, text: String(cell.character))
      }
    }
    if let done = run { changes.append(done) }
  }
  return changes
}

extension CellGrid {
  /// Whether a row looks the same in a grid of the same size. Second by second, nearly all rows do.
  fileprivate func hasRow(_ row: Int, as other: CellGrid?) -> Bool {
    guard let other else { return false }
    let (cells, others) = (cells.span, other.cells.span)
    for index in row * size.columns..<(row + 1) * size.columns where cells[index] != others[index] { return false }
    return true
  }
}
