/// A value of D-Bus, of the types that media players use (D-Bus Specification, "Type System").
public enum BusValue: Sendable, Hashable {
  /// A Boolean value: `b`.
  case bool(Bool)
  /// A number of 32 bits: `i`.
  case int32(Int32)
  /// A number of 32 bits without a sign: `u`.
  case uint32(UInt32)
  /// A number of 64 bits: `x`.
  case int64(Int64)
  /// A floating-point number: `d`.
  case double(Double)
  /// A text: `s`.
  case string(String)
  /// The path of an object: `o`.
  case path(String)
  /// Texts: `as`.
  case strings([String])
  /// Paths of objects: `ao`.
  case paths([String])
  /// Names and variants: `a{sv}`.
  case dictionary([(String, BusValue)])
  /// A variant as an argument: `v`.
  indirect case variant(BusValue)

  /// True if type and value are the same.
  public static func == (left: BusValue, right: BusValue) -> Bool { left.text == right.text }

  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  public var signature: String {
    switch self {
    case .bool: "b"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .strings: "as"
    case .paths: "ao"
    case .dictionary: "a{sv}"
    case .variant: "v"
    }
  }

  /// The value in one line, with its type.
  public var text: String {
    switch self {
    case .bool(let value): "b \(value)"
    case .int32(let value): "i \(value)"
    case .uint32(let value): "u \(value)"
    case .int64(let value): "x \(value)"
    case .double(let value): "d \(value)"
    case .string(let value): "s \"\(value)\""
    case .path(let value): "o \(value)"
    case .strings(let values): "as \(values)"
    case .paths(let values): "ao \(values)"
    case .dictionary(let members): "{" + members.map { "\($0.0): \($0.1.text)" }.joined(separator: ", ") + "}"
    case .variant(let value): "v(\(value.text))"
    }
  }
}

/// A call of a method on the bus, or a signal of another program.
public struct BusCall: Sendable, Hashable {
  public var path: String
  /// The interface; empty if the caller omits it.
  public var interface: String
  public var member: String
  /// The arguments; `nil` for an argument of an unsupported type.
  public var arguments: [BusValue?]

  public init(path: String, interface: String, member: String, arguments: [BusValue?]) {
    (self.path, self.interface, self.member, self.arguments) = (path, interface, member, arguments)
  }
}

public enum BusReply: Sendable, Hashable {
  case values([BusValue])
  /// A name such as `org.freedesktop.DBus.Error.UnknownMethod`, and a sentence.
  case error(String, String)

  /// An error of the bus itself.
  static func failed(_ name: String, _ text: String) -> BusReply { .error("org.freedesktop.DBus.Error." + name, text) }
}

/// A message that arrives on the bus and is no call.
public enum BusNews: Sendable, Hashable {
  case reply(BusReply, to: UInt32)
  /// A signal of another program.
  case signal(BusCall)
}

public struct BusSignal: Sendable, Hashable {
  public var interface: String
  public var member: String
  public var arguments: [BusValue]

  init(_ interface: String, _ member: String, _ arguments: [BusValue]) {
    (self.interface, self.member, self.arguments) = (interface, member, arguments)
  }
}
