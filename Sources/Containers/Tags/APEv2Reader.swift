internal import AudioModel

/// One APE tag, item by item: text that is wanted is read, pictures are located, all else is skipped unseen.
///
/// Items: size u32, flags u32 (bits 1-2: 0 is UTF-8 text, 1 is binary), key, zero, value. All little-endian.
struct APEv2Reader {
  /// The 32 bytes before the items and after them: "APETAGEX", version, size, items, flags.
  struct Header {
    static let byteCount: Int64 = 32
    /// Bytes of items and footer.
    private let size: Int
    private let flags: UInt32

    init?(_ bytes: RawSpan) {
      guard bytes.byteCount >= 32, bytes.has("APETAGEX") else { return nil }
      let version = bytes.littleEndian32(at: 8)
      (size, flags) = (Int(bytes.littleEndian32(at: 12)), bytes.littleEndian32(at: 20))
      guard version == 1000 || version == 2000, size >= 32, size <= APEv2Reader.maximumByteCount else { return nil }
    }

    /// Bytes that follow: none if this is the footer.
    var bodyByteCount: Int { isHeader ? size : 0 }
    /// Read as the footer of a tag that has no header: bytes of items and footer.
    var headlessByteCount: Int? { flags & 0x8000_0000 == 0 ? size : nil }
    /// Read as a footer: bytes of the whole tag up to its end.
    var wholeByteCount: Int { size + (flags & 0x8000_0000 != 0 ? 32 : 0) }
    private var isHeader: Bool { flags & 0x2000_0000 != 0 }
  }

  /// Larger tags are treated as noise.
  static let maximumByteCount = 1 << 28
  /// Longer texts are skipped.
  static let maximumTextByteCount = 0x10000

  private(set) var tags = TrackTags()
  private(set) var isDone = false
  private var remaining: Int

  /// Reads after a header, or items without a header.
  init(byteCount: Int) { remaining = byteCount }

  /// Looks at bytes that begin where the last step ended, after the header at first, `offset` bytes into the file.
  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    let body = bytes.byteCount > remaining ? bytes.extracting(first: remaining) : bytes
    let footerByteCount = 32
    let lookahead = min(remaining, 8 + Self.maximumKeyByteCount + 1)
    guard remaining > footerByteCount, let item = item(body, isWhole: body.byteCount >= lookahead || isLast) else {
      if remaining > footerByteCount, body.byteCount < lookahead, !isLast { return .needsBytes(lookahead) }
      isDone = true
      return .found(.metadata, byteCount: Int64(remaining))
    }
    let end = item.valueStart + item.valueByteCount
    guard end <= remaining - footerByteCount else {
      isDone = true
      return .found(.metadata, byteCount: Int64(remaining))
    }
    if item.isText, item.valueByteCount <= Self.maximumTextByteCount {
      guard body.byteCount >= end else {
        if !isLast { return .needsBytes(end) }
        isDone = true
        return .found(.metadata, byteCount: Int64(remaining))
      }
      add(item.key, body.copy(item.valueStart..<end))
    } else if item.isPicture {
      let head = min(end, item.valueStart + Self.maximumNameByteCount)
      guard body.byteCount >= head || isLast else { return .needsBytes(head) }
      let bytes = body.copy(item.valueStart..<max(item.valueStart, min(head, body.byteCount)))
      addPicture(bytes, byteCount: item.valueByteCount, at: offset + Int64(item.valueStart), kind: item.pictureKind)
    }
    remaining -= end
    return .found(.metadata, byteCount: Int64(end))
  }

  private struct Item {
    var key: String
    var valueStart: Int
    var valueByteCount: Int
    /// Bits 1 and 2 of its flags.
    var kind: UInt32
    var isText: Bool { kind == 0 }
    var isPicture: Bool { kind == 2 && key.lowercased().hasPrefix("cover art") }
    var pictureKind: TrackTags.Artwork.Kind {
      let name = key.lowercased()
      return name.contains("front") ? .frontCover : name.contains("icon") ? .icon : .other
    }
  }

  private static let maximumKeyByteCount = 255

  private func item(_ body: RawSpan, isWhole: Bool) -> Item? {
    guard isWhole, body.byteCount > 8 else { return nil }
    guard let keyEnd = (8..<min(body.byteCount, 8 + Self.maximumKeyByteCount + 1)).first(where: { body[$0] == 0 })
    else {
      return nil
    }
    return Item(
      key: TagText.latin1(body.copy(8..<keyEnd)), valueStart: keyEnd + 1,
      valueByteCount: Int(body.littleEndian32(at: 0)), kind: body.littleEndian32(at: 4) & 6)
  }

  private mutating func add(_ key: String, _ value: [UInt8]) {
    let values = value.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    tags.add(values, named: key)
  }

  /// A file's name, zero, the picture; `head` is how it begins.
  private mutating func addPicture(
    _ head: [UInt8], byteCount: Int, at offset: Int64, kind: TrackTags.Artwork.Kind
  ) {
    guard let end = head.firstIndex(of: 0), end + 1 < byteCount, tags.artwork.count < Self.maximumArtworkCount else {
      return
    }
    let isPNG = TagText.latin1(head[..<end]).lowercased().hasSuffix(".png")
    tags.artwork.append(
      TrackTags.Artwork(
        byteOffset: offset + Int64(end + 1), byteCount: byteCount - end - 1,
        mimeType: isPNG || head[(end + 1)...].starts(with: [0x89, 0x50, 0x4e, 0x47]) ? "image/png" : "image/jpeg",
        kind: kind))
  }

  private static let maximumNameByteCount = 0x100
  private static let maximumArtworkCount = 64
}
