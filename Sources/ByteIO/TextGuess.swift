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
}

/// The meanings of 0x80...0x9f; the five undefined ones stay.
private let windows1252 = Array(
  "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ".unicodeScalars)
