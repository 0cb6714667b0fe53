extension String {
  /// Text of a stranger who does not say how it is written: UTF-8 if it can be, else Latin-1 as the web reads it, which is
  /// Windows-1252: where ISO 8859-1 has control characters that nobody means, that has quotes and dashes.
  public init(guessing bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init(
        String.UnicodeScalarView(
          bytes.lazy.map { 0x80...0x9f ~= $0 ? windows1252[Int($0 - 0x80)] : Unicode.Scalar($0) }))
    }
  }
}

/// The meanings of 0x80...0x9f; the five undefined ones stay.
private let windows1252 = Array(
  "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ".unicodeScalars)
