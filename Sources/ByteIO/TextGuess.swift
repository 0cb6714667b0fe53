extension String {
  /// Text of unknown encoding: UTF-8 if it is valid, else Windows-1252, which the web reads as Latin-1: it has quotes
  /// and dashes in place of the control characters of ISO 8859-1.
  public init(guessing bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init(
        String.UnicodeScalarView(
          bytes.lazy.map { 0x80...0x9f ~= $0 ? windows1252[Int($0 - 0x80)] : Unicode.Scalar($0) }))
    }
  }

  /// The text of a whole file: UTF-16 if it begins with that mark or has many zeros, as no other text does; else as
  /// above.
  public init(document bytes: [UInt8]) {
    let marks: [(bytes: [UInt8], isBigEndian: Bool)] = [([0xff, 0xfe], false), ([0xfe, 0xff], true)]
    let mark = marks.first { bytes.starts(with: $0.bytes) }
    let body = bytes[(mark?.bytes.count ?? 0)...]
    // The upper half of a digit, a space or a Latin letter is zero.
    let zeros = [0, 1].map { parity in body.indices.count { $0 % 2 == parity && bytes[$0] == 0 } }
    guard mark != nil || (zeros[0] + zeros[1]) * 32 > bytes.count else {
      self.init(guessing: bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...])
      return
    }
    let isBigEndian = mark?.isBigEndian ?? (zeros[0] > zeros[1])
    let units = stride(from: body.startIndex, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    self.init(decoding: units, as: UTF16.self)
  }
}

/// The meanings of 0x80...0x9f; the five undefined ones stay.
private let windows1252 = Array(
  "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ".unicodeScalars)
