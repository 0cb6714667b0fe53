extension JSON {
  /// Parses a text (RFC 8259); `nil` for what is none. Values lie in each other at most 64 deep.
  public init?(parsing text: some Collection<UInt8>) {
    var parser = JSONParser(text: Array(text))
    guard let value = parser.value(depth: 0), parser.isAtEnd else { return nil }
    self = value
  }
}

private struct JSONParser {
  let text: [UInt8]
  var position = 0

  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return position == text.count
    }
  }

  private var next: UInt8? { position < text.count ? text[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
  }

  private mutating func take(_ word: String) -> Bool {
    guard text[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  mutating func value(depth: Int) -> JSON? {
    guard depth < 64 else { return nil }
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return object(depth)
    case UInt8(ascii: "["): return array(depth)
    case UInt8(ascii: "\""): return string().map(JSON.string)
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(_ depth: Int) -> JSON? {
    position += 1
    var members: [(String, JSON)] = []
    skipBlanks()
    if take("}") { return .object([]) }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\""), let name = string() else { return nil }
      skipBlanks()
      guard take(":"), let value = value(depth: depth + 1) else { return nil }
      members.append((name, value))
      skipBlanks()
      if take("}") { return .object(members) }
      guard take(",") else { return nil }
    }
  }

  private mutating func array(_ depth: Int) -> JSON? {
    position += 1
    var values: [JSON] = []
    skipBlanks()
    if take("]") { return .array([]) }
    while let value = value(depth: depth + 1) {
      values.append(value)
      skipBlanks()
      if take("]") { return .array(values) }
      guard take(",") else { return nil }
    }
    return nil
  }

  private mutating func string() -> String? {
    position += 1
    var units: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: units, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = escape() else { return nil }
        units += escaped
      case 0..<0x20: return nil
      default: units.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> [UInt8]? {
    guard let byte = next else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "u"):
      guard let first = unit() else { return nil }
      guard 0xd800...0xdbff ~= first else { return Unicode.Scalar(first).map { Array(String($0).utf8) } }
      guard take("\\u"), let second = unit(), 0xdc00...0xdfff ~= second else { return nil }
      let scalar = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
      return Unicode.Scalar(scalar).map { Array(String($0).utf8) }
    default: return nil
    }
  }

  private mutating func unit() -> UInt16? {
    guard text.count - position >= 4 else { return nil }
    defer { position += 4 }
    return UInt16(String(decoding: text[position..<(position + 4)], as: UTF8.self), radix: 16)
  }

  private mutating func number() -> JSON? {
    let start = position
    while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
    let digits = String(decoding: text[start..<position], as: UTF8.self)
    if let integer = Int64(digits) { return .integer(integer) }
    return Double(digits).flatMap { $0.isFinite ? .number($0) : nil }
  }
}
