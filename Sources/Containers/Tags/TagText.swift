internal import AudioModel
internal import ByteIO

/// Text as tags encode it. Text of unknown encoding has marks (`String(marking:)`) until `TagTexts` has read all of a file.
enum TagText {
  /// Each byte is a character: for names of fields and types.
  static func latin1(_ bytes: some Sequence<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }

  /// Up to the first zero and without spaces at the ends: UTF-8 if it can be, else marked.
  static func unlabelled(_ bytes: [UInt8]) -> String {
    String(String(marking: bytes.prefix { $0 != 0 }).trimmed)
  }

  /// Several values become one: an order of names that people read.
  static func joined(_ values: [String]) -> String? {
    let present = values.filter { !$0.isEmpty }
    return present.isEmpty ? nil : present.joined(separator: "; ")
  }

  /// ID3v2.4 §4: 0 ISO-8859-1, 1 UTF-16 with byte order mark, 2 UTF-16 big-endian, 3 UTF-8; values end with a zero.
  /// Text that is called ISO-8859-1 may be in any encoding.
  static func id3(_ bytes: ArraySlice<UInt8>, encoding: UInt8) -> [String] {
    switch encoding {
    case 1, 2: utf16(bytes, isBigEndian: encoding == 2)
    case 3: bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    default: bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(marking: $0) }
    }
  }

  /// A byte order mark, even a surplus one, sets the order of the following text; without one, big-endian if requested.
  static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [String] {
    var isBigEndian = isBigEndian
    var values: [String] = []
    var units: [UInt16] = []
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      index += 2
      if units.isEmpty, first == 0xff && second == 0xfe || first == 0xfe && second == 0xff {
        isBigEndian = first == 0xfe
        continue
      }
      let unit = isBigEndian ? first << 8 | second : second << 8 | first
      if unit != 0 {
        units.append(unit)
      } else {
        values.append(text(units))
        units = []
      }
    }
    return values + [text(units)]
  }

  /// Units of UTF-16; U+FFFD stands for what is none. `String(decoding:as:)` looks for types at run time.
  private static func text(_ units: [UInt16]) -> String {
    var bytes: [UInt8] = []
    _ = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false) { bytes.append($0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
