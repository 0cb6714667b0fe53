internal import ByteIO

/// A playlist of HTTP live streaming (RFC 8216): either of streams to choose from, or of the pieces of one. Pure; tags
/// that are not known, or make no sense, are passed over.
struct HLSPlaylist: Hashable {
  /// A stream to choose.
  struct Variant: Hashable {
    var address: WebAddress
    /// Bits in a second at the most.
    var bandwidth: Int
    /// `mp4a.40.2`, for instance.
    var codecs: [String]
    /// The group of audio renditions that belongs to it.
    var audioGroup: String?
  }

  /// Audio that belongs to variants.
  struct Rendition: Hashable {
    var group: String
    /// `nil`: it is in the variant itself.
    var address: WebAddress?
    var isDefault: Bool
    /// Whether it may be chosen without being asked for.
    var isAutomatic = false
  }

  /// A piece.
  struct Segment: Hashable {
    var address: WebAddress
    var seconds: Double
    /// Its number among all of the stream.
    var number: Int
    /// The bytes at the address; nil for all.
    var bytes: Range<Int64>?
    /// Whether it does not follow the one before: another encoding may begin.
    var isDiscontinuous = false
    /// The header of fragmented MPEG-4, which must be read before it.
    var header: Header?
    /// The key of an encrypted segment.
    var key: Key?
    /// Whether there is nothing at its address, as the playlist itself says.
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
    /// AES-128 in CBC; without a vector the number of the segment is it.
    case aes128(WebAddress, vector: [UInt8]?)
    /// Something that cannot be read here: `SAMPLE-AES`.
    case other(String)
  }

  var variants: [Variant] = []
  var renditions: [Rendition] = []
  var segments: [Segment] = []
  /// Seconds that no segment exceeds: how often it is worth asking again.
  var targetSeconds: Double?
  /// Whether no segments will be added.
  var hasEnd = false
  /// Where to begin, in seconds from the start, or, if negative, from the end.
  var startOffset: Double?

  /// Whether bytes begin one, and not a list of things to play.
  static func begins(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.drop { $0 == "\u{feff}" }.hasPrefix("#EXTM3U") && text.contains("#EXT-X-")
  }

  /// Reads a playlist that lies at `base`; `nil` if it is none.
  init?(_ text: String, at base: WebAddress) {
    var lines = text.split(whereSeparator: \.isNewline)[...]
    guard let first = lines.popFirst(), first.drop(while: { $0 == "\u{feff}" }).hasPrefix("#EXTM3U") else { return nil }
    var reader = Reader(base: base)
    for line in lines { reader.read(line, into: &self) }
    guard !variants.isEmpty || !segments.isEmpty || targetSeconds != nil else { return nil }
  }

  /// Attributes of the segment or variant to come.
  private struct Reader {
    let base: WebAddress
    var seconds: Double?
    var title: String?
    var bytes: Range<Int64>?
    /// Where the last range ended, for those that do not say where they begin.
    var rangeEnd: (address: WebAddress, offset: Int64)?
    var pendingRange: (count: Int64, start: Int64?)?
    var isDiscontinuous = false
    var header: Header?
    var isGap = false
    var key: Key?
    /// Whether a way to read what follows has been told since the last segment: others are for others.
    var hasNewKey = false
    var number = 0
    var variant: [String: String]?

    mutating func read(_ line: Substring, into playlist: inout HLSPlaylist) {
      // Some write blanks around what they say.
      let line = line.withoutBlanks
      guard line.hasPrefix("#") else { return readAddress(line, into: &playlist) }
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count > 1 ? parts[1].withoutBlanks : ""
      switch parts[0] {
      case "#EXTINF":
        let parts = value.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        seconds = parts.first.flatMap { Double($0.withoutBlanks) }.flatMap { $0 >= 0 && $0 < 1e6 ? $0 : nil }
        title = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
      case "#EXT-X-BYTERANGE": pendingRange = Self.range(value)
      case "#EXT-X-DISCONTINUITY": isDiscontinuous = true
      case "#EXT-X-ENDLIST": playlist.hasEnd = true
      case "#EXT-X-TARGETDURATION": playlist.targetSeconds = Double(value).flatMap { $0 > 0 && $0 < 1e6 ? $0 : nil }
      case "#EXT-X-MEDIA-SEQUENCE": number = Int(value).flatMap { 0..<(1 << 53) ~= $0 ? $0 : nil } ?? 0
      case "#EXT-X-GAP": isGap = true
      case "#EXT-X-START": playlist.startOffset = Double(Self.attributes(value)["TIME-OFFSET"] ?? "")
      case "#EXT-X-KEY": readKey(Self.attributes(value))
      case "#EXT-X-MAP": readHeader(Self.attributes(value))
      case "#EXT-X-STREAM-INF": variant = Self.attributes(value)
      case "#EXT-X-MEDIA": readRendition(Self.attributes(value), into: &playlist)
      default: break
      }
    }

    private mutating func readAddress(_ line: Substring, into playlist: inout HLSPlaylist) {
      guard !line.isEmpty else { return }
      let address = base.resolving(WebAddress(String(line)))
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
      let (end, overflows) = start.addingReportingOverflow(range.count)
      guard !overflows else { return nil }
      rangeEnd = (address, end)
      return start..<end
    }

    private mutating func readHeader(_ attributes: [String: String]) {
      let address = attributes["URI"].map { base.resolving(WebAddress($0)) }
      guard let address, address.isHTTP else { return }
      let range = attributes["BYTERANGE"].flatMap { Self.range($0[...]) }
      let start = range?.start ?? 0
      header = Header(
        address: address, bytes: range.flatMap { start <= .max - $0.count ? start..<(start + $0.count) : nil }, key: key
      )
    }

    /// Of several ways to read the same one is enough (RFC 8216 4.3.2.4).
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
      guard let first = parts.first, let count = first, count > 0, parts.count <= 2 else { return nil }
      guard parts.count == 2 else { return (count, nil) }
      guard let start = parts[1], start >= 0 else { return nil }
      return (count, start)
    }

    // RFC 8216 4.2: NAME=value or NAME="text, with commas", apart by commas.
    private static func attributes(_ text: Substring) -> [String: String] {
      var attributes: [String: String] = [:]
      var rest = text
      while let sign = rest.firstIndex(of: "=") {
        let name = rest[..<sign].drop { $0 == "," || $0 == " " }
        rest = rest[rest.index(after: sign)...]
        let isQuoted = rest.first == "\""
        if isQuoted { rest = rest.dropFirst() }
        let value = rest.prefix { $0 != (isQuoted ? "\"" : ",") }
        attributes[String(name)] = String(value)
        rest = rest[value.endIndex...].dropFirst(isQuoted ? 1 : 0)
      }
      return attributes
    }
  }
}

extension Substring {
  /// Without the blanks at both ends.
  fileprivate var withoutBlanks: Substring {
    let start = drop { $0.isWhitespace }
    return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
  }
}
