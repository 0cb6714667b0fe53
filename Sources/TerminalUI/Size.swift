/// How many cells a screen has. Never less than one by one, never more than a thousand by a thousand.
public struct Size: Sendable, Hashable {
  /// Cells in a row.
  public let columns: Int
  /// Rows.
  public let rows: Int

  /// A size; what is out of range is clamped.
  public init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), 1000)
    self.rows = min(max(rows, 1), 1000)
  }
}
