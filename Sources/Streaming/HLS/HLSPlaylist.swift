internal import AudioModel
internal import ByteIO

/// A playlist of HTTP live streaming (RFC 8216): either of streams to choose from, or of the segments of one. Pure;
/// unknown and malformed tags are ignored.
struct HLSPlaylist: Hashable {
  /// A stream to choose from.
  struct Variant: Hashable {
    var address: WebAddress
    /// Peak bit rate in bits per second.
    var bandwidth: Int
    /// `mp4a.40.2`, for instance.
    var codecs: [String]
    /// The group of audio renditions that belongs to it.
    var audioGroup: String?
  }

  /// Audio that belongs to variants.
  struct Rendition: Hashable {
    var group: String
    /// `nil` if the audio is in the variant itself.
    var address: WebAddress?
    var isDefault: Bool
    /// True if it may be chosen automatically.
    var isAutomatic = false
  }

  struct Segment: Hashable {
    var address: WebAddress
    var seconds: Double
    /// Its media sequence number.
    var number: Int
    /// The bytes at the address; `nil` for all.
    var bytes: Range<Int64>?
    /// True if it does not continue the segment before: another encoding may begin.
    var isDiscontinuous = false
    /// The header of fragmented MPEG-4, which precedes it.
    var header: Header?
    /// The key of an encrypted segment.
    var key: Key?
    /// True if the playlist marks the segment as missing.
    var isGap = false
    var title: String?
  }

  /// EXT-X-MAP.
  struct Header: Hashable {
    var address: WebAddress
    var bytes: Range<Int64>?
    var key: Key?
  }

  /// EXT-X-KEY.
  enum Key: Hashable {
    /// AES-128 in CBC; without a vector the number of the segment is used.
    case aes128(WebAddress, vector: [UInt8]?)
    /// Another method, which is not supported: `SAMPLE-AES`.
    case other(String)
  }

  var variants: [Variant] = []
  var renditions: [Rendition] = []
  var segments: [Segment] = []
  /// The longest duration of a segment in seconds: the interval of reloads.
  var targetSeconds: Double?
  /// True if no segments will be added.
  var hasEnd = false
  /// The start of playback, in seconds from the start, or, if negative, from the end.
  var startOffset: Double?
  private(set) var variables = HLSVariables()

  /// True if bytes begin a playlist of HTTP live streaming, not an ordinary M3U playlist.
  static func begins(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.drop { $0 == "\u{feff}" }.hasPrefix("#EXTM3U") && text.contains("#EXT-X-")
  }

  /// Reads a playlist from `base`; `nil` if the text is not one. Throws if it uses variables that it does not have.
  /// `imported`: the variables of the playlist that led to it.
  init?(_ text: String, at base: WebAddress, imported: HLSVariables? = nil) throws(NetworkError) {
    var lines = text.split(whereSeparator: \.isNewline)[...]
    guard let first = lines.popFirst(), first.drop(while: { $0 == "\u{feff}" }).hasPrefix("#EXTM3U") else { return nil }
    var reader = Reader(base: base, imported: imported)
    for line in lines { try reader.read(line, into: &self) }
    guard !variants.isEmpty || !segments.isEmpty || targetSeconds != nil else { return nil }
  }

  /// Attributes of the next segment or variant.
  private struct Reader {
    let base: WebAddress
    let imported: HLSVariables?
    var seconds: Double?
    var title: String?
    var bytes: Range<Int64>?
    /// The end of the last range, for ranges without a start.
    var rangeEnd: (address: WebAddress, offset: Int64)?
    var pendingRange: (count: Int64, start: Int64?)?
    var isDiscontinuous = false
    var header: Header?
    var isGap = false
    var key: Key?
    /// True if a usable key has appeared since the last segment: further ones are alternatives.
    var hasNewKey = false
    var number = 0
    var variant: [String: String]?

    mutating func read(_ line: Substring, into playlist: inout HLSPlaylist) throws(NetworkError) {
      // Some servers put spaces around lines and values.
      let line = line.trimmed
      guard line.hasPrefix("#") else { return try readAddress(line, into: &playlist) }
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count > 1 ? parts[1].trimmed : ""
      switch parts[0] {
      case "#EXTINF":
        let parts = value.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        seconds = parts.first.flatMap { Double($0.trimmed) }.flatMap { $0 >= 0 && $0 < 1e6 ? $0 : nil }
        title = parts.count > 1 ? String(parts[1]).visible : nil
      case "#EXT-X-BYTERANGE": pendingRange = Self.range(value)
      case "#EXT-X-DISCONTINUITY": isDiscontinuous = true
      case "#EXT-X-ENDLIST": playlist.hasEnd = true
      case "#EXT-X-TARGETDURATION": playlist.targetSeconds = Double(value).flatMap { $0 > 0 && $0 < 1e6 ? $0 : nil }
      case "#EXT-X-MEDIA-SEQUENCE": number = Int(value).flatMap { 0..<(1 << 53) ~= $0 ? $0 : nil } ?? 0
      case "#EXT-X-GAP": isGap = true
      case "#EXT-X-DEFINE":
        let attributes = try Self.attributes(value, &playlist)
        try playlist.variables.define(attributes, at: base, imported: imported)
      case "#EXT-X-START": playlist.startOffset = Double(try Self.attributes(value, &playlist)["TIME-OFFSET"] ?? "")
      case "#EXT-X-KEY": readKey(try Self.attributes(value, &playlist))
      case "#EXT-X-MAP": readHeader(try Self.attributes(value, &playlist))
      case "#EXT-X-STREAM-INF": variant = try Self.attributes(value, &playlist)
      case "#EXT-X-MEDIA": readRendition(try Self.attributes(value, &playlist), into: &playlist)
      default: break
      }
    }

    private mutating func readAddress(_ line: Substring, into playlist: inout HLSPlaylist) throws(NetworkError) {
      guard !line.isEmpty else { return }
      let address = base.resolving(WebAddress(try playlist.variables.replace(in: line)))
      if let attributes = variant {
        variant = nil
        guard address.isHTTP else { return }
        let codecs = attributes["CODECS"]?.split(separator: ",").map { String($0.drop { $0 == " " }) } ?? []
        playlist.variants.append(
          Variant(
            address: address, bandwidth: attributes["BANDWIDTH"].flatMap { Int($0) } ?? 0, codecs: codecs,
            audioGroup: attributes["AUDIO"]))
        return
      }
      defer { (seconds, title, pendingRange, isDiscontinuous, isGap, hasNewKey) = (nil, nil, nil, false, false, false) }
      guard let seconds, address.isHTTP else { return }
      playlist.segments.append(
        Segment(
          address: address, seconds: seconds, number: number, bytes: take(pendingRange, of: address),
          isDiscontinuous: isDiscontinuous, header: header, key: key, isGap: isGap, title: title))
      number += 1
    }

    /// A range without a start follows the last one of the same address (RFC 8216 4.3.2.2).
    private mutating func take(_ range: (count: Int64, start: Int64?)?, of address: WebAddress) -> Range<Int64>? {
      guard let range else {
        rangeEnd = nil
        return nil
      }
      let start = range.start ?? (rangeEnd?.address == address ? rangeEnd?.offset ?? 0 : 0)
      guard start <= SpoolRecord.byteLimit - range.count else { return nil }
      rangeEnd = (address, start + range.count)
      return start..<(start + range.count)
    }

    private mutating func readHeader(_ attributes: [String: String]) {
      let address = attributes["URI"].map { base.resolving(WebAddress($0)) }
      guard let address, address.isHTTP else { return }
      let range = attributes["BYTERANGE"].flatMap { Self.range($0[...]) }
      let start = range?.start ?? 0
      header = Header(
        address: address,
        bytes: range.flatMap { start <= SpoolRecord.byteLimit - $0.count ? start..<(start + $0.count) : nil }, key: key)
    }

    /// One of several alternative keys is enough (RFC 8216 4.3.2.4).
    private mutating func readKey(_ attributes: [String: String]) {
      let method = attributes["METHOD"] ?? "?"
      if method == "NONE" { return key = nil }
      let address = attributes["URI"].map { base.resolving(WebAddress($0)) }
      if method == "AES-128", attributes["KEYFORMAT"] ?? "identity" == "identity", let address, address.isHTTP {
        key = .aes128(address, vector: attributes["IV"].flatMap(Self.vector))
        hasNewKey = true
      } else if !hasNewKey {
        key = .other(attributes["KEYFORMAT"].map { "\(method), \($0)" } ?? method)
      }
    }

    /// 128 bits in hexadecimal digits.
    private static func vector(_ text: String) -> [UInt8]? {
      guard text.lowercased().hasPrefix("0x"), 1...32 ~= text.utf8.count - 2 else { return nil }
      let digits = text.dropFirst(2).map { $0.hexDigitValue.map { UInt8($0) } }
      let padded = [UInt8?](repeating: 0, count: max(0, 32 - digits.count)) + digits
      guard padded.count == 32, padded.allSatisfy({ $0 != nil }) else { return nil }
      let values = padded.compactMap(\.self)
      return stride(from: 0, to: 32, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private func readRendition(_ attributes: [String: String], into playlist: inout HLSPlaylist) {
      guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"] else { return }
      let address = attributes["URI"].map { base.resolving(WebAddress($0)) }
      guard address?.isHTTP != false else { return }
      playlist.renditions.append(
        Rendition(
          group: group, address: address, isDefault: attributes["DEFAULT"] == "YES",
          isAutomatic: attributes["AUTOSELECT"] == "YES"))
    }

    /// `1000@500`: count and start.
    private static func range(_ text: Substring) -> (count: Int64, start: Int64?)? {
      let parts = text.split(separator: "@", omittingEmptySubsequences: false).map { Int64($0) }
      guard let first = parts.first, let count = first, 1...SpoolRecord.byteLimit ~= count, parts.count <= 2 else {
        return nil
      }
      guard parts.count == 2 else { return (count, nil) }
      guard let start = parts[1], start >= 0 else { return nil }
      return (count, start)
    }

    // RFC 8216 4.2: NAME=value or NAME="text, with commas", separated by commas.
    private static func attributes(
      _ text: Substring, _ playlist: inout HLSPlaylist
    ) throws(NetworkError) -> [String: String] {
      var attributes: [String: String] = [:]
      var rest = text
      while let sign = rest.firstIndex(of: "=") {
        let name = rest[..<sign].drop { $0 == "," || $0 == " " }
        rest = rest[rest.index(after: sign)...]
        let isQuoted = rest.first == "\""
        if isQuoted { rest = rest.dropFirst() }
        let value = rest.prefix { $0 != (isQuoted ? "\"" : ",") }
        attributes[String(name)] = try playlist.variables.replace(in: value)
        rest = rest[value.endIndex...].dropFirst(isQuoted ? 1 : 0)
      }
      return attributes
    }
  }
}
