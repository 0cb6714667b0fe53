public struct MouseEvent: Sendable, Hashable {
  public enum Button: Sendable, Hashable { case left, middle, right }

  public enum Kind: Sendable, Hashable {
    case press(Button)
    /// The mouse moved while a button was pressed.
    case drag(Button)
    case release(Button)
    case wheelUp, wheelDown
  }

  public var kind: Kind
  /// The column, from 0 at the left.
  public var column: Int
  /// The row, from 0 at the top.
  public var row: Int
  /// The place within the column, from 0 at its left to 1 at its right end; `nil` if the terminal reports cells.
  public var offset: Double?
  public var modifiers: Key.Modifiers

  public init(_ kind: Kind, column: Int, row: Int, offset: Double? = nil, modifiers: Key.Modifiers = []) {
    self.kind = kind
    self.column = column
    self.row = row
    self.offset = offset
    self.modifiers = modifiers
  }

  /// Columns from the left; the middle of a column if the terminal reports cells.
  package var place: Double { Double(column) + (offset ?? 0.5) }
}
