internal import AudioModel

/// FLAC's metadata blocks (RFC 9639 8), read as they come, in FLAC files and in Ogg: their bytes may come in pieces
/// that lie anywhere in the file.
struct FLACMetadata {
  /// The header before each block: last or not, kind, and number of bytes.
  struct BlockHeader {
    static let byteCount = 4
    let isLast: Bool
    let kind: UInt8
    let size: Int

    init(_ bytes: RawSpan) {
      (isLast, kind, size) = (bytes[0] >> 7 == 1, bytes[0] & 0x7f, Int(bytes.bigEndian24(at: 1)))
    }
  }

  private enum Kind {
    static let streamInfo: UInt8 = 0
    static let seekTable: UInt8 = 3
    static let comments: UInt8 = 4
    static let cueSheet: UInt8 = 5
    static let picture: UInt8 = 6
  }

  /// The first block, once it is read.
  private(set) var stream: FLACStreamInfo?
  /// Frames and, from the first FLAC frame on, bytes before some places.
  private var seekPoints: [(frame: Int64, byteOffset: Int64)] = []
  private var comments = VorbisComments()
  private var artwork: [TrackTags.Artwork] = []
  private var cueSheet: CueSheet?

  /// True if the blocks are packets of Ogg.
  private let isPaged: Bool
  private var kind: UInt8 = 127
  /// Bytes of the block, and how many were read.
  private var size = 0
  private var position = 0
  /// The first of them, as many as are looked at in one piece.
  private var head: [UInt8] = []
  private var picture: FLACPicture?

  init(isPaged: Bool = false) { self.isPaged = isPaged }

  /// The speakers of the channels; 0 if unknown.
  var channelMask: UInt32 { comments.channelMask }

  /// The tags of the blocks.
  var tags: TrackTags {
    var tags = comments.tags
    tags.artwork = artwork + tags.artwork
    // One among the comments has titles.
    tags.cueSheet = tags.cueSheet ?? cueSheet
    if tags.chapters.isEmpty { tags.chapters = cueSheet?.chapters ?? [] }
    return tags
  }

  /// The places of packets, if there is a seek table, for `frameCount` frames that begin at `dataOffset`.
  func seekTable(dataOffset: Int64, frameCount: Int64) -> SeekTable? {
    guard let last = seekPoints.last, last.frame > 0, frameCount > 0 else { return nil }
    // After the last point it continues as it did on the whole.
    let average = Double(last.byteOffset) / Double(last.frame)
    let end = (frame: max(frameCount, last.frame + 1), byteOffset: 0 as Int64)
    let endOffset = Double(last.byteOffset) + average * Double(end.frame - last.frame)
    let points =
      [(0, 0)] + seekPoints.map { (Double($0.frame), Double($0.byteOffset)) } + [(Double(end.frame), endOffset)]
    var index = 0
    let stepCount = 100
    return SeekTable(
      byteOffsets: (0...stepCount).map { step in
        let frame = Double(frameCount) * Double(step) / Double(stepCount)
        while index < points.count - 2, points[index + 1].0 <= frame { index += 1 }
        let (start, end) = (points[index], points[index + 1])
        let share = end.0 > start.0 ? (frame - start.0) / (end.0 - start.0) : 0
        return dataOffset + Int64(saturating: start.1 + share * (end.1 - start.1))
      })
  }

  /// The part of a block that is looked at in one piece: larger seek tables and cue sheets are read as far.
  private var headByteCount: Int {
    switch kind {
    case Kind.streamInfo: FLACStreamInfo.byteCount
    case Kind.seekTable, Kind.cueSheet: 0x8000
    case Kind.picture: FLACPicture.headByteCount(head)
    default: 0
    }
  }

  mutating func begin(_ header: BlockHeader) {
    (kind, size, position, picture) = (header.kind, header.size, 0, nil)
    head.removeAll(keepingCapacity: true)
  }

  /// Bytes of the block that are still to be read; the rest can be skipped.
  var wantedByteCount: Int { max(0, min(size, kind == Kind.comments ? size : headByteCount) - position) }

  /// Reads the next bytes of the block, which begin `offset` bytes into the file.
  mutating func read(_ bytes: RawSpan, at offset: Int64) {
    if kind == Kind.comments { comments.read(bytes, at: offset) }
    var start = 0
    while case let missing = min(headByteCount, size) - head.count, missing > 0, start < bytes.byteCount {
      let end = min(start + missing, bytes.byteCount)
      bytes.extracting(start..<end).withUnsafeBytes { head += $0 }
      start = end
      if head.count == min(headByteCount, size) { finishHead() }
    }
    if let picture { place(picture, at: offset) }
    position += bytes.byteCount
  }

  /// Notes where a picture lies if its bytes continue as they do here: in Ogg other things lie between them.
  private mutating func place(_ picture: FLACPicture, at offset: Int64) {
    let last = artwork.count - 1
    if position <= picture.range.lowerBound {
      artwork[last].byteOffset = offset + Int64(picture.range.lowerBound - position)
    }
    if position < picture.range.upperBound {
      let end = offset + Int64(picture.range.upperBound - position)
      artwork[last].byteCount = Int(clamping: end - artwork[last].byteOffset)
    }
  }

  private mutating func finishHead() {
    let head = head
    switch kind {
    case Kind.streamInfo: stream = stream ?? FLACStreamInfo(head.span.bytes)
    case Kind.seekTable: readSeekTable(head.span.bytes)
    case Kind.cueSheet: readCueSheet(head.span.bytes)
    case Kind.picture:
      guard artwork.count < VorbisComments.maximumArtworkCount else { return }
      picture = FLACPicture(head: head.span.bytes, blockByteCount: size)
      if let picture {
        artwork.append(
          TrackTags.Artwork(
            byteOffset: 0, byteCount: 0, mimeType: picture.mimeType, isPaged: isPaged, kind: picture.kind))
      }
    default: break
    }
  }

  // RFC 9639 8.5:  first frame u64, byte offset u64, frames u16; placeholders are all ones.
  private mutating func readSeekTable(_ block: RawSpan) {
    for start in stride(from: 0, through: block.byteCount - 18, by: 18) {
      let point = (frame: block.bigEndian63(at: start), byteOffset: block.bigEndian63(at: start + 8))
      guard let frame = point.frame, let byteOffset = point.byteOffset,
        frame > seekPoints.last?.frame ?? -1, byteOffset >= seekPoints.last?.byteOffset ?? 0
      else { continue }
      seekPoints.append((frame, byteOffset))
    }
  }

  // RFC 9639 8.7:  catalogue number 128, lead-in u64, flags and reserved 259, tracks u8; then for each track:
  //   offset in frames u64, number u8, ISRC 12, flags and reserved 14, index points u8; for each of those
  //     offset from the track's u64, number u8 (1 is where the track begins, 0 the gap before), reserved 3
  private mutating func readCueSheet(_ block: RawSpan) {
    guard let stream, block.byteCount >= 396 else { return }
    var tracks: [CueSheet.Track] = []
    var start = 396
    for _ in 0..<block[395] {
      guard block.byteCount - start >= 36, let frame = block.bigEndian63(at: start) else { break }
      let track = start
      let indexes = stride(from: track + 36, to: track + 36 + 12 * Int(block[track + 35]), by: 12)
      start += 36 + 12 * Int(block[track + 35])
      // 170 and 255 are the lead-out.
      guard block[track + 21] >> 7 == 0, block[track + 8] != 170, block[track + 8] != 255 else { continue }
      let begin = indexes.first { $0 + 12 <= block.byteCount && block[$0 + 8] == 1 }
      var tags = TrackTags()
      tags.trackNumber = Int(block[track + 8])
      let isrc = TagText.unlabelled(block.copy(track + 9..<track + 21))
      tags.isrc = isrc.isEmpty ? nil : isrc
      tracks.append(
        CueSheet.Track(
          file: [],
          start: MediaTime(
            frame + (begin.flatMap { block.bigEndian63(at: $0) } ?? 0),
            timescale: Int64(stream.sampleRate)), tags: tags))
    }
    if !tracks.isEmpty { cueSheet = CueSheet(tracks: tracks) }
  }
}

extension RawSpan {
  /// A number that is not larger than a file can be; `nil` for others.
  fileprivate func bigEndian63(at index: Int) -> Int64? {
    let (high, low) = (bigEndian32(at: index), bigEndian32(at: index + 4))
    return high < 1 << 24 ? Int64(high) << 32 | Int64(low) : nil
  }
}
