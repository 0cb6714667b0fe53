internal import Cells
@_spi(_Unicode) internal import Swift

/// The words of a search, each of which must occur in a row. Case and accents make no difference; `ß` is `ss`.
struct SearchPattern: Sendable, Hashable {
  /// Folded, in UTF-8.
  private let words: [[UInt8]]

  /// Returns `nil` for a text without words.
  init?(_ text: String) {
    words = text.split(whereSeparator: \.isWhitespace).map { folded(String($0)) }.filter { !$0.isEmpty }
    if words.isEmpty { return nil }
  }

  /// True if each word is in one of these fields.
  func matches(_ fields: String?...) -> Bool { matches(fields, name: []) }

  /// True if each word is in one of these fields, or in a name of unknown encoding.
  func matches(_ fields: [String?], name: ArraySlice<UInt8>) -> Bool {
    words.allSatisfy { word in
      occurs(word, in: name.span)
        || fields.contains { field in field.map { occurs(word, in: $0.utf8Span.span) } ?? false }
    }
  }
}

/// True if a word occurs in a text. ASCII, as most text is, is compared in place.
private func occurs(_ word: [UInt8], in text: Span<UInt8>) -> Bool {
  for index in text.indices where text[index] >= 0x80 {
    let bytes = [UInt8](unsafeUninitializedCapacity: text.count) { buffer, count in
      for index in text.indices { buffer.initializeElement(at: index, to: text[index]) }
      count = text.count
    }
    let folded = folded(String(decoding: bytes, as: UTF8.self))
    return isPart(word.span, of: folded.span)
  }
  return isPart(word.span, of: text)
}

/// True if a text contains a folded word, ignoring the case of ASCII letters.
private func isPart(_ word: Span<UInt8>, of text: Span<UInt8>) -> Bool {
  guard word.count <= text.count else { return false }
  for start in 0...(text.count - word.count) where lowercase(text[start]) == word[0] {
    var length = 1
    while length < word.count, lowercase(text[start + length]) == word[length] { length += 1 }
    if length == word.count { return true }
  }
  return false
}

private func lowercase(_ byte: UInt8) -> UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte }

/// Text without case and accents: decomposed, without marks, in lower case.
private func folded(_ text: String) -> [UInt8] {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map(lowercase) }
  var folded = ""
  for scalar in text._nfd where scalar.properties.generalCategory != .nonspacingMark {
    folded += lettersWithoutMarks[scalar] ?? scalar.properties.lowercaseMapping
  }
  return Array(folded.utf8)
}

/// Letters that Unicode does not decompose but people do.
private let lettersWithoutMarks: [Unicode.Scalar: String] = [
  "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d",
  "Đ": "d", "ı": "i",
]
