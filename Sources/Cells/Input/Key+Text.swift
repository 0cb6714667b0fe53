extension Key: ExpressibleByStringLiteral, CustomStringConvertible {
  /// A key that types the one character of the literal.
  public init(stringLiteral character: String) { self.init(character.first ?? " ") }

  /// The key in the form of help and key files: `q`, `C-l`, `S-Right`, `Space`.
  public var description: String {
    (modifiers.contains(.control) ? "C-" : "") + (modifiers.contains(.alt) ? "M-" : "")
      + (modifiers.contains(.shift) ? "S-" : "") + symbol.name
  }
}

extension Key.Symbol {
  private static let named: [(name: String, symbol: Key.Symbol)] = [
    ("Space", .character(" ")), ("Up", .up), ("Down", .down), ("Left", .left), ("Right", .right), ("Home", .home),
    ("End", .end), ("PgUp", .pageUp), ("PgDn", .pageDown), ("Ins", .insert), ("Del", .delete), ("Tab", .tab),
    ("Enter", .enter), ("Esc", .escape), ("Backspace", .backspace),
    // Also accepted.
    ("PageUp", .pageUp), ("PageDown", .pageDown), ("Insert", .insert), ("Delete", .delete), ("Return", .enter),
    ("Escape", .escape),
  ]

  fileprivate var name: String {
    switch self {
    case .function(let number): "F\(number)"
    case .character(let character) where character != " ": String(character)
    default: Self.named.first { $0.symbol == self }?.name ?? ""
    }
  }

  /// The symbol of that name, in any case if it is longer than `Up`; a character names itself.
  init?(name: String) {
    let lowered = name.lowercased()
    if let named = Self.named.first(where: { $0.name == name || lowered.count > 2 && $0.name.lowercased() == lowered })
    {
      self = named.symbol
    } else if name.count == 1, let character = name.first {
      self = .character(character)
    } else if name.first == "F", let number = Int(name.dropFirst()), 1...24 ~= number {
      self = .function(number)
    } else {
      return nil
    }
  }
}
