/// One key, or several pressed one after the other: `q`, `gg`, `g<C-x>`.
public struct KeySequence: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The keys in order; never empty.
  public var keys: [Key]

  public init(_ key: Key) { keys = [key] }

  /// Several keys; `nil` for none.
  public init?(_ keys: [Key]) {
    guard !keys.isEmpty else { return nil }
    self.keys = keys
  }

  /// Keys that type the characters of the literal.
  public init(stringLiteral characters: String) {
    keys = characters.isEmpty ? [" "] : characters.map { Key($0) }
  }

  /// The form in key files and Help; `init(parsing:)` reads it.
  public var description: String {
    let names = keys.map(\.description)
    if names.count == 1 { return names[0] }
    let text = names.map { $0.count == 1 ? $0 : "<\($0)>" }.joined()
    // Letters that would spell the name of a key: F, 1.
    return KeySequence(parsing: text) == self ? text : names.map { "<\($0)>" }.joined()
  }

  /// From the text of a key file: the name of a key (`C-l`, `Space`, `F1`), or characters and names in `<...>`, each a
  /// key. `nil` for an unknown name.
  public init?(parsing text: String) {
    if let key = Key(parsing: text) {
      self.init(key)
      return
    }
    // A name with a modifier, such as C-l, is never meant as letters.
    guard Key.Modifiers.named(before: text[...]) == nil else { return nil }
    var keys: [Key] = []
    var rest = text[...]
    while let first = rest.first {
      if first == "<", let end = rest.firstIndex(of: ">"), rest.index(after: rest.startIndex) < end {
        guard let key = Key(parsing: String(rest[..<end].dropFirst())) else { return nil }
        keys.append(key)
        rest = rest[rest.index(after: end)...]
      } else {
        keys.append(Key(first))
        rest.removeFirst()
      }
    }
    self.init(keys)
  }
}

extension Key.Modifiers {
  /// Names of keys and modifiers in manuals; the first of each is the one that is written.
  private static let names: [(name: String, modifier: Key.Modifiers)] = [
    ("C-", .control), ("M-", .alt), ("S-", .shift), ("Ctrl-", .control), ("Ctrl+", .control), ("Alt-", .alt),
    ("Alt+", .alt), ("Shift-", .shift), ("Shift+", .shift), ("^", .control),
  ]

  /// The first named modifier, and the rest of the name; `nil` without a modifier.
  fileprivate static func named(before text: Substring) -> (modifier: Key.Modifiers, rest: Substring)? {
    let found = names.first { name, _ in
      text.count > name.count
        && (name.count > 2 ? text.lowercased().hasPrefix(name.lowercased()) : text.hasPrefix(name))
    }
    return found.map { ($0.modifier, text.dropFirst($0.name.count)) }
  }
}

extension Key {
  /// Reads a name that `description` writes; `nil` for any other text.
  public init?(parsing name: String) {
    var modifiers = Modifiers()
    var rest = name[...]
    while let held = Modifiers.named(before: rest) {
      modifiers.insert(held.modifier)
      rest = held.rest
    }
    guard let symbol = Symbol(name: String(rest)) else { return nil }
    // A terminal sends control characters without their case, and no Shift for a character.
    if case .character(let character) = symbol {
      guard !modifiers.contains(.shift) else { return nil }
      if modifiers.contains(.control) {
        self.init(.character(character.lowercased().first ?? character), modifiers)
        return
      }
    }
    self.init(symbol, modifiers)
  }
}
