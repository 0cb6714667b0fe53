internal import Containers

/// The head of an HTTP request for the stream, line by line, and the answer to it (RFC 9112). Pure.
public struct StreamRequest: Sendable {
  public enum Answer: Sendable, Hashable {
    /// The head of the answer; the stream follows, with titles in it if the client asked for them.
    case stream(head: [UInt8], hasTitles: Bool)
    /// The whole answer. The connection ends with it.
    case end([UInt8])
  }

  /// The stream that is offered.
  public struct Offer: Sendable, Hashable {
    /// For `Content-Type`, such as `audio/ogg`.
    public var mediaType: String
    /// The password that clients must give; empty for none.
    public var password: String
    /// The name of this computer.
    public var hostName: String
    /// Bits per second, if they are constant.
    public var bitRate: Int?

    public init(mediaType: String, password: String, hostName: String, bitRate: Int?) {
      (self.mediaType, self.password, self.hostName, self.bitRate) = (mediaType, password, hostName, bitRate)
    }
  }

  private static let lineLimit = 100
  private static let byteLimit = 1 << 14

  private let offer: Offer
  /// Method and target.
  private var request: (method: String, target: String)?
  /// The name or address, with its port, by which the client calls this computer.
  private var host: String?
  private var wantsTitles = false
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
    case "host": host = String(value)
    case "icy-metadata": wantsTitles = value.hasPrefix("1")
    case "authorization": takeCredentials(value)
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
    guard method == "GET" || method == "HEAD" else {
      return .end(refusal("405 Method Not Allowed", "Allow: GET, HEAD\r\n"))
    }
    guard target.hasPrefix("/") || target.hasPrefix("http://") else { return .end(refusal("400 Bad Request")) }
    guard !offer.password.isEmpty || isMeant(by: target) else { return .end(refusal("421 Misdirected Request")) }
    guard hasPassword else {
      return .end(refusal("401 Unauthorized", "WWW-Authenticate: Basic realm=\"segue\", charset=\"UTF-8\"\r\n"))
    }
    // Browsers ask for it by themselves, and would be listeners.
    guard !target.hasSuffix("/favicon.ico") else { return .end(refusal("404 Not Found")) }
    let titles = wantsTitles ? "icy-metaint: \(StreamTitles.interval)\r\n" : ""
    let rate = offer.bitRate.map { "icy-br: \($0 / 1000)\r\n" } ?? ""
    let head = Array(
      "HTTP/1.1 200 OK\r\nContent-Type: \(offer.mediaType)\r\nicy-name: segue\r\n\(rate)\(titles)\(Self.always)".utf8)
    return method == "HEAD" ? .end(head) : .stream(head: head, hasTitles: wantsTitles)
  }

  /// True if the request names this computer, or gives an address. The name of a page in a browser may lead here, too:
  /// then the page could read what plays (DNS rebinding).
  private func isMeant(by target: String) -> Bool {
    // RFC 9112 3.2.2: the host of a target counts.
    let named =
      target.hasPrefix("/") ? host : target.dropFirst("http://".count).split(separator: "/").first.map(String.init)
    guard let named, !named.hasPrefix("[") else { return true }
    var name = named.lowercased().prefix { $0 != ":" }
    if name.hasSuffix(".") { name.removeLast() }
    let own = offer.hostName.lowercased()
    return name.allSatisfy { "0123456789.".contains($0) } || ["localhost", own, "\(own).local"].contains(String(name))
  }

  private static let always = "Server: segue\r\nCache-Control: no-cache, no-store\r\nConnection: close\r\n\r\n"

  private func refusal(_ status: String, _ fields: String = "") -> [UInt8] {
    let text = "\(status)\n"
    let type = "Content-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n"
    let body = request?.method == "HEAD" ? "" : text
    return Array("HTTP/1.1 \(status)\r\n\(fields)\(type)\(Self.always)\(body)".utf8)
  }
}

/// Puts titles between the bytes of a stream, for one client: ICY metadata, at fixed intervals. Pure.
public struct StreamTitles: Sendable {
  /// Bytes of the stream between two titles.
  public static let interval = 16000

  private var rest = interval
  private var sent: String?

  public init() {}

  /// The bytes as they are sent, with the title where one is due: a block without text if it is the same as before.
  public mutating func insert(_ title: String, into bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 100 + 300)
    var left = bytes[...]
    while left.count >= rest {
      result += left.prefix(rest)
      left = left.dropFirst(rest)
      rest = Self.interval
      result += title == sent ? [0] : Self.block(title)
      sent = title
    }
    result += left
    rest -= left.count
    return result
  }

  /// A byte with the length in 16 bytes, then the text, filled up with zeros.
  private static func block(_ title: String) -> [UInt8] {
    // An apostrophe with a semicolon would end the title.
    let safe = title.replacing("';", with: "’;")
    var text = Array("StreamTitle='".utf8) + safe.utf8.prefix(4000)
    while let last = text.last, last >= 0x80, String(validating: text, as: UTF8.self) == nil { text.removeLast() }
    text += "';".utf8
    let count = (text.count + 15) / 16
    return [UInt8(clamping: count)] + text + [UInt8](repeating: 0, count: count * 16 - text.count)
  }
}

/// True if both are the same. Takes the same time wherever the first difference is.
func isSamePassword(_ password: String, _ given: String) -> Bool {
  let (a, b) = (Array(password.utf8), Array(given.utf8))
  var difference = a.count ^ b.count
  for (place, byte) in b.enumerated() { difference |= Int(byte ^ (a.isEmpty ? 0 : a[place % a.count])) }
  return difference == 0 && !a.isEmpty
}
