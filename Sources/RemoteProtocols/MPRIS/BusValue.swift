/// A value of D-Bus, of the types that media players use (D-Bus Specification, "Type System").
public enum BusValue: Sendable, Hashable {
  case bool(Bool)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case double(Double)
  case string(String)
  case path(String)
  case strings([String])
  case paths([String])
  /// Names and variants: `a{sv}`.
  case dictionary([(String, BusValue)])
  /// A variant as an argument: `v`.
  indirect case variant(BusValue)

  /// True if type and value are the same.
  public static func == (left: BusValue, right: BusValue) -> Bool { left.text == right.text }

  /// Equal values have equal hashes.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// The signature of its type.
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

/// A call of a method on the bus.
public struct BusCall: Sendable, Hashable {
  /// The object.
  public var path: String
  /// Empty if the caller leaves it out.
  public var interface: String
  /// The method.
  public var member: String
  /// Arguments of types that are known here; `nil` for others.
  public var arguments: [BusValue?]

  /// A call.
  public init(path: String, interface: String, member: String, arguments: [BusValue?]) {
    (self.path, self.interface, self.member, self.arguments) = (path, interface, member, arguments)
  }
}

/// The reply to a call.
public enum BusReply: Sendable, Hashable {
  case values([BusValue])
  /// A name such as `org.freedesktop.DBus.Error.UnknownMethod`, and a sentence.
  case error(String, String)

  /// An error of the bus itself.
  static func failed(_ name: String, _ text: String) -> BusReply { .error("org.freedesktop.DBus.Error." + name, text) }
}

/// A signal of the player.
public struct BusSignal: Sendable, Hashable {
  /// The interface.
  public var interface: String
  /// The name.
  public var member: String
  /// The arguments.
  public var arguments: [BusValue]

  init(_ interface: String, _ member: String, _ arguments: [BusValue]) {
    (self.interface, self.member, self.arguments) = (interface, member, arguments)
  }
}
