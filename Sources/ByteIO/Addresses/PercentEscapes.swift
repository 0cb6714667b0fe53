// Escapes of addresses (RFC 3986 2.1).

extension UInt8 {
  /// True for a letter, a digit, `-`, `.`, `_` and `~`, which need no escape anywhere (RFC 3986 2.3).
  public var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}

extension Sequence<UInt8> {
  /// The text with `%20` and other escapes for the bytes that need one.
  public func percentEscaped(where needsEscape: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var escaped: [UInt8] = []
    for byte in self {
      if needsEscape(byte) {
        escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}

extension String {
  /// The text with `%20` and other escapes decoded; invalid escapes stay.
  public var removingPercentEscapes: String { String(guessing: Array(utf8)[...].removingPercentEscapes) }
}

extension ArraySlice<UInt8> {
  /// The text with `%20` and other escapes decoded; invalid escapes stay.
  public var removingPercentEscapes: [UInt8] {
    var decoded: [UInt8] = []
    var rest = self
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = hexDigit(rest[rest.startIndex]),
        let low = hexDigit(rest[rest.startIndex + 1])
      {
        decoded.append(high << 4 | low)
        rest.removeFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
  Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { byte < 0x80 ? UInt8($0) : nil }
}
