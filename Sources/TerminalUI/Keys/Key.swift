/// One key, as pressed.
public struct Key: Sendable, Hashable {
  /// What is printed on it.
  public enum Symbol: Sendable, Hashable {
    /// What it types, Shift included.
    case character(Character)
    case up, down, left, right, home, end, pageUp, pageDown, insert, delete
    case tab, enter, escape, backspace
    /// F1 and so on.
    case function(Int)
  }

  /// Keys that are held meanwhile.
  public struct Modifiers: OptionSet, Sendable, Hashable {
    /// As a terminal numbers them.
    public let rawValue: UInt8
    /// From their numbers.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Shift.
    public static let shift = Modifiers(rawValue: 1)
    /// Alt, which sends Escape first.
    public static let alt = Modifiers(rawValue: 2)
    /// Control.
    public static let control = Modifiers(rawValue: 4)
  }

  /// What is printed on it.
  public var symbol: Symbol
  /// What is held; never Shift for a character.
  public var modifiers: Modifiers

  /// A key.
  public init(_ symbol: Symbol, _ modifiers: Modifiers = []) {
    self.symbol = symbol
    self.modifiers = modifiers
  }

  /// A key that types a character.
  public init(_ character: Character, _ modifiers: Modifiers = []) { self.init(.character(character), modifiers) }
}
