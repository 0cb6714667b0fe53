internal import AudioModel

/// Tags of CAF: the `info` chunk, a number and pairs of strings in UTF-8 that end with zeros.
enum CAFInformation {
  static func tags(_ content: RawSpan) -> TrackTags {
    var tags = TrackTags()
    guard content.byteCount > 4 else { return tags }
    let strings = content.copy(4..<content.byteCount).split(separator: 0, omittingEmptySubsequences: false)
    for index in stride(from: 0, to: strings.count - 1, by: 2) {
      let key = TagText.unlabelled(Array(strings[index])).lowercased()
      tags.add(TagText.unlabelled(Array(strings[index + 1])), named: names[key] ?? key)
    }
    return tags
  }

  /// Names that Apple uses alone.
  private static let names = ["track number": "TRACK", "recorded date": "DATE", "comments": "COMMENT"]
}
