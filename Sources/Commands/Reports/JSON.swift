/// A JSON value (RFC 8259). `description` is its text, on one line, with members in the order given.
public enum JSON: Sendable, CustomStringConvertible, ExpressibleByDictionaryLiteral {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  /// Names with values, in the order in which they are written.
  case object([(String, JSON)])

  public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements) }

  public init(_ value: (some BinaryInteger)?) {
    self = value.flatMap { Int64(exactly: $0) }.map { .integer($0) } ?? .null
  }

  /// A number; `null` for a number that JSON cannot write.
  public init(_ value: Double?) {
    guard let value, value.isFinite else {
      self = .null
      return
    }
    self = Int64(exactly: value).map(Self.integer) ?? .number(value)
  }

  public init(_ value: Bool?) { self = value.map(Self.bool) ?? .null }

  public init(_ value: String?) { self = value.map(Self.string) ?? .null }

  /// JSON text without line breaks.
  public var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += String(value)
    case .string(let value): Self.writeQuoted(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.writeQuoted(member.0, to: &text)
        text += ":"
        member.1.write(to: &text)
      }
      text += "}"
    }
  }

  /// Text is valid UTF-8 already, as every Swift string is; control characters, also those of terminals above ASCII,
  /// are escaped.
  private static func writeQuoted(_ value: String, to text: inout String) {
    text += "\""
    if value.utf8.allSatisfy({ 0x20..<0x7f ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      text += value
    } else {
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\"", "\\": text += "\\\(scalar)"
        case "\n": text += "\\n"
        case "\t": text += "\\t"
        case "\0"..<" ", "\u{7f}"..."\u{9f}":
          let digits = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }
}
