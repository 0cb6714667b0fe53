/// One key, as pressed.
public struct Key: Sendable, Hashable {
  /// The symbol of the key.
  public enum Symbol: Sendable, Hashable {
    /// The character that it types, Shift included.
    case character(Character)
    /// A key that moves or edits.
    case up, down, left, right, home, end, pageUp, pageDown, insert, delete
    /// A key with a control character.
    case tab, enter, escape, backspace
    /// F1 and so on.
    case function(Int)
  }

  /// Modifiers that are held.
  public struct Modifiers: OptionSet, Sendable, Hashable {
    /// The bits in the order of xterm.
    public let rawValue: UInt8
    /// Modifiers from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Shift.
    public static let shift = Modifiers(rawValue: 1)
    /// Alt, which sends Escape first.
    public static let alt = Modifiers(rawValue: 2)
    /// Control.
    public static let control = Modifiers(rawValue: 4)
  }

  /// The symbol of the key.
  public var symbol: Symbol
  /// The modifiers; never Shift for a character.
  public var modifiers: Modifiers

  /// A key with modifiers.
  public init(_ symbol: Symbol, _ modifiers: Modifiers = []) {
    self.symbol = symbol
    self.modifiers = modifiers
  }

  /// A key that types a character.
  public init(_ character: Character, _ modifiers: Modifiers = []) { self.init(.character(character), modifiers) }
}
