internal import AudioModel

extension Wave64 {
  /// Tags: their number in 32 bits, then for each four characters as in RIFF, the number of bytes, and UTF-16.
  static func tags(inSummaryList content: RawSpan) -> TrackTags {
    var tags = TrackTags()
    var start = 4
    while content.byteCount - start >= 8 {
      let name = FourCharCode(rawValue: content.bigEndian32(at: start)).description.uppercased()
      let end = start + 8 + Int(content.littleEndian32(at: start + 4))
      guard end <= content.byteCount else { break }
      if let name = RIFFInfo.names[name] {
        tags.add(TagText.utf16(content.copy(start + 8..<end)[...], isBigEndian: false).first ?? "", named: name)
      }
      start = end
    }
    return tags
  }
}
