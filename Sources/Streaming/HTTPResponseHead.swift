internal import ByteIO

/// The head of a response: status line and header fields (RFC 9110). Pure.
struct HTTPResponseHead: Hashable, Sendable {
  /// `Content-Range: bytes 500-999/1234` (RFC 9110 14.4).
  struct ContentRange: Hashable {
    /// The bytes that follow; `nil` in `bytes */1234`, the answer to a range that is not there.
    var bytes: Range<Int64>?
    /// All there are, if that is told.
    var total: Int64?
  }

  /// 200, 206, 404 …
  private(set) var status: Int
  /// `Not Found`; may be empty.
  private(set) var reason: String
  /// `ICY 200 OK`, as SHOUTcast 1 begins instead of HTTP.
  private(set) var isICY: Bool
  /// Where the answer came from, after redirects.
  var address: WebAddress?
  private var fields: [Field] = []

  private struct Field: Hashable {
    /// In lower case.
    var name: String
    var value: String
  }

  /// Begins with a status line; `nil` if it is none.
  init?(statusLine: String) {
    // HTTP/1.1 206 Partial Content
    let parts = statusLine.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/") || parts[0] == "ICY", let status = Self.number(parts[1]),
      100...999 ~= status
    else { return nil }
    self.status = Int(status)
    isICY = parts[0] == "ICY"
    reason = parts.count > 2 ? Self.trimmed(parts[2]) : ""
  }

  /// Takes a field's line; what is none is passed over.
  mutating func add(_ line: String) {
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = Self.trimmed(line[line.index(after: colon)...])
    fields.append(Field(name: line[..<colon].lowercased(), value: value))
  }

  /// The last field of that name, in lower case.
  subscript(name: String) -> String? { fields.last { $0.name == name }?.value }

  /// Bytes of the body, if that is told and a number.
  var contentLength: Int64? { self["content-length"].flatMap { Self.number($0[...]) } }

  /// The part that follows, in an answer 206 or 416; nil if it is missing or makes no sense.
  var contentRange: ContentRange? {
    guard let value = self["content-range"], value.lowercased().hasPrefix("bytes") else { return nil }
    let parts = value.dropFirst(5).drop { $0 == " " || $0 == "=" }.split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let total = Self.number(parts[1])
    guard total != nil || parts[1] == "*" else { return nil }
    if parts[0] == "*" { return ContentRange(bytes: nil, total: total) }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < .max, last < total ?? .max
    else { return nil }
    return ContentRange(bytes: first..<(last + 1), total: total)
  }

  /// Whether the server says that it knows ranges, or that it knows none; `nil` where it says nothing.
  var acceptsRanges: Bool? { self["accept-ranges"].map { $0.lowercased().contains("bytes") } }

  /// Whether the body is not the resource itself but an encoding of it (RFC 9110 8.4).
  var isEncoded: Bool {
    self["content-encoding"].map { !$0.isEmpty && !["identity", "none"].contains($0.lowercased()) } ?? false
  }

  /// `audio/mpeg`, parameters and all.
  var contentType: String? { self["content-type"].flatMap { $0.isEmpty ? nil : $0 } }

  /// The validators of this version of the resource.
  var validator: Validator { Validator(entityTag: self["etag"], lastModified: self["last-modified"]) }

  /// Whether the answer may be kept for another time (RFC 9111 5.2.2.5).
  var mayBeStored: Bool { self["cache-control"]?.lowercased().contains("no-store") != true }

  /// Seconds to wait before asking again; dates are not understood.
  var retryAfter: Double? { self["retry-after"].flatMap { Self.number($0[...]) }.map { Double($0) } }

  /// Bytes of audio between blocks of metadata.
  var metadataInterval: Int? {
    self["icy-metaint"].flatMap { Self.number($0[...]) }.flatMap { 1...(1 << 24) ~= $0 ? Int($0) : nil }
  }

  /// The station's name.
  var stationName: String? { self["icy-name"].flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether this is a stream without end, as radio stations send it.
  var isLive: Bool {
    // Between blocks of metadata no length means anything.
    if metadataInterval != nil { return true }
    guard contentLength == nil, contentRange == nil else { return false }
    return isICY || fields.contains { $0.name.hasPrefix("icy-") }
      || self["server"]?.lowercased().hasPrefix("icecast") == true
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0.isWhitespace }
    return String(start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)])
  }

  /// Digits only.
  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(text) : nil
  }
}

/// Validators, which differ between versions of a resource (RFC 9110 8.8).
struct Validator: Hashable, Sendable {
  var entityTag: String?
  var lastModified: String?

  /// Whether there is anything to go by.
  var isEmpty: Bool { entityTag == nil && lastModified == nil }

  /// The value for `If-Range`: no weak tag, which does not promise equal bytes (RFC 9110 13.1.5).
  var forRange: String? {
    if let entityTag, !entityTag.hasPrefix("W/") { return entityTag }
    return lastModified
  }

  /// Whether `other`, as told later, can mean the same bytes.
  func allows(_ other: Validator) -> Bool {
    if let entityTag, let tag = other.entityTag { return entityTag == tag }
    if let lastModified, let date = other.lastModified { return lastModified == date }
    return true
  }
}
