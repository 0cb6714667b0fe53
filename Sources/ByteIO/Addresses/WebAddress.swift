/// A web address, split as in RFC 3986, appendix B. Any text is accepted: characters that an address may not contain
/// are escaped, so that typed addresses with spaces work.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  /// In lower case; `nil` for a reference that is relative to another address.
  public var scheme: String?
  /// `name:password` before the host.
  public var userInfo: String?
  /// Host and port; `nil` if there is no `//`.
  public var host: String?
  /// The part after the host: empty, or from the first slash on.
  public var path: String
  /// The part after a question mark.
  public var query: String?
  /// Fields that requests of it, and of all that it leads to, have in their heads, and the character set of its titles:
  /// `|User-Agent=...&Referer=...&charset=...` after the address.
  public var fields: [Field: String] = [:]

  /// A field of the head of a request, or an option of the player.
  public enum Field: String, Sendable, CaseIterable {
    /// The name of the program.
    case userAgent = "User-Agent"
    /// The page that the address is from.
    case referrer = "Referer"
    /// The character set of its titles, for the player: it is not sent.
    case charset
  }

  /// Parses `text`, without the fragment after a number sign.
  public init(_ text: String) {
    let (address, fields) = Self.split(text)
    self.fields = fields
    var rest = Self.escaped(address)[...]
    rest = rest.prefix { $0 != "#" }
    if let mark = rest.firstIndex(where: { ":/?".contains($0) }), rest[mark] == ":", Self.isScheme(rest[..<mark]) {
      scheme = rest[..<mark].lowercased()
      rest = rest[rest.index(after: mark)...]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if rest.hasPrefix("//") {
      let authority = rest.dropFirst(2).prefix { $0 != "/" }
      rest = rest[authority.endIndex...]
      let mark = authority.lastIndex(of: "@")
      userInfo = mark.map { String(authority[..<$0]) }
      host = String(mark.map { authority[authority.index(after: $0)...] } ?? authority)
    }
    path = String(rest)
  }

  /// The whole address, with name, password and fields.
  public var text: String {
    let fields = Field.allCases.compactMap { field in
      self.fields[field].map { "\(field.rawValue)=\(Self.encoded($0))" }
    }
    return text(withUserInfo: true) + (fields.isEmpty ? "" : "|" + fields.joined(separator: "&"))
  }

  /// The address without user name, password and fields, for messages and logs.
  public var description: String { text(withUserInfo: false) }

  /// The address with a path behind its own.
  public func appending(path: String) -> WebAddress {
    var address = self
    while address.path.hasSuffix("/") { address.path.removeLast() }
    address.path += path
    return address
  }

  /// Names and values as a query, or as the body of a form (`application/x-www-form-urlencoded`).
  public static func query(_ fields: [(String, String)]) -> String {
    fields.map { encoded($0.0) + "=" + encoded($0.1) }.joined(separator: "&")
  }

  /// Text as one part of an address: all but unreserved characters are escaped (RFC 3986 2.1).
  public static func encoded(_ text: String) -> String { text.utf8.percentEscaped { !$0.isUnreserved } }

  /// The host without its port.
  public var hostName: String? {
    host.map { host in
      let colon = host.lastIndex(of: ":")
      // Within brackets colons are those of IPv6.
      return String(colon.map { host[$0...].contains("]") ? host[...] : host[..<$0] } ?? host[...])
    }
  }

  /// True if it can be fetched: `http` or `https`, with a host.
  public var isHTTP: Bool { (scheme == "http" || scheme == "https") && host?.isEmpty == false }

  /// The scheme of tracks on servers of music that the listener added: `segue://NAME/ID`.
  public static let serverScheme = "segue"

  /// True for a track on such a server. The address that can be fetched contains a secret, and is made when it is.
  public var isOnServer: Bool { scheme == Self.serverScheme && host?.isEmpty == false }

  /// True if it has the extension of a cue sheet.
  public var isCueSheet: Bool { path.lowercased().hasSuffix(".cue") }

  private func text(withUserInfo: Bool) -> String {
    (scheme.map { $0 + ":" } ?? "")
      + (host.map { "//" + (withUserInfo ? userInfo.map { $0 + "@" } ?? "" : "") + $0 } ?? "")
      + path + (query.map { "?" + $0 } ?? "")
  }

  /// The address of `reference` in a document at this address (RFC 3986 5.2.2). Name and password hold for all of a
  /// server.
  public func resolving(_ reference: WebAddress) -> WebAddress {
    var target = reference
    target.fields.merge(fields) { own, _ in own }
    if reference.scheme == nil {
      target.scheme = scheme
      if reference.host == nil {
        (target.userInfo, target.host) = (userInfo, host)
        if reference.path.isEmpty {
          target.path = path
          target.query = reference.query ?? query
          return target
        }
        if !reference.path.hasPrefix("/") { target.path = merged(reference.path) }
      }
    }
    target.path = Self.withoutDots(target.path)
    if target.userInfo == nil, target.scheme == scheme, target.host == host { target.userInfo = userInfo }
    return target
  }

  /// Separates the fields from an address: only those that are known, since an address may contain a bar.
  private static func split(_ text: String) -> (address: String, fields: [Field: String]) {
    guard let bar = text.lastIndex(of: "|") else { return (text, [:]) }
    var fields: [Field: String] = [:]
    for part in text[text.index(after: bar)...].prefix(while: { $0 != "#" }).split(separator: "&") {
      let parts = part.split(separator: "=", maxSplits: 1)
      let name = parts.first?.lowercased()
      guard let field = Field.allCases.first(where: { $0.rawValue.lowercased() == name }) else { return (text, [:]) }
      // A line break would be another field.
      fields[field] =
        parts.count > 1 ? String(parts[1]).removingPercentEscapes.filter { $0 >= " " && $0 != "\u{7f}" } : ""
    }
    return fields.isEmpty ? (text, [:]) : (String(text[..<bar]), fields)
  }

  // RFC 3986 5.2.3
  private func merged(_ reference: String) -> String {
    if host != nil, path.isEmpty { return "/" + reference }
    return (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + reference
  }

  // RFC 3986 5.2.4
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if kept.count > 1 || kept.first.map({ !$0.isEmpty }) == true { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")
  }

  // RFC 3986 3.1
  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first | 0x20 >= 0x61, first | 0x20 <= 0x7a else { return false }
    return text.utf8.allSatisfy {
      0x61...0x7a ~= $0 | 0x20 || 0x30...0x39 ~= $0 || $0 == 0x2b || $0 == 0x2d || $0 == 0x2e
    }
  }

  /// Escapes bytes that an address may not contain (RFC 3986 2.1, 2.2), and removes spaces around it.
  private static func escaped(_ text: String) -> String {
    let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
    let bytes = text.utf8.drop(while: isBlank)
    let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
    return bytes[..<end].percentEscaped { $0 <= 0x20 || $0 >= 0x7f || "\"<>\\^`{|}".utf8.contains($0) }
  }
}

extension String {
  /// The text without the user names and passwords of addresses in it.
  public var withoutUserInfo: String {
    var (kept, rest) = ("", self[...])
    while let mark = rest.firstRange(of: "://") {
      kept += rest[..<mark.upperBound]
      rest = rest[mark.upperBound...]
      let sign = rest.prefix { !"/?#".contains($0) }.lastIndex(of: "@")
      if let sign { rest = rest[rest.index(after: sign)...] }
    }
    return kept + String(rest)
  }
}
