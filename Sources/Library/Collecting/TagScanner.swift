internal import ByteIO

/// Finds the tags in XML and in similar text, and ignores everything else. Pure. Accepts any bytes.
struct TagScanner {
  enum Token: Hashable {
    /// `<name a="b">`, with `isClosed` for `<name/>`; names in lower case.
    case begin(name: String, attributes: [String: String], isClosed: Bool)
    /// `</name>`.
    case end(name: String)
    /// The text between tags, entities resolved.
    case text(String)
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next token; comments and declarations are skipped.
  mutating func next() -> Token? {
    while let first = rest.first {
      guard first == UInt8(ascii: "<") else { return .text(Self.resolved(take { $0 == UInt8(ascii: "<") })) }
      if let data = take(from: "<![CDATA[", to: "]]>") { return .text(String(guessing: data)) }
      if take(from: "<!--", to: "-->") != nil || take(from: "<?", to: ">") != nil || take(from: "<!", to: ">") != nil {
        continue
      }
      rest.removeFirst()
      return tag()
    }
    return nil
  }

  private mutating func tag() -> Token {
    let isEnd = rest.first == UInt8(ascii: "/")
    if isEnd { rest.removeFirst() }
    let name = String(guessing: take { $0 <= 0x20 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">") }).lowercased()
    var attributes: [String: String] = [:]
    var isClosed = false
    while let byte = rest.first, byte != UInt8(ascii: ">") {
      // A slash counts only directly before the end.
      isClosed = byte == UInt8(ascii: "/")
      if byte <= 0x20 || isClosed || byte == UInt8(ascii: "=") {
        rest.removeFirst()
      } else {
        let key = take { $0 <= 0x20 || [UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "/")].contains($0) }
        attributes[String(guessing: key).lowercased()] = value()
      }
    }
    if !rest.isEmpty { rest.removeFirst() }
    return isEnd ? .end(name: name) : .begin(name: name, attributes: attributes, isClosed: isClosed)
  }

  /// The value after an equals sign, with or without quotes; empty without an equals sign.
  private mutating func value() -> String {
    _ = take { $0 > 0x20 }
    guard rest.first == UInt8(ascii: "=") else { return "" }
    rest.removeFirst()
    _ = take { $0 > 0x20 }
    guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return Self.resolved(take { $0 <= 0x20 || $0 == UInt8(ascii: ">") })
    }
    rest.removeFirst()
    defer { rest = rest.dropFirst() }
    return Self.resolved(take { $0 == quote })
  }

  private mutating func take(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let part = rest.prefix { !isEnd($0) }
    rest = rest[part.endIndex...]
    return part
  }

  /// The text between two marks, if the first one comes next; to the end if the second one is missing.
  private mutating func take(from start: String, to end: String) -> ArraySlice<UInt8>? {
    guard rest.starts(with: start.utf8) else { return nil }
    rest = rest.dropFirst(start.utf8.count)
    let mark = Array(end.utf8)
    let place = rest.indices.first { rest[$0...].starts(with: mark) } ?? rest.endIndex
    defer { rest = rest[place...].dropFirst(mark.count) }
    return rest[..<place]
  }

  /// Replaces entities such as `&amp;` by their characters. Unknown entities stay.
  private static func resolved(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(guessing: bytes)
    guard text.contains("&") else { return text }
    var resolved = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "&") {
      resolved += rest[..<mark]
      rest = rest[mark...]
      let name = rest.dropFirst().prefix { $0 != ";" && $0 != "&" }.prefix(10)
      guard rest[name.endIndex...].first == ";", let character = character(name) else {
        resolved += "&"
        rest = rest.dropFirst()
        continue
      }
      resolved.append(character)
      rest = rest[name.endIndex...].dropFirst()
    }
    return resolved + rest
  }

  private static func character(_ name: Substring) -> Character? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let isHex = digits.first == "x" || digits.first == "X"
    let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap { Unicode.Scalar($0) }.map { Character($0) }
  }
}
