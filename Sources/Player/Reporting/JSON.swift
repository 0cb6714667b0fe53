/// A JSON value (RFC 8259). `description` is its text, on one line, with members in the order given.
public enum JSON: Sendable, CustomStringConvertible, ExpressibleByDictionaryLiteral {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A number.
  case number(Double)
  /// A text.
  case string(String)
  /// A list.
  case array([JSON])
  /// Names with values, in order.
  case object([(String, JSON)])

  /// An object.
  public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements) }

  /// A number or `null`.
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

  /// A Boolean value or `null`.
  public init(_ value: Bool?) { self = value.map(Self.bool) ?? .null }

  /// A text or `null`.
  public init(_ value: String?) { self = value.map(Self.string) ?? .null }

  /// The text.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { Self.quoted($0.0) + ":\($0.1)" }.joined(separator: ",") + "}"
    }
  }

  /// Text is valid UTF-8 already, as every Swift string is; control characters, also those of terminals above ASCII,
  /// are escaped.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\0"..<" ", "\u{7f}"..."\u{9f}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
