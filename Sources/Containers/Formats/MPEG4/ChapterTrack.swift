internal import AudioModel

/// QuickTime's chapters: a track of texts that the audio track refers to. The texts lie among the media, so they are
/// read after the audio, and only if the source is seekable.
struct ChapterTrack {
  /// More chapters, or bytes of a title, are not read.
  static let maximumCount = 1024
  static let maximumTitleByteCount = 1024

  let trackID: UInt32
  /// Those whose titles are still to be read, last first.
  private(set) var remaining: [(start: Double, byteOffset: Int64, byteCount: Int)] = []

  private var hasBegun = false

  /// `nil` if the track has no texts, or too many.
  init?(_ track: MovieTrack) {
    trackID = track.id
    let unit = AudioStreamBasicDescription(sampleRate: 0, formatID: .linearPCM, framesPerPacket: 1, channelsPerFrame: 0)
    guard track.isText, track.timescale > 0, 1...Self.maximumCount ~= track.tables.sampleCount else { return nil }
    let texts = track.tables.packetTable(of: unit, framesPerUnit: 1, isFragmented: false)
    let durations = track.tables.durations.lazy.flatMap { repeatElement($0.duration, count: Int($0.sampleCount)) }
    var (cursor, time) = (PacketTable.Cursor(texts), 0.0)
    for duration in durations.prefix(texts.packetCount) {
      let byteCount = min(texts.byteCount(of: cursor.packet), Self.maximumTitleByteCount)
      remaining.append((time / Double(track.timescale), cursor.byteOffset, byteCount))
      time += Double(duration)
      cursor.advance(1, in: texts)
    }
    remaining.reverse()
  }

  /// Reads the next title from the bytes at `offset`, or says where it is; `nil` at the end. The first one replaces
  /// the chapters of `tags`.
  mutating func step(_ bytes: RawSpan, at offset: Int64, isLast: Bool, into tags: inout MovieTags) -> ParserStep? {
    guard let next = remaining.last else { return nil }
    if next.byteOffset != offset { return .needsSeek(to: next.byteOffset) }
    guard bytes.byteCount >= next.byteCount else { return isLast ? nil : .needsBytes(next.byteCount) }
    remaining.removeLast()
    if !hasBegun { tags.removeChapters() }
    hasBegun = true
    // Its size u16, text; boxes may follow.
    if next.byteCount >= 2 {
      let end = min(next.byteCount, 2 + Int(bytes.bigEndian16(at: 0)))
      tags.addChapter(at: next.start, title: TagText.mpeg4(bytes.copy(2..<end)))
    }
    return .found(.metadata, byteCount: Int64(next.byteCount))
  }
}
