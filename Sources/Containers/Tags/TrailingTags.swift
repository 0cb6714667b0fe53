internal import AudioModel
internal import ByteIO

/// Finds where the tags at the end of a file begin: APEv2, Lyrics3, ID3v1 and ID3v2 say their size at their end.
enum TrailingTags {
  /// Bytes that suffice to see the end of a tag.
  static let windowByteCount = ID3v1.byteCount

  /// Bytes of the tag that ends with `tail`, the last bytes before some place; `nil` if none does.
  static func byteCount(endingWith tail: RawSpan) -> Int64? {
    let count = tail.byteCount
    if isID3v1(tail) { return Int64(ID3v1.byteCount) }
    if let footer = footer(tail) { return Int64(footer.wholeByteCount) }
    if count >= 15, tail.has("LYRICS200", at: count - 9) {
      let digits = tail.copy(count - 15..<count - 9)
      return Int64(String(decoding: digits, as: UTF8.self)).flatMap { $0 >= 0 ? $0 + 15 : nil }
    }
    if count >= 10, tail.has("3DI", at: count - 10), let size = tail.synchsafe32(at: count - 4) {
      return Int64(size) + 20
    }
    return nil
  }

  private static func isID3v1(_ tail: RawSpan) -> Bool {
    tail.byteCount >= ID3v1.byteCount && ID3v1.isThere(tail, at: tail.byteCount - ID3v1.byteCount)
  }

  /// Bytes of the words that end at `end`: Lyrics3 1.0 has at most 5100 between its marks. `nil` if there are none.
  private static func oldLyrics(
    endingAt end: Int64, of source: any ByteSource, _ tail: RawSpan
  ) throws(ContainerError) -> Int64? {
    guard tail.byteCount >= 9, tail.has("LYRICSEND", at: tail.byteCount - 9) else { return nil }
    let start = max(0, end - 5120)
    let bytes = try source.bytes(at: start, byteCount: Int(end - start))
    let mark = bytes.indices.last { bytes[$0...].starts(with: "LYRICSBEGIN".utf8) }
    return mark.map { Int64(bytes.count - $0) }
  }

  /// Of an APE tag.
  private static func footer(_ tail: RawSpan) -> APEv2Reader.Header? {
    tail.byteCount < 32 ? nil : APEv2Reader.Header(tail.extracting(droppingFirst: tail.byteCount - 32))
  }

  /// The start of the tags at the end of `source`, its end if there are none, and the tags; `nil` if its length is
  /// not known.
  static func read(from source: any ByteSource) throws(ContainerError) -> (start: Int64, tags: TrackTags)? {
    guard var end = source.byteCount else { return nil }
    // The last ID3v1 counts, and any other tag before it.
    var (tags, id3v1) = (TrackTags(), TrackTags())
    let mostTags = 8
    for _ in 0..<mostTags {
      let start = max(0, end - Int64(windowByteCount))
      let tail = try source.bytes(at: start, byteCount: Int(end - start))
      var found = byteCount(endingWith: tail.span.bytes)
      if found == nil { found = try oldLyrics(endingAt: end, of: source, tail.span.bytes) }
      guard let byteCount = found, byteCount <= end else { break }
      end -= byteCount
      var reader = footer(tail.span.bytes).map(TagReader.init(footer:)) ?? TagReader()
      try read(end..<end + byteCount, of: source, with: &reader)
      if !isID3v1(tail.span.bytes) {
        tags = reader.tags.filled(from: tags)
      } else if id3v1 == TrackTags() {
        id3v1 = reader.tags
      }
    }
    return (end, tags.filled(from: id3v1))
  }

  /// The ID3v2 tag that the header of a DSF file points to (DSF File Format Specification 1.01): "DSD ", size u64 of
  /// this chunk, size u64 of the file, place u64 of the tag; little-endian. Empty tags for other sources.
  static func readDSF(from source: any ByteSource) throws(ContainerError) -> TrackTags {
    let header = try source.bytes(at: 0, byteCount: 28)
    guard header.count == 28, header.span.bytes.has("DSD "), let end = source.byteCount,
      let start = Int64(exactly: header.span.bytes.littleEndian64(at: 20)), start >= 28, start < end
    else { return TrackTags() }
    var reader = TagReader()
    try read(start..<end, of: source, with: &reader)
    return reader.tags
  }

  /// The chunk "ID3 " of a DSDIFF file, and the artist and the title in its chunk "DIIN": "DIAR" and "DITI", each a length
  /// in four bytes and a text. Empty tags for other sources.
  ///
  /// Source: DSDIFF 1.5, Edited Master Information Chunk.
  static func readDSDIFF(from source: any ByteSource) throws(ContainerError) -> TrackTags {
    let form = try source.bytes(at: 0, byteCount: 16)
    guard form.count == 16, form.span.bytes.has("FRM8"), form.span.bytes.has("DSD ", at: 12), let end = source.byteCount
    else { return TrackTags() }
    var (reader, edited) = (TagReader(), TrackTags())
    let chunks = try Self.chunks(in: 16..<max(16, end), of: source)
    for chunk in chunks where chunk.name == "ID3 " { try read(chunk.content, of: source, with: &reader) }
    // There is one. In each of many, many chunks could be looked for.
    guard let information = chunks.first(where: { $0.name == "DIIN" }) else { return reader.tags }
    for (name, content) in try Self.chunks(in: information.content, of: source) {
      guard let name = editedNames[name] else { continue }
      let bytes = try source.bytes(at: content.lowerBound, byteCount: min(content.count, usualByteCount))
      guard bytes.count > 4 else { continue }
      let count = min(bytes.count - 4, Int(bytes.span.bytes.bigEndian32(at: 0)))
      edited.add(TagText.unlabelled(Array(bytes[4..<(4 + count)])), named: name)
    }
    return reader.tags.filled(from: edited)
  }

  private static let editedNames = ["DIAR": "ARTIST", "DITI": "TITLE"]

  /// The first chunks of DSDIFF in a part of a file: name, size u64, content, and a zero after an odd size; big-endian.
  private static func chunks(
    in range: Range<Int64>, of source: any ByteSource
  ) throws(ContainerError) -> [(name: String, content: Range<Int64>)] {
    var (chunks, position): ([(name: String, content: Range<Int64>)], Int64) = ([], range.lowerBound)
    let mostChunks = 1000
    while chunks.count < mostChunks, position <= range.upperBound - 12 {
      let header = try source.bytes(at: position, byteCount: 12)
      let start = position + 12
      guard header.count == 12, let size = Int64(exactly: header.span.bytes.bigEndian64(at: 4)),
        size <= range.upperBound - start
      else { break }
      chunks.append((String(decoding: header[..<4], as: UTF8.self), start..<start + size))
      position = start + size + size % 2
    }
    return chunks
  }

  /// Reads the tag that lies at `range`, a window at a time. Its pictures are passed over, however large.
  private static func read(
    _ range: Range<Int64>, of source: any ByteSource, with reader: inout TagReader
  ) throws(ContainerError) {
    var (position, wanted, allowed) = (range.lowerBound, usualByteCount, maximumByteCount)
    while position < range.upperBound, allowed > 0 {
      let count = Int(min(range.upperBound - position, Int64(min(wanted, allowed))))
      let bytes = try source.bytes(at: position, byteCount: count)
      allowed -= count
      let isLast = allowed == 0 || range.upperBound - position == Int64(count) || bytes.count < count
      let (spent, needed) = reader.read(bytes.span.bytes, at: position, isLast: isLast)
      guard spent > 0 || needed > count else { break }
      position += spent
      wanted = max(usualByteCount, needed)
    }
    reader.finish()
  }

  /// Bytes of a window if no field needs more.
  private static let usualByteCount = 0x4000
  /// Bytes of all windows of a tag.
  private static let maximumByteCount = 1 << 20
}
