internal import AudioModel

/// The 128 bytes at the end of a file: "TAG", title 30, artist 30, album 30, year 4, comment 30, genre 1; in 1.1 the
/// comment ends with a zero and the track number.
enum ID3v1 {
  static let byteCount = 128

  /// The tags; empty fields are absent.
  static func tags(in bytes: RawSpan) -> TrackTags {
    var tags = TrackTags()
    tags.title = text(bytes, 3, 30)
    tags.artist = text(bytes, 33, 30)
    tags.album = text(bytes, 63, 30)
    tags.date = text(bytes, 93, 4)
    tags.comment = text(bytes, 97, 30)
    if bytes[125] == 0, bytes[126] != 0 { tags.trackNumber = Int(bytes[126]) }
    tags.genre = ID3Genre.name(Int(bytes[127]))
    return tags
  }

  private static func text(_ bytes: RawSpan, _ start: Int, _ byteCount: Int) -> String? {
    let text = TagText.latin1(bytes.copy(start..<start + byteCount).prefix { $0 != 0 })
    let trimmed = text.reversed().drop { $0 == " " }.reversed()
    return trimmed.isEmpty ? nil : String(trimmed)
  }
}
