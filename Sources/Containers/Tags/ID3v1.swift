internal import AudioModel
internal import ByteIO

/// The 128 bytes at the end of a file: "TAG", title 30, artist 30, album 30, year 4, comment 30, genre 1; in 1.1 the
/// comment ends with a zero and the track number.
enum ID3v1 {
  static let byteCount = 128

  /// True if a tag lies at `index`: these letters may also stand in a tag of another kind that ends in the same place.
  static func isThere(_ bytes: RawSpan, at index: Int) -> Bool {
    let end = index + byteCount
    guard end <= bytes.byteCount, bytes.has("TAG", at: index) else { return false }
    let endsOther =
      bytes.has("LYRICS200", at: end - 9) || bytes.has("LYRICSEND", at: end - 9)
      || APEv2Reader.Header(bytes.extracting(end - 32..<end)) != nil
    return !endsOther
  }

  /// The tags; empty fields are absent. Genre 0 of a tag without other fields means nothing.
  static func tags(in bytes: RawSpan) -> TrackTags {
    var tags = TrackTags()
    tags.title = text(bytes, 3, 30)
    tags.artist = text(bytes, 33, 30)
    tags.album = text(bytes, 63, 30)
    tags.date = text(bytes, 93, 4)
    tags.comment = text(bytes, 97, 30)
    if bytes[125] == 0, bytes[126] != 0 { tags.trackNumber = Int(bytes[126]) }
    if bytes[127] != 0 || tags != TrackTags() { tags.genre = ID3Genre.name(Int(bytes[127])) }
    return tags
  }

  private static func text(_ bytes: RawSpan, _ start: Int, _ byteCount: Int) -> String? {
    let content = bytes.copy(start..<start + byteCount).prefix { $0 != 0 }
    let text = content.count == byteCount ? String(markingCut: content) : String(marking: content)
    let trimmed = text.reversed().drop { $0 == " " }.reversed()
    return trimmed.isEmpty ? nil : String(trimmed)
  }
}
