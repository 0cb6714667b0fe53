extension Typography {
  /// True if terminals disagree on the width of a character that is shown.
  ///
  /// Spacing marks (Hindi, Tamil, Bengali), letters that join into one (conjuncts), and fillers are counted one by one,
  /// as one, or not at all; scalars that are newer than the C library may be newer than the terminal, too.
  func isUnsure(widthOf character: Character) -> Bool {
    var baseCount = 0
    for scalar in character.unicodeScalars {
      switch scalar.value {
      // Most text is of these: European letters and their marks, kana and ideographs, Hangul syllables.
      case ..<0x300, 0x370...0x482, 0x3041...0x3096, 0x309b...0x312f, 0x3400...0xa4cf, 0xac00...0xd7a3: baseCount += 1
      case 0x300..<0x370: break
      case 0x1160...0x11ff, 0xd7b0...0xd7ff: return true  // Vowels and final consonants of Hangul.
      default:
        if scalarWidth(scalar) > 0 { baseCount += 1 }
        let properties = scalar.properties
        if isNew(scalar) || properties.generalCategory == .spacingMark || properties.isDefaultIgnorableCodePoint
          || properties.canonicalCombiningClass == .virama
        {
          return true
        }
      }
    }
    return baseCount > 1
  }

  /// Columns of a scalar that is newer than the tables of the C library; `nil` if it cannot be shown.
  static func newerWidth(of scalar: Unicode.Scalar) -> Int? {
    if scalar.isReservedForEmoji { return 2 }
    switch scalar.value {
    case 0x17000...0x18dff, 0x1b000...0x1b2ff, 0x20000...0x3fffd: return 2  // Tangut, old kana, ideographs.
    default: break
    }
    switch scalar.properties.generalCategory {
    case .unassigned, .control, .format, .surrogate, .privateUse: return nil
    case .nonspacingMark, .enclosingMark: return 0
    default: return 1
    }
  }
}

extension Unicode.Scalar {
  /// True in the parts of blocks to which Unicode adds emoji every year, each two columns wide (emoji-data.txt,
  /// Extended_Pictographic; EastAsianWidth.txt).
  var isReservedForEmoji: Bool {
    switch value {
    case 0x1f6d5...0x1f6df, 0x1f7f0...0x1f7ff, 0x1f90c...0x1f9ff, 0x1fa70...0x1faff: true
    default: false
    }
  }
}
