/// What a mouse did.
public struct MouseEvent: Sendable, Hashable {
  /// Which button.
  public enum Button: Sendable, Hashable { case left, middle, right }

  /// What can happen.
  public enum Kind: Sendable, Hashable {
    case press(Button)
    case drag(Button)
    case release(Button)
    case wheelUp, wheelDown
  }

  /// What happened.
  public var kind: Kind
  /// From the left, from 0.
  public var column: Int
  /// From the top, from 0.
  public var row: Int
  /// Where in the column, 0 at its left and 1 at its right end; `nil` where the terminal does not tell.
  public var offset: Double?
  /// Keys that were held.
  public var modifiers: Key.Modifiers

  /// An event.
  public init(_ kind: Kind, column: Int, row: Int, offset: Double? = nil, modifiers: Key.Modifiers = []) {
    self.kind = kind
    self.column = column
    self.row = row
    self.offset = offset
    self.modifiers = modifiers
  }

  /// Columns from the left; the middle of one if the terminal does not tell better.
  var place: Double { Double(column) + (offset ?? 0.5) }
}
