extension JSON {
  public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place in bytes from 1.
    public var byte: Int
    /// The text that is expected there.
    public var expectation: String
    public var description: String { "not JSON at byte \(byte): \(expectation) is expected" }
  }

  /// Reads one value (RFC 8259) with nothing behind it but blanks. Arrays and objects may be nested 16 deep.
  ///
  /// - Parameter allowsHalves: Replaces halves of pairs in escapes, which programs write for bytes of file names that are
  ///   no text, by U+FFFD.
  public init(parsing text: some Sequence<UInt8>, allowsHalves: Bool = false) throws(SyntaxError) {
    var parser = JSONParser(bytes: Array(text), allowsHalves: allowsHalves)
    self = try parser.whole()
  }

  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.0 == name }?.1
  }

  /// The text; `nil` for another value.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// True for `true`; false for any other value.
  public var isTrue: Bool { if case .bool(true) = self { true } else { false } }

  /// The elements; `nil` for another value.
  public var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

  /// The number; `nil` for another value.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  let allowsHalves: Bool
  var place = 0
  private static let depthLimit = 16

  init(bytes: [UInt8], allowsHalves: Bool) { (self.bytes, self.allowsHalves) = (bytes, allowsHalves) }

  mutating func whole() throws(JSON.SyntaxError) -> JSON {
    let value = try value(depth: 0)
    skipBlanks()
    guard place == bytes.count else { throw error("the end") }
    return value
  }

  private func error(_ expectation: String) -> JSON.SyntaxError {
    JSON.SyntaxError(byte: place + 1, expectation: expectation)
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { place += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSON.SyntaxError) -> JSON {
    skipBlanks()
    guard depth <= Self.depthLimit else { throw error("a value that is nested less deep") }
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: JSON) throws(JSON.SyntaxError) -> JSON {
    guard bytes[place...].starts(with: word.utf8) else { throw error("a value") }
    place += word.utf8.count
    return value
  }

  private mutating func object(depth: Int) throws(JSON.SyntaxError) -> JSON {
    place += 1
    var members: [(String, JSON)] = []
    skipBlanks()
    if take("}") { return .object([]) }
    repeat {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw error("a name in quotes") }
      let name = try string()
      skipBlanks()
      guard take(":") else { throw error(":") }
      members.append((name, try value(depth: depth + 1)))
      skipBlanks()
    } while take(",")
    guard take("}") else { throw error(", or }") }
    return .object(members)
  }

  private mutating func array(depth: Int) throws(JSON.SyntaxError) -> JSON {
    place += 1
    var elements: [JSON] = []
    skipBlanks()
    if take("]") { return .array([]) }
    repeat {
      elements.append(try value(depth: depth + 1))
      skipBlanks()
    } while take(",")
    guard take("]") else { throw error(", or ]") }
    return .array(elements)
  }

  private mutating func number() throws(JSON.SyntaxError) -> JSON {
    let start = place
    while let byte = next, byte.isNumberPart { place += 1 }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.first, first.isASCII, first.isNumber, let number = Double(text), number.isFinite else {
      place = start
      throw error("a value")
    }
    return Int64(text).map(JSON.integer) ?? .number(number)
  }

  private mutating func string() throws(JSON.SyntaxError) -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        place += 1
        guard let string = String(validating: text, as: UTF8.self) else { throw error("UTF-8") }
        return string
      case UInt8(ascii: "\\"):
        place += 1
        text += try escape()
      case 0..<0x20: throw error("an escaped control character")
      default:
        text.append(byte)
        place += 1
      }
    }
    throw error("\"")
  }

  private mutating func escape() throws(JSON.SyntaxError) -> [UInt8] {
    guard let byte = next else { throw error("a character") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(try codePoint()).utf8)
    default: throw error("one of \" \\ / b f n r t u")
    }
  }

  /// Four hexadecimal digits, and a second escape for a character beyond them (RFC 8259 §7).
  private mutating func codePoint() throws(JSON.SyntaxError) -> Unicode.Scalar {
    let high = try unit()
    guard 0xd800...0xdbff ~= high else {
      if let scalar = Unicode.Scalar(high) { return scalar }
      guard allowsHalves else { throw error("the first half of a pair") }
      return "\u{fffd}"
    }
    let start = place
    guard take("\\"), take("u"), case let low = try unit(), 0xdc00...0xdfff ~= low,
      let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
    else {
      guard allowsHalves else { throw error("the second half of a pair") }
      place = start
      return "\u{fffd}"
    }
    return scalar
  }

  private mutating func unit() throws(JSON.SyntaxError) -> UInt32 {
    guard place + 4 <= bytes.count, bytes[place..<place + 4].allSatisfy(\.isHexDigit),
      let value = UInt32(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
    else { throw error("four hexadecimal digits") }
    place += 4
    return value
  }
}

extension UInt8 {
  fileprivate var isNumberPart: Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= self || Array("+-.eE".utf8).contains(self)
  }
  fileprivate var isHexDigit: Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= self || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20
  }
}
