/// A place on the network where clients can connect: `6600`, `192.168.1.2:6600`, `[::1]:6600`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// The numbers of the address, of IPv4 or IPv6.
  public var host: String
  /// 1...65535.
  public var port: UInt16

  /// Reads an address. A port alone is one of this computer only. `nil` if it is none.
  public init?(_ text: String) {
    var (host, digits) = ("127.0.0.1", text[...])
    if let colon = text.lastIndex(of: ":") {
      (host, digits) = (String(text[..<colon]), text[text.index(after: colon)...])
      if host.hasPrefix("["), host.hasSuffix("]") {
        host = String(host.dropFirst().dropLast())
        guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
      } else {
        if host == "localhost" { host = "127.0.0.1" }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts.allSatisfy({ UInt8($0).map(String.init) == String($0) }) else { return nil }
      }
    }
    guard let port = UInt16(digits), port > 0, String(port) == digits else { return nil }
    (self.host, self.port) = (host, port)
  }

  /// True if only programs on this computer can connect.
  public var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

  /// The form that `init` reads, with an IPv6 address in brackets.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
