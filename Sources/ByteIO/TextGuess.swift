extension String {
  /// Text of a stranger who does not say how it is written: UTF-8 if it can be, else ISO 8859-1, in which each byte is
  /// the character of that number.
  public init(guessing bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    }
  }
}
