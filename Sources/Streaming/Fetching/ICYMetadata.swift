internal import AudioModel
internal import ByteIO

/// A block of metadata in an ICY stream: `StreamTitle='Artist - Title';StreamUrl='…';`, padded with zeros.
///
/// Nothing in it is escaped, so a title may contain apostrophes and semicolons: a value ends at the next key, or at the
/// end of the block.
struct ICYMetadata: Hashable {
  /// The title that is playing, with marks if its encoding is not known; `nil` if the block has none, empty if nothing
  /// plays.
  var title: String?

  /// Reads a block.
  init(_ block: [UInt8]) {
    let text = Array(block.prefix { $0 != 0 })
    title = Self.value(of: "StreamTitle='", in: text).map { Self.title(String(markingCut: Self.trimmed($0))) }
  }

  /// The title as it is shown; empty if it only has the sign between an artist and a title that are not there.
  private static func title(_ text: String) -> String {
    text.visible.flatMap { $0.allSatisfy { $0 == "-" || $0.isWhitespace } ? nil : $0 } ?? ""
  }

  private static func value(of key: StaticString, in text: [UInt8]) -> ArraySlice<UInt8>? {
    guard let start = text.firstRange(of: key, from: 0)?.upperBound else { return nil }
    if let end = keys.compactMap({ text.firstRange(of: $0, from: start)?.lowerBound }).min() {
      return text[start..<end]
    }
    // The quote that ends the block, if present: long blocks are cut at 4080 bytes.
    let end = text[start...].lastIndex { $0 != UInt8(ascii: ";") && $0 > 0x20 } ?? start
    return text[start..<(end < text.count && text[end] == UInt8(ascii: "'") ? end : text.count)]
  }

  /// Keys that may follow a title, with the quote that ends the title.
  private static let keys: [StaticString] = ["';StreamUrl='", "';adw_ad='", "';adId='", "';durationMilliseconds='"]

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = text.drop { $0 <= 0x20 }
    return start.prefix(upTo: start.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start.startIndex)
  }
}

extension [UInt8] {
  /// The first occurrence of `text`, ignoring the case of ASCII letters.
  fileprivate func firstRange(of text: StaticString, from start: Int) -> Range<Int>? {
    let count = text.utf8CodeUnitCount
    guard count <= self.count - start else { return nil }
    return (start...(self.count - count)).first { place in
      text.withUTF8Buffer { text in
        text.indices.allSatisfy { Self.folded(self[place + $0]) == Self.folded(text[$0]) }
      }
    }.map { $0..<($0 + count) }
  }

  private static func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5a ~= byte ? byte | 0x20 : byte }
}
