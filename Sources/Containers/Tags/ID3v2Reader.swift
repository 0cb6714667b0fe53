internal import AudioModel

/// One ID3v2 tag, frame by frame: text that is wanted is read, pictures are located, all else is skipped unseen.
///
/// id3.org: ID3v2.2.0, 2.3.0, 2.4.0 structure and frames. Here "frame" is a field of the tag.
struct ID3v2Reader {
  /// The first ten bytes: "ID3", version, revision, flags, size in seven bits per byte.
  struct Header {
    static let byteCount: Int64 = 10
    var version: UInt8
    var flags: UInt8
    /// Bytes that follow, without the footer.
    var bodyByteCount: Int

    init?(_ bytes: RawSpan) {
      guard bytes.byteCount >= 10, bytes.has("ID3"), 2...4 ~= bytes[3], bytes[4] != 0xff,
        let size = bytes.synchsafe32(at: 6)
      else { return nil }
      (version, flags, bodyByteCount) = (bytes[3], bytes[5], size)
    }

    var isUnsynchronised: Bool { flags & 0x80 != 0 }
    var hasExtendedHeader: Bool { version > 2 && flags & 0x40 != 0 }
    /// ID3v2.2 reserved a flag for compressed tags and never defined it.
    var isUnreadable: Bool { version == 2 && flags & 0x40 != 0 }
    var footerByteCount: Int { version == 4 && flags & 0x10 != 0 ? 10 : 0 }
  }

  /// Longer texts are skipped.
  static let maximumTextByteCount = 0x10000

  private let header: Header
  private var fields: ID3Fields
  /// Bytes of the body that are still to come.
  private var remaining: Int
  /// Of a field that is skipped, bytes that are still to come: before unsynchronisation where that is for the tag.
  private var skipping = 0
  /// In 2.4, the additional bytes if no field begins there: its size may have been written with eight bits per byte.
  private var doubtful = 0
  /// The picture that is being skipped; where it ends is not known yet.
  private var picture: TrackTags.Artwork?
  private var isAtExtendedHeader: Bool
  private(set) var isDone = false

  init(_ header: Header) {
    self.header = header
    fields = ID3Fields(version: header.version)
    remaining = header.bodyByteCount
    isAtExtendedHeader = header.hasExtendedHeader
  }

  /// The tags; complete when `isDone`.
  var tags: TrackTags { fields.tags }
  /// The first and last frames of an MP3, as iTunes says.
  var gapless: GaplessInformation? { fields.gapless }

  /// Looks at bytes that begin where the last step ended, after the header at first, `offset` bytes into the file.
  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep {
    switch advance(bytes.byteCount > remaining ? bytes.extracting(first: remaining) : bytes, at: offset) {
    case .spent(let byteCount):
      remaining -= byteCount
      return .found(.metadata, byteCount: Int64(byteCount))
    case .needs(let count) where count <= remaining && !isLast:
      return .needsBytes(count)
    case .needs, .end:
      isDone = true
      return .found(.metadata, byteCount: Int64(remaining + header.footerByteCount))
    }
  }

  private enum Advance {
    case spent(Int)
    case needs(Int)
    case end
  }

  private mutating func advance(_ body: RawSpan, at offset: Int64) -> Advance {
    if header.isUnreadable { return .end }
    if skipping > 0 { return skip(body) }
    if doubtful > 0 {
      let lookahead = min(4, remaining)
      guard body.byteCount >= lookahead else { return .needs(lookahead) }
      if !FieldHeader.canBegin(body, at: 0) { skipping = doubtful }
      doubtful = 0
      if skipping > 0 { return skip(body) }
    }
    finishPicture(at: offset)
    if isAtExtendedHeader { return passExtendedHeader(body) }
    guard remaining >= FieldHeader.byteCount(header.version) else { return .end }
    guard let (raw, start) = read(FieldHeader.byteCount(header.version), of: body) else {
      return needs(FieldHeader.byteCount(header.version), body)
    }
    guard let field = FieldHeader(raw.span.bytes, version: header.version), field.byteCount <= remaining - start else {
      return .end
    }
    let name = field.isReadable ? ID3Fields.Name(field.id) : nil
    switch name {
    case .picture, .chapter: return readHead(of: field, name, body, from: start, at: offset)
    case let name? where field.byteCount <= Self.maximumTextByteCount: return read(field, name, body, from: start)
    default:
      pass(field, from: 0, room: remaining - start)
      return .spent(start)
    }
  }

  /// Prepares to skip the rest of a field.
  private mutating func pass(_ field: FieldHeader, from start: Int, room: Int) {
    skipping = field.byteCount - start
    if let other = field.plainByteCount, other <= room { doubtful = other - field.byteCount }
  }

  /// Reads how a field of any size begins: a picture's description, a chapter's times and title.
  private mutating func readHead(
    of field: FieldHeader, _ name: ID3Fields.Name?, _ body: RawSpan, from start: Int, at offset: Int64
  ) -> Advance {
    let byteCount = min(field.byteCount, Self.maximumHeadByteCount)
    guard let (content, end) = read(byteCount, of: body, from: start) else { return needs(start + byteCount, body) }
    let payload = field.payload(of: content, in: header)
    if name == .chapter {
      fields.addChapter(payload, version: header.version)
    } else if let found = ID3Picture(payload, version: header.version) {
      // The start in the file, if bytes were put between those that count.
      let isUnsynchronised = isUnsynchronisedAsAWhole || field.isUnsynchronised(in: header)
      let raw =
        isUnsynchronised
        ? Unsynchronisation.pass(found.start, of: body.extracting(droppingFirst: start)).raw : found.start
      picture = TrackTags.Artwork(
        byteOffset: offset + Int64(start + raw), byteCount: 0, mimeType: found.mimeType,
        isUnsynchronised: isUnsynchronised, kind: found.kind)
    }
    pass(field, from: byteCount, room: remaining - start)
    return .spent(end)
  }

  /// The part of a picture or chapter that is read.
  private static let maximumHeadByteCount = 0x1000

  /// The skipped bytes end at `offset`.
  private mutating func finishPicture(at offset: Int64) {
    guard var picture else { return }
    self.picture = nil
    picture.byteCount = Int(clamping: offset - picture.byteOffset)
    fields.addArtwork(picture)
  }

  private mutating func read(_ field: FieldHeader, _ name: ID3Fields.Name, _ body: RawSpan, from start: Int) -> Advance
  {
    var byteCount = field.byteCount
    if let other = field.plainByteCount, other <= Self.maximumTextByteCount, other <= remaining - start {
      // Some programs write 2.4 sizes with eight bits per byte: see at which of the two ends the next field begins.
      let next = start + byteCount
      let lookahead = min(next + 4, remaining)
      guard body.byteCount >= lookahead else { return .needs(lookahead) }
      if !FieldHeader.canBegin(body, at: next) { byteCount = other }
    }
    guard let (content, end) = read(byteCount, of: body, from: start) else { return needs(start + byteCount, body) }
    fields.add(name, field.payload(of: content, in: header))
    return .spent(end)
  }

  private mutating func skip(_ body: RawSpan) -> Advance {
    guard isUnsynchronisedAsAWhole else {
      defer { skipping = 0 }
      return .spent(skipping)
    }
    let (plain, raw) = Unsynchronisation.pass(skipping, of: body)
    skipping -= plain
    return raw > 0 ? .spent(raw) : needs(2, body)
  }

  // 2.3: size without itself; 2.4: size with itself, seven bits per byte.
  private mutating func passExtendedHeader(_ body: RawSpan) -> Advance {
    guard let (raw, start) = read(4, of: body) else { return needs(4, body) }
    isAtExtendedHeader = false
    let plain = Int(raw.span.bytes.bigEndian32(at: 0))
    skipping = header.version == 3 ? plain : max(4, raw.span.bytes.synchsafe32(at: 0) ?? plain) - 4
    return skipping <= remaining - start ? .spent(start) : .end
  }

  /// Until 2.3 the whole tag, sizes counting without; in 2.4 each field by itself.
  private var isUnsynchronisedAsAWhole: Bool { header.isUnsynchronised && header.version < 4 }

  /// `count` bytes from `start` on, and where the next begin; `nil` if they are not all there.
  private func read(_ count: Int, of body: RawSpan, from start: Int = 0) -> (bytes: [UInt8], end: Int)? {
    guard body.byteCount - start >= count else { return nil }
    guard isUnsynchronisedAsAWhole else { return (body.copy(start..<start + count), start + count) }
    let rest = body.extracting(droppingFirst: start)
    let (plain, raw) = Unsynchronisation.pass(count, of: rest)
    return plain < count ? nil : (Unsynchronisation.undone(rest.copy(0..<raw)), start + raw)
  }

  /// The next size to try: `count`, or twice as much if it is unknown.
  private func needs(_ count: Int, _ body: RawSpan) -> Advance {
    if body.byteCount >= remaining { return .end }
    return .needs(isUnsynchronisedAsAWhole ? min(remaining, max(count, body.byteCount * 2 + 1)) : count)
  }
}
