internal import ByteIO
internal import Containers

/// The head of an HTTP request for the stream or for the page, line by line, and the answer to it (RFC 9112). Pure.
public struct WebRequest: Sendable {
  public enum Answer: Sendable, Hashable {
    /// The head of the answer; the stream follows, with titles in it if the client asked for them.
    case stream(head: [UInt8], hasTitles: Bool)
    /// The whole answer. The connection ends with it.
    case end([UInt8])
    /// The answer needs the player.
    case ask(Question)
  }

  public enum Question: Sendable, Hashable {
    /// Changes of the player, as they come.
    case events
    case cover
    /// Artists, albums and tracks with these words.
    case search(String)
    /// A command in the body, of so many bytes.
    case command(byteCount: Int)
    /// The same about a row of a search: `play 3 WORDS`, `add 3 WORDS`.
    case found(byteCount: Int)
  }

  public struct Offer: Sendable, Hashable {
    /// For `Content-Type`, such as `audio/ogg`.
    public var mediaType: String
    /// The password that clients must give; empty for none.
    public var password: String
    public var hostName: String
    /// Bits per second, if they are constant.
    public var bitRate: Int?
    /// True if there is the page, and not the stream alone.
    public var hasPage: Bool

    public init(mediaType: String, password: String, hostName: String, bitRate: Int?, hasPage: Bool = false) {
      (self.mediaType, self.password, self.hostName) = (mediaType, password, hostName)
      (self.bitRate, self.hasPage) = (bitRate, hasPage)
    }
  }

  /// The fields that count.
  private struct Fields {
    /// The name or address, with its port, by which the client calls this computer.
    var host: String?
    /// The page that has sent the request, as browsers say it.
    var origin: String?
    var byteCount: Int?
    var wantsTitles = false
    var wantsPage = false
    var isOfOtherSite = false
  }

  private static let lineLimit = 100
  private static let byteLimit = 1 << 13
  private static let bodyLimit = 1 << 11

  private let offer: Offer
  private var request: (method: String, target: String)?
  private var fields = Fields()
  private var hasPassword: Bool
  private var lineCount = 0
  private var byteCount = 0

  public init(for offer: Offer) { (self.offer, hasPassword) = (offer, offer.password.isEmpty) }

  /// Takes the next line without its end. Returns the answer when the head is complete or no head.
  public mutating func take(_ line: [UInt8]) -> Answer? {
    (lineCount, byteCount) = (lineCount + 1, byteCount + line.count)
    guard lineCount <= Self.lineLimit, byteCount <= Self.byteLimit else {
      return .end(refusal("431 Request Header Fields Too Large"))
    }
    // RFC 9112 2.2: a server ignores empty lines before the request.
    guard let request else { return line.isEmpty ? nil : begin(line) }
    if line.isEmpty { return answer(to: request.method, request.target) }
    takeField(line)
    return nil
  }

  private mutating func begin(_ line: [UInt8]) -> Answer? {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8), words[2].count == 8,
      !words[0].isEmpty, words[0].allSatisfy({ 0x41...0x5a ~= $0 }), line.allSatisfy({ 0x20...0x7e ~= $0 })
    else { return .end(refusal("400 Bad Request")) }
    request = (String(decoding: words[0], as: UTF8.self), String(decoding: words[1], as: UTF8.self))
    return nil
  }

  private mutating func takeField(_ line: [UInt8]) {
    guard let colon = line.firstIndex(of: 0x3a) else { return }
    let value = String(decoding: line[(colon + 1)...], as: UTF8.self).drop { $0 == " " || $0 == "\t" }
    switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
    case "host": fields.host = String(value)
    case "icy-metadata": fields.wantsTitles = value.hasPrefix("1")
    case "authorization": takeCredentials(value)
    case "accept": fields.wantsPage = value.contains("text/html")
    case "origin": fields.origin = String(value)
    case "sec-fetch-site": fields.isOfOtherSite = value != "same-origin" && value != "none"
    case "content-length": fields.byteCount = value.allSatisfy(\.isNumber) ? Int(value) : nil
    default: break
    }
  }

  /// `Basic` and base64 of `NAME:PASSWORD` (RFC 7617). Any name will do.
  private mutating func takeCredentials(_ value: Substring) {
    let words = value.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic" else { return }
    let pair = decodedBase64(Array(words[1].utf8)[...])
    guard let colon = pair.firstIndex(of: 0x3a) else { return }
    if isSamePassword(offer.password, String(decoding: pair[(colon + 1)...], as: UTF8.self)) { hasPassword = true }
  }

  private func answer(to method: String, _ target: String) -> Answer {
    let (path, words) = Self.parts(of: target)
    let isPost = method == "POST" && offer.hasPage && Self.posted.contains(path)
    guard method == "GET" || method == "HEAD" || isPost else {
      return .end(refusal("405 Method Not Allowed", "Allow: GET, HEAD\r\n"))
    }
    guard target.hasPrefix("/") || target.hasPrefix("http://") else { return .end(refusal("400 Bad Request")) }
    guard !offer.password.isEmpty || isMeant(by: target) else { return .end(refusal("421 Misdirected Request")) }
    guard hasPassword else {
      return .end(refusal("401 Unauthorized", "WWW-Authenticate: Basic realm=\"segue\", charset=\"UTF-8\"\r\n"))
    }
    // Browsers ask for it by themselves, and would be listeners.
    guard !target.hasSuffix("/favicon.ico") else { return .end(refusal("404 Not Found")) }
    return offer.hasPage ? page(path, words, method) ?? stream(method) : stream(method)
  }

  private func stream(_ method: String) -> Answer {
    let titles = fields.wantsTitles ? "icy-metaint: \(StreamTitles.interval)\r\n" : ""
    let rate = offer.bitRate.map { "icy-br: \($0 / 1000)\r\n" } ?? ""
    let head = Array(
      "HTTP/1.1 200 OK\r\nContent-Type: \(offer.mediaType)\r\nicy-name: segue\r\n\(rate)\(titles)\(Self.always)".utf8)
    return method == "HEAD" ? .end(head) : .stream(head: head, hasTitles: fields.wantsTitles)
  }

  // MARK: The page

  private static let posted = ["/command", "/found"]

  /// The path of a target, and what follows the question mark, with its escapes decoded.
  private static func parts(of target: String) -> (path: String, words: String) {
    var path = target[...]
    if path.hasPrefix("http://") { path = path.dropFirst("http://".count).drop { $0 != "/" } }
    let words = path.drop { $0 != "?" }
    return (String(path.prefix { $0 != "?" }), String(words.dropFirst()).removingPercentEscapes)
  }

  /// The answer of the page; `nil` for any other path, which is the stream.
  private func page(_ path: String, _ words: String, _ method: String) -> Answer? {
    if path == "/" {
      // Players and browsers share the address.
      guard fields.wantsPage else { return nil }
      return .end(Self.head("text/html; charset=utf-8", WebPage.policy) + (method == "HEAD" ? [] : WebPage.bytes))
    }
    guard ["/events", "/cover", "/search"].contains(path) || Self.posted.contains(path) else { return nil }
    guard !fields.isOfOtherSite, isOfThisSite else { return .end(refusal("403 Forbidden")) }
    if Self.posted.contains(path) {
      guard method == "POST" else { return .end(refusal("405 Method Not Allowed", "Allow: POST\r\n")) }
      guard let count = fields.byteCount, count > 0 else { return .end(refusal("411 Length Required")) }
      guard count <= Self.bodyLimit else { return .end(refusal("413 Content Too Large")) }
      return .ask(path == "/command" ? .command(byteCount: count) : .found(byteCount: count))
    }
    guard method == "GET" else { return .end(refusal("405 Method Not Allowed", "Allow: GET\r\n")) }
    return .ask(path == "/events" ? .events : path == "/cover" ? .cover : .search(words))
  }

  /// False if a page of another site has sent the request: its origin is not the one that the client calls.
  private var isOfThisSite: Bool {
    guard let origin = fields.origin else { return true }
    guard let start = origin.firstRange(of: "://") else { return false }
    return origin[start.upperBound...].lowercased() == fields.host?.lowercased()
  }

  /// The head of an answer that has a body of this type.
  static func head(_ type: String, _ more: String = "") -> [UInt8] {
    Array(
      """
      HTTP/1.1 200 OK\r
      Content-Type: \(type)\r
      X-Content-Type-Options: nosniff\r
      Cross-Origin-Resource-Policy: same-origin\r
      \(more)\(always)
      """.utf8)
  }

  /// True if the request names this computer, or gives an address. The name of a page in a browser may lead here, too:
  /// then the page could read what plays (DNS rebinding).
  private func isMeant(by target: String) -> Bool {
    // RFC 9112 3.2.2: the host of a target counts.
    let named =
      target.hasPrefix("/")
      ? fields.host : target.dropFirst("http://".count).split(separator: "/").first.map(String.init)
    guard let named, !named.hasPrefix("[") else { return true }
    var name = named.lowercased().prefix { $0 != ":" }
    if name.hasSuffix(".") { name.removeLast() }
    let own = offer.hostName.lowercased()
    return name.allSatisfy { "0123456789.".contains($0) } || ["localhost", own, "\(own).local"].contains(String(name))
  }

  /// The answer where there is no cover.
  static let notFound = Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\(always)".utf8)

  private static let always = "Server: segue\r\nCache-Control: no-cache, no-store\r\nConnection: close\r\n\r\n"

  private func refusal(_ status: String, _ fields: String = "") -> [UInt8] {
    let text = "\(status)\n"
    let type = "Content-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n"
    let body = request?.method == "HEAD" ? "" : text
    return Array("HTTP/1.1 \(status)\r\n\(fields)\(type)\(Self.always)\(body)".utf8)
  }
}
