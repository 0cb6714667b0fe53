public struct Key: Sendable, Hashable {
  public enum Symbol: Sendable, Hashable {
    /// The character that it types, Shift included.
    case character(Character)
    case up, down, left, right, home, end, pageUp, pageDown, insert, delete
    case tab, enter, escape, backspace
    /// F1 has the number 1.
    case function(Int)
  }

  public struct Modifiers: OptionSet, Sendable, Hashable {
    /// The bits in the order of xterm.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let shift = Modifiers(rawValue: 1)
    /// Alt, which sends Escape first.
    public static let alt = Modifiers(rawValue: 2)
    public static let control = Modifiers(rawValue: 4)
  }

  public var symbol: Symbol
  /// The modifiers; never Shift for a character.
  public var modifiers: Modifiers

  public init(_ symbol: Symbol, _ modifiers: Modifiers = []) {
    self.symbol = symbol
    self.modifiers = modifiers
  }

  public init(_ character: Character, _ modifiers: Modifiers = []) { self.init(.character(character), modifiers) }
}
