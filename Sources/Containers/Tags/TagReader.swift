internal import AudioModel

/// Reads the tags that may stand before, between and after packets of any format: ID3v2, APEv2, Lyrics3, ID3v1.
struct TagReader {
  /// The tags so far; the first to name a value wins, and ID3v1 fills the gaps.
  var tags: TrackTags { fields.filled(from: id3v1) }
  private var fields = TrackTags()
  /// The last tag of this kind.
  private var id3v1 = TrackTags()
  /// The first and last frames of an MP3, as iTunes says.
  private(set) var gapless: GaplessInformation?
  private var state = State.idle
  /// Size of the whole stream, if known: a tag that claims to end past it is ignored.
  private let totalByteCount: Int64?

  private enum State {
    case idle
    case id3v2(ID3v2Reader)
    case ape(APEv2Reader)
    case lyrics3(skippedByteCount: Int)
  }

  init(totalByteCount: Int64? = nil) { self.totalByteCount = totalByteCount }

  /// Reads the items of an APE tag that has only a footer.
  init(footer: APEv2Reader.Header) {
    self.init()
    if let byteCount = footer.headlessByteCount { state = .ape(APEv2Reader(byteCount: byteCount)) }
  }

  /// True if a tag begins somewhere.
  enum Start: Equatable {
    case yes
    case no
    /// More bytes are needed to decide.
    case needsBytes(Int)
  }

  /// True if a tag begins at `index`. ID3v1 has a weak mark: with `onlyAtEnd` it counts only where the stream ends
  /// after it.
  static func start(in bytes: RawSpan, at index: Int = 0, isLast: Bool, onlyAtEnd: Bool = false) -> Start {
    let rest = bytes.byteCount - index
    func with(_ byteCount: Int, _ isTag: () -> Bool) -> Start {
      rest >= byteCount ? (isTag() ? .yes : .no) : isLast ? .no : .needsBytes(byteCount)
    }
    guard rest > 0 else { return isLast ? .no : .needsBytes(1) }
    switch bytes[index] {
    case UInt8(ascii: "I"):
      return with(3) { bytes.has("ID3", at: index) } == .no
        ? .no : with(10) { ID3v2Reader.Header(bytes.extracting(droppingFirst: index)) != nil }
    case UInt8(ascii: "A"):
      return with(8) { bytes.has("APETAGEX", at: index) } == .no
        ? .no : with(32) { APEv2Reader.Header(bytes.extracting(droppingFirst: index)) != nil }
    case UInt8(ascii: "L"):
      return with(11) { bytes.has("LYRICSBEGIN", at: index) }
    case UInt8(ascii: "T"):
      guard with(3, { bytes.has("TAG", at: index) }) != .no else { return .no }
      guard onlyAtEnd else { return with(ID3v1.byteCount) { ID3v1.isThere(bytes, at: index) } }
      if isLast { return rest == ID3v1.byteCount && ID3v1.isThere(bytes, at: index) ? .yes : .no }
      return rest > ID3v1.byteCount ? .no : .needsBytes(ID3v1.byteCount + 1)
    default:
      return .no
    }
  }

  /// Continues with a tag, or begins with one; `nil` if none is. Never `endOfStream`.
  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> ParserStep? {
    switch state {
    case .idle:
      switch Self.start(in: bytes, isLast: isLast) {
      case .no: return nil
      case .needsBytes(let count): return .needsBytes(count)
      case .yes: return begin(bytes, remainingByteCount: totalByteCount.map { $0 - offset } ?? .max)
      }
    case .id3v2(var reader):
      state = .idle  // Or the reader's storage would be shared.
      let step = reader.step(bytes, at: offset, isLast: isLast)
      if reader.isDone {
        fields.fill(from: reader.tags)
        gapless = gapless ?? reader.gapless
      } else {
        state = .id3v2(reader)
      }
      return step
    case .ape(var reader):
      state = .idle
      let step = reader.step(bytes, at: offset, isLast: isLast)
      if reader.isDone { fields.fill(from: reader.tags) } else { state = .ape(reader) }
      return step
    case .lyrics3(let skipped):
      return skipLyrics(bytes, isLast: isLast, skipped: skipped)
    }
  }

  /// Reads the tags in `bytes`, which begin at `offset`. Returns how many bytes are spent, which may be more than there
  /// are, and how many it takes to go on from there.
  mutating func read(
    _ bytes: RawSpan, at offset: Int64, isLast: Bool
  ) -> (spentByteCount: Int64, neededByteCount: Int) {
    var spent: Int64 = 0
    while spent < Int64(bytes.byteCount) {
      switch step(bytes.extracting(droppingFirst: Int(spent)), at: offset + spent, isLast: isLast) {
      case .found(_, let byteCount)?: spent += byteCount
      case .needsBytes(let count)?: return (spent, count)
      default: return (spent, 0)
      }
    }
    return (spent, 0)
  }

  /// Takes what is known of a tag that was not read to its end.
  mutating func finish() {
    switch state {
    case .id3v2(let reader): fields.fill(from: reader.tags)
    case .ape(let reader): fields.fill(from: reader.tags)
    case .idle, .lyrics3: break
    }
    state = .idle
  }

  private mutating func begin(_ bytes: RawSpan, remainingByteCount: Int64) -> ParserStep {
    if let header = ID3v2Reader.Header(bytes) {
      let isThere = Int64(header.bodyByteCount) <= remainingByteCount - ID3v2Reader.Header.byteCount
      if isThere { state = .id3v2(ID3v2Reader(header)) }
      return .found(.metadata, byteCount: ID3v2Reader.Header.byteCount)
    }
    if let header = APEv2Reader.Header(bytes) {
      let isThere = Int64(header.bodyByteCount) <= remainingByteCount - APEv2Reader.Header.byteCount
      if header.bodyByteCount > 0, isThere { state = .ape(APEv2Reader(byteCount: header.bodyByteCount)) }
      return .found(.metadata, byteCount: APEv2Reader.Header.byteCount)
    }
    if bytes.has("LYRICSBEGIN") {
      state = .lyrics3(skippedByteCount: 0)
      return .found(.metadata, byteCount: 11)
    }
    let old = ID3v1.tags(in: bytes)
    if old != TrackTags() { id3v1 = old }
    return .found(.metadata, byteCount: Int64(ID3v1.byteCount))
  }

  /// Lyrics3 says its length only at its end: ends with "LYRICSEND" or "LYRICS200".
  private mutating func skipLyrics(_ bytes: RawSpan, isLast: Bool, skipped: Int) -> ParserStep? {
    let endMark = 9
    if bytes.byteCount >= endMark {
      for index in 0...(bytes.byteCount - endMark)
      where bytes.has("LYRICSEND", at: index) || bytes.has("LYRICS200", at: index) {
        state = .idle
        return .found(.metadata, byteCount: Int64(index + endMark))
      }
    }
    let spent = isLast ? bytes.byteCount : bytes.byteCount - endMark + 1
    guard spent > 0 else { return isLast ? nil : .needsBytes(endMark) }
    state =
      skipped + spent > Self.maximumLyricsByteCount || isLast ? .idle : .lyrics3(skippedByteCount: skipped + spent)
    return .found(.metadata, byteCount: Int64(spent))
  }

  /// Lyrics3 v2 has six digits for its size.
  private static let maximumLyricsByteCount = 999_999
}
