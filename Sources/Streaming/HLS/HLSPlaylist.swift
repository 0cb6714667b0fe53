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
    /// Which audio renditions belong to it.
    var audioGroup: String?
  }

  /// Audio that belongs to variants.
  struct Rendition: Hashable {
    var group: String
    /// `nil`: it is in the variant itself.
    var address: WebAddress?
    var isDefault: Bool
  }

  /// A piece.
  struct Segment: Hashable {
    var address: WebAddress
    var seconds: Double
    /// Its number among all of the stream.
    var number: Int
    /// Which bytes of the address; `nil` for all.
    var bytes: Range<Int64>?
    /// Whether it does not follow the one before: another encoding may begin.
    var isDiscontinuous = false
    /// What must be read before it: the header of fragmented MPEG-4.
    var header: Header?
    /// Whether it is encrypted, which cannot be read here.
    var isEncrypted = false
    var title: String?
  }

  /// EXT-X-MAP.
  struct Header: Hashable {
    var address: WebAddress
    var bytes: Range<Int64>?
  }

  var variants: [Variant] = []
  var renditions: [Rendition] = []
  var segments: [Segment] = []
  /// Seconds that no segment exceeds: how often it is worth asking again.
  var targetSeconds: Double?
  /// Whether no segments will be added.
  var hasEnd = false

  /// Reads a playlist that lies at `base`; `nil` if it is none.
  init?(_ text: String, at base: WebAddress) {
    var lines = text.split(whereSeparator: \.isNewline)[...]
    guard let first = lines.popFirst(), first.drop(while: { $0 == "\u{feff}" }).hasPrefix("#EXTM3U") else { return nil }
    var reader = Reader(base: base)
    for line in lines { reader.read(line, into: &self) }
    guard !variants.isEmpty || !segments.isEmpty || targetSeconds != nil else { return nil }
  }

  /// What was said of the segment or variant to come.
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
    var isEncrypted = false
    var number = 0
    var variant: [String: String]?

    mutating func read(_ line: Substring, into playlist: inout HLSPlaylist) {
      guard line.hasPrefix("#") else { return readAddress(line, into: &playlist) }
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count > 1 ? parts[1] : ""
      switch parts[0] {
      case "#EXTINF":
        let parts = value.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        seconds = parts.first.flatMap { Double($0) }.flatMap { $0 >= 0 && $0 < 1e6 ? $0 : nil }
        title = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
      case "#EXT-X-BYTERANGE": pendingRange = Self.range(value)
      case "#EXT-X-DISCONTINUITY": isDiscontinuous = true
      case "#EXT-X-ENDLIST": playlist.hasEnd = true
      case "#EXT-X-TARGETDURATION": playlist.targetSeconds = Double(value).flatMap { $0 > 0 && $0 < 1e6 ? $0 : nil }
      case "#EXT-X-MEDIA-SEQUENCE": number = Int(value).flatMap { 0..<(1 << 53) ~= $0 ? $0 : nil } ?? 0
      case "#EXT-X-KEY": isEncrypted = Self.attributes(value)["METHOD"] != "NONE"
      case "#EXT-X-MAP": readHeader(Self.attributes(value))
      case "#EXT-X-STREAM-INF": variant = Self.attributes(value)
      case "#EXT-X-MEDIA": readRendition(Self.attributes(value), into: &playlist)
      default: break
      }
    }

    private mutating func readAddress(_ line: Substring, into playlist: inout HLSPlaylist) {
      guard line.contains(where: { !$0.isWhitespace }) else { return }
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
      defer { (seconds, title, pendingRange, isDiscontinuous) = (nil, nil, nil, false) }
      guard let seconds, address.isHTTP else { return }
      playlist.segments.append(
        Segment(
          address: address, seconds: seconds, number: number, bytes: take(pendingRange, of: address),
          isDiscontinuous: isDiscontinuous, header: header, isEncrypted: isEncrypted, title: title))
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
        address: address, bytes: range.flatMap { start <= .max - $0.count ? start..<(start + $0.count) : nil })
    }

    private func readRendition(_ attributes: [String: String], into playlist: inout HLSPlaylist) {
      guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"] else { return }
      let address = attributes["URI"].map { base.resolving(WebAddress($0)) }
      guard address?.isHTTP != false else { return }
      playlist.renditions.append(Rendition(group: group, address: address, isDefault: attributes["DEFAULT"] == "YES"))
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
