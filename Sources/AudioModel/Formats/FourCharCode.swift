/// A four-character code, as Apple's audio stack names formats, properties and errors: `'MPG3'`, `'dfmt'`.
public struct FourCharCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The characters as a big-endian number.
  public var rawValue: UInt32

  /// A code from its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A code from up to four Latin-1 characters, padded on the right with spaces.
  public init(_ characters: StaticString) {
    var value: UInt32 = 0
    characters.withUTF8Buffer { bytes in
      for index in 0..<4 { value = value << 8 | UInt32(index < bytes.count ? bytes[index] : 0x20) }
    }
    self.init(rawValue: value)
  }

  /// The four characters; a byte outside printable ASCII is shown as `.`.
  public var description: String {
    var text = ""
    for shift in [24, 16, 8, 0] as [UInt32] {
      let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
      text.unicodeScalars.append(0x20..<0x7f ~= byte ? Unicode.Scalar(byte) : ".")
    }
    return text
  }
}
