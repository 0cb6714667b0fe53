/// One key, or several that are pressed one after the other: `q`, `gg`, `g<C-x>`.
public struct KeySequence: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// What is pressed, in order; never empty.
  public var keys: [Key]

  /// One key.
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

  /// As key files and Help write it; `init(parsing:)` reads it.
  public var description: String {
    if keys.count == 1 { return keys[0].description }
    return keys.map { $0.description.count == 1 ? $0.description : "<\($0)>" }.joined()
  }

  /// From the text of a key file: the name of a key (`C-l`, `Space`, `F1`), or characters and names in `<...>`, each a
  /// key. `nil` if that is no name.
  public init?(parsing text: String) {
    if let key = Key(parsing: text) {
      self.init(key)
      return
    }
    // A key that is held is no letter; nobody means the letters.
    guard text.count < 3 || !["C-", "M-", "S-"].contains(where: { text.hasPrefix($0) }) else { return nil }
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

extension Key {
  /// From its name, as `description` writes it; `nil` if that is none.
  public init?(parsing name: String) {
    var modifiers = Modifiers()
    var rest = name[...]
    let prefixes: [(String, Modifiers)] = [("C-", .control), ("M-", .alt), ("S-", .shift)]
    while rest.count > 2, let prefix = prefixes.first(where: { rest.hasPrefix($0.0) }) {
      modifiers.insert(prefix.1)
      rest = rest.dropFirst(2)
    }
    guard let symbol = Symbol(name: String(rest)) else { return nil }
    // A terminal sends control characters without their case, and no Shift beside a character.
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
