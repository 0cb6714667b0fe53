internal import AudioModel
internal import ByteIO

/// The head of a response: status line and header fields (RFC 9110). Pure.
struct HTTPResponseHead: Hashable, Sendable {
  /// `Content-Range: bytes 500-999/1234` (RFC 9110 14.4).
  struct ContentRange: Hashable {
    /// The bytes that follow; `nil` in `bytes */1234`, the answer to a range past the end.
    var bytes: Range<Int64>?
    /// Size of the resource, if stated.
    var total: Int64?
  }

  /// 200, 206, 404 …
  private(set) var status: Int
  /// `Not Found`; may be empty.
  private(set) var reason: String
  /// True for `ICY 200 OK`, the status line of SHOUTcast 1.
  private(set) var isICY: Bool
  /// The address that answered, after redirects.
  var address: WebAddress?
  private var fields: [Field] = []

  private struct Field: Hashable {
    /// In lower case.
    var name: String
    var value: String
  }

  /// Begins with a status line; `nil` for any other text.
  init?(statusLine: String) {
    // HTTP/1.1 206 Partial Content
    let parts = statusLine.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/") || parts[0] == "ICY", let status = Self.number(parts[1]),
      100...999 ~= status
    else { return nil }
    self.status = Int(status)
    isICY = parts[0] == "ICY"
    reason = parts.count > 2 ? String(parts[2].trimmed) : ""
  }

  /// Adds the line of a field; ignores any other line.
  mutating func add(_ line: String) {
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = line[line.index(after: colon)...].trimmed
    fields.append(Field(name: line[..<colon].lowercased(), value: String(value)))
  }

  /// The last field with that name, given in lower case.
  subscript(name: String) -> String? { fields.last { $0.name == name }?.value }

  /// Bytes of the resource, if the server states a number. That of an encoded body is another one.
  var contentLength: Int64? { isEncoded ? nil : self["content-length"].flatMap { Self.number($0[...]) } }

  /// The part that follows, in an answer 206 or 416; `nil` if it is missing or makes no sense.
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

  /// True if the server states that it supports ranges, false if it states that it does not, else `nil`.
  var acceptsRanges: Bool? {
    isEncoded ? false : self["accept-ranges"].map { $0.lowercased().contains("bytes") }
  }

  /// True if the body is an encoding of the resource (RFC 9110 8.4), whose parts cannot be requested.
  var isEncoded: Bool {
    self["content-encoding"].map { !$0.isEmpty && !["identity", "none"].contains($0.lowercased()) } ?? false
  }

  /// `audio/mpeg`, with parameters.
  var contentType: String? { self["content-type"].flatMap { $0.isEmpty ? nil : $0 } }

  /// The validators of this version of the resource.
  var validator: Validator { Validator(entityTag: self["etag"], lastModified: self["last-modified"]) }

  /// True if the answer may be stored (RFC 9111 5.2.2.5).
  var mayBeStored: Bool { self["cache-control"]?.lowercased().contains("no-store") != true }

  /// Seconds to wait before the next request. Dates are ignored.
  var retryAfter: Double? { self["retry-after"].flatMap { Self.isNumber($0[...]) ? Double($0) : nil } }

  /// Bytes of audio between blocks of metadata.
  var metadataInterval: Int? {
    self["icy-metaint"].flatMap { Self.number($0[...]) }.flatMap { 1...(1 << 24) ~= $0 ? Int($0) : nil }
  }

  var stationName: String? { self["icy-name"]?.visible }

  /// True if this is a stream without end, as radio stations send it.
  var isLive: Bool {
    // With metadata in the body, a length is meaningless.
    if metadataInterval != nil { return true }
    guard contentLength == nil, contentRange == nil else { return false }
    if isICY { return true }
    let isOfStation =
      fields.contains { $0.name.hasPrefix("icy-") } || self["server"]?.lowercased().hasPrefix("icecast") == true
    return isOfStation && !isPlaylist
  }

  /// True if the body is a playlist by its type. Icecast sends one without a length for each of its streams.
  private var isPlaylist: Bool {
    guard let type = contentType?.lowercased().prefix(while: { $0 != ";" }) else { return false }
    return type.hasPrefix("text/") || type.contains("mpegurl")
      || ["audio/x-scpls", "application/pls+xml", "application/xspf+xml", "video/x-ms-asf"].contains(type.trimmed)
  }

  private static func isNumber(_ text: Substring) -> Bool { text.utf8.allSatisfy { 0x30...0x39 ~= $0 } }

  /// A number of digits only, up to the largest size of a resource.
  private static func number(_ text: Substring) -> Int64? {
    guard isNumber(text), let number = Int64(text) else { return nil }
    return number <= SpoolRecord.byteLimit ? number : nil
  }
}

/// Validators, which differ between versions of a resource (RFC 9110 8.8).
struct Validator: Hashable, Sendable {
  var entityTag: String?
  var lastModified: String?

  /// True if the server sent no validator.
  var isEmpty: Bool { entityTag == nil && lastModified == nil }

  /// The value for `If-Range`. A weak tag does not promise equal bytes (RFC 9110 13.1.5).
  var forRange: String? {
    if let entityTag, !entityTag.hasPrefix("W/") { return entityTag }
    return lastModified
  }

  /// True if `other`, sent later, can mean the same bytes.
  func allows(_ other: Validator) -> Bool {
    if let entityTag, let tag = other.entityTag { return entityTag == tag }
    if let lastModified, let date = other.lastModified { return lastModified == date }
    return true
  }
}
