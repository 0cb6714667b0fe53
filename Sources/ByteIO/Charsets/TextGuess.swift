extension String {
  /// Text of unknown encoding that stands alone: UTF-8 if it is valid, else in the character set that is chosen or guessed.
  public init(guessing bytes: some Collection<UInt8>) {
    self = String(validating: bytes, as: UTF8.self) ?? TextReading(of: [Array(bytes)]).charset.text(bytes)
  }

  /// The text of a whole file: UTF-16 as `UTF16Form` finds it, else as above.
  public init(document bytes: [UInt8]) {
    guard let form = UTF16Form(of: bytes) else {
      let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
      self = TextReading(ofLines: bytes)?.charset.text(text) ?? String(decoding: text, as: UTF8.self)
      return
    }
    let units = stride(from: form.start, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return form.isBigEndian ? first << 8 | second : second << 8 | first
    }
    self.init(decoding: units, as: UTF16.self)
  }
}

extension [UInt8] {
  /// The bytes of a text file, in UTF-8 if it is in UTF-16.
  public var withoutUTF16: [UInt8] {
    UTF16Form(of: Array(prefix(1024))) == nil ? self : Array(String(document: self).utf8)
  }
}

/// The form of text in UTF-16, which begins with a mark or has many zeros, as no other text does.
public struct UTF16Form: Hashable, Sendable {
  /// True if the upper half of each unit comes first.
  public var isBigEndian: Bool
  /// The first byte after the mark.
  public var start: Int

  /// The form of these bytes, which may be the first of a text; `nil` for other text. Pure.
  public init?(of bytes: [UInt8]) {
    let marks: [(bytes: [UInt8], isBigEndian: Bool)] = [([0xff, 0xfe], false), ([0xfe, 0xff], true)]
    if let mark = marks.first(where: { bytes.starts(with: $0.bytes) }) {
      (isBigEndian, start) = (mark.isBigEndian, mark.bytes.count)
      return
    }
    // The upper half of a digit, a space or a Latin letter is zero.
    let zeros = [0, 1].map { parity in bytes.indices.count { $0 % 2 == parity && bytes[$0] == 0 } }
    guard (zeros[0] + zeros[1]) * 32 > bytes.count else { return nil }
    (isBigEndian, start) = (zeros[0] > zeros[1], 0)
  }
}
