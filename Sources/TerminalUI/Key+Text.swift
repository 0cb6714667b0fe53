extension Key: ExpressibleByStringLiteral, CustomStringConvertible {
  /// A key that types the one character of the literal.
  public init(stringLiteral character: String) { self.init(character.first ?? " ") }

  /// The key as help and key files write it: `q`, `C-l`, `S-Right`, `Space`.
  public var description: String {
    (modifiers.contains(.control) ? "C-" : "") + (modifiers.contains(.alt) ? "M-" : "")
      + (modifiers.contains(.shift) ? "S-" : "") + symbol.name
  }
}

extension Key.Symbol {
  fileprivate var name: String {
    switch self {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .up: "Up"
    case .down: "Down"
    case .left: "Left"
    case .right: "Right"
    case .home: "Home"
    case .end: "End"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .insert: "Ins"
    case .delete: "Del"
    case .tab: "Tab"
    case .enter: "Enter"
    case .escape: "Esc"
    case .backspace: "Backspace"
    case .function(let number): "F\(number)"
    }
  }
}
