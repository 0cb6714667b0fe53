internal import AudioModel

/// Tags of RIFF: `LIST` chunks of type `INFO`, and the `bext` chunk of broadcasters (EBU Tech 3285).
enum RIFFInfo {
  /// The tags of the chunks in a list, whose type begins `content`.
  static func tags(in content: RawSpan, _ order: ByteOrder) -> TrackTags {
    let layout = ChunkLayout.padded(order)
    var tags = TrackTags()
    var (position, padding) = (4, 0)
    while let start = layout.start(in: content.extracting(droppingFirst: position), padding: padding) {
      let chunk = layout.chunk(in: content, at: position + start, offset: 0)
      guard chunk.end <= content.byteCount else { break }
      position = Int(chunk.end)
      padding = layout.paddingByteCount(after: chunk.byteCount)
      guard let name = names[chunk.id.description.uppercased()] else { continue }
      tags.add(TagText.unlabelled(content.copy(Int(chunk.contentOffset)..<position)), named: name)
    }
    return tags
  }

  static let names = [
    "INAM": "TITLE", "TITL": "TITLE", "IART": "ARTIST", "IPRD": "ALBUM", "IALB": "ALBUM", "IAAR": "ALBUMARTIST",
    "ICRD": "DATE", "YEAR": "DATE", "IGNR": "GENRE", "GENR": "GENRE", "ICMT": "COMMENT", "COMM": "COMMENT",
    "IMUS": "COMPOSER", "ICOM": "COMPOSER", "ITRK": "TRACK", "IPRT": "TRACK", "TRCK": "TRACK", "IFRM": "TRACKTOTAL",
    "ICOP": "COPYRIGHT", "IDSC": "DISC", "DISC": "DISC", "TPOS": "DISC", "ILYC": "LYRICS", "ILYR": "LYRICS",
    "LYRC": "LYRICS",
  ].merging(TrackTags.Fields.Name.rows(by: \.riff).mapValues { $0.common[0] }) { first, _ in first }

  /// Description 256, originator 32, its reference 32, date 10, time 8...
  static func broadcastTags(in content: RawSpan) -> TrackTags {
    var tags = TrackTags()
    guard content.byteCount >= 338 else { return tags }
    tags.add(TagText.unlabelled(content.copy(0..<256)), named: "COMMENT")
    tags.add(TagText.unlabelled(content.copy(320..<330)), named: "DATE")
    return tags
  }
}
