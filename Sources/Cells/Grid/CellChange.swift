/// Neighbouring cells of one look that have to be drawn.
public struct CellChange: Sendable, Hashable {
  /// From the top, from 0.
  public var row: Int
  /// From the left, from 0.
  public var column: Int
  public var look: CellLook
  /// The characters of the cells; spaces in place of those whose width is unsure.
  public var text: String
}

/// The cells of `new` that differ from `old`; all of them if `old` is `nil` or of another size.
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
      if run?.look == cell.look {
        if cell.isUnsure { run?.text += cell.sureText } else { run?.text.append(cell.character) }
      } else {
        if let done = run { changes.append(done) }
        run = CellChange(row: row, column: column, look: cell.look, text: cell.sureText)
      }
    }
    if let done = run { changes.append(done) }
  }
  return changes
}

extension CellGrid {
  /// True if a row looks the same in a grid of the same size. Nearly all rows do from second to second.
  fileprivate func hasRow(_ row: Int, as other: CellGrid?) -> Bool {
    guard let other else { return false }
    let (cells, others) = (cells.span, other.cells.span)
    for index in row * size.columns..<(row + 1) * size.columns where cells[index] != others[index] { return false }
    return true
  }
}
