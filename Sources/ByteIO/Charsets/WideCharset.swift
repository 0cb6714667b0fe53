/// The sets of two bytes per character that are guessed.
enum WideCharset: CaseIterable {
  case shiftJIS, eucKR, gbk, big5

  var charset: Charset {
    switch self {
    case .shiftJIS: .shiftJIS
    case .eucKR: .eucKR
    case .gbk: .gbk
    case .big5: .big5
    }
  }

  /// libuchardet's names.
  var names: [String] {
    switch self {
    case .shiftJIS: ["SHIFT_JIS"]
    case .eucKR: ["UHC", "EUC-KR"]
    case .gbk: ["GB18030"]
    case .big5: ["BIG5"]
    }
  }

  /// The share of common characters among those that are not ASCII, 0...1; 0 if the bytes cannot be of this set, or are
  /// too few to tell.
  func share(of texts: [[UInt8]]) -> Double {
    var (common, count, lonelyCount) = (0.0, 0, 0)
    for text in texts {
      var index = 0
      while index < text.count {
        let first = text[index]
        guard first >= 0x80 else {
          index += 1
          continue
        }
        // The last character of a field of fixed length may be cut.
        guard index + 1 < text.count else { break }
        let second = text[index + 1]
        if self == .shiftJIS, 0xa1...0xdf ~= first {
          (count, index) = (count + 1, index + 1)
          continue
        }
        guard second >= 0x40 else { return 0 }
        count += 1
        common += frequency(first, second)
        if second < 0x80, Self.isLonely(text, index) { lonelyCount += 1 }
        index += 2
      }
    }
    // A character with a letter of ASCII as its second byte, alone within letters, is an accented letter of a name.
    return count < 2 || lonelyCount * 10 > count ? 0 : common / Double(count)
  }

  private static func isLonely(_ text: [UInt8], _ index: Int) -> Bool {
    guard index > 0, 0x41...0x5a ~= text[index - 1] & 0xdf, text[index - 1] < 0x80 else { return false }
    let isAfterWide = index > 1 && text[index - 2] >= 0x80
    let isBeforeWide = index + 2 < text.count && text[index + 2] >= 0x80
    return !isAfterWide && !isBeforeWide
  }

  /// 1 for a common character, 0 for a rare one: the standards order characters by their use (JIS X 0208 and GB 2312
  /// have a level 1, Big5 has frequently used characters, KS X 1001 has syllables before Chinese characters).
  private func frequency(_ first: UInt8, _ second: UInt8) -> Double {
    let isCommon =
      switch self {
      case .shiftJIS: 0x81...0x83 ~= first || 0x88...0x97 ~= first || first == 0x98 && second < 0x73
      case .gbk: second >= 0xa1 && (0xa1...0xa3 ~= first || 0xb0...0xd7 ~= first)
      case .big5: 0xa1...0xc6 ~= first
      case .eucKR: second >= 0xa1 && (0xa1...0xa3 ~= first || 0xb0...0xc8 ~= first)
      }
    // Syllables that Windows has added.
    return isCommon ? 1 : self == .eucKR && second < 0xa1 && first <= 0xc6 ? 0.5 : 0
  }
}
