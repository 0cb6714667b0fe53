/// The size of a screen in cells: at least one by one, at most a thousand by a thousand.
public struct Size: Sendable, Hashable {
  public let columns: Int
  public let rows: Int

  /// A size, clamped to the range.
  public init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), 1000)
    self.rows = min(max(rows, 1), 1000)
  }
}
