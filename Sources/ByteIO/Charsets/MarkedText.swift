// Texts of unknown encoding are read before the character set is known, which takes all texts that belong together. Until
// then each of their bytes from 0x80 on stands as a mark, a private character that nothing else uses: U+10F780...U+10F7FF.
extension String {
  /// Text of unknown encoding: UTF-8 if it is valid, else with marks.
  public init(marking bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init(
        String.UnicodeScalarView(
          bytes.lazy.map { $0 < 0x80 ? Unicode.Scalar($0) : Unicode.Scalar(Mark.first + UInt32($0 - 0x80)) ?? " " }))
    }
  }

  /// The same, without a character of UTF-8 at the end that was cut.
  public init(markingCut bytes: ArraySlice<UInt8>) {
    let rest = bytes.prefix(upTo: bytes.suffix(3).lastIndex { $0 >= 0xc0 } ?? bytes.endIndex)
    let isCut = rest.count < bytes.count && rest.contains { $0 >= 0x80 } && isUTF8(Array(rest)) && !isUTF8(Array(bytes))
    self.init(marking: isCut ? rest : bytes)
  }

  /// True if it has marks for bytes that are not UTF-8.
  public var hasMarks: Bool {
    // The first byte of all characters from U+100000 on.
    utf8.contains(0xf4) && unicodeScalars.contains { Mark.byte($0) != nil }
  }

  /// The bytes that were read; `nil` without marks.
  public var markedBytes: [UInt8]? {
    guard hasMarks else { return nil }
    return unicodeScalars.compactMap { Mark.byte($0) ?? ($0.isASCII ? UInt8(truncatingIfNeeded: $0.value) : nil) }
  }

  /// The text without marks.
  public func decoded(as charset: Charset) -> String {
    guard hasMarks else { return self }
    var (text, bytes) = ("", [UInt8]())
    for scalar in unicodeScalars {
      if let byte = Mark.byte(scalar) ?? (scalar.isASCII ? UInt8(truncatingIfNeeded: scalar.value) : nil) {
        bytes.append(byte)
      } else {
        text += charset.text(bytes)
        bytes.removeAll()
        text.unicodeScalars.append(scalar)
      }
    }
    return text + charset.text(bytes)
  }
}

private enum Mark {
  /// The mark of 0x80.
  static let first: UInt32 = 0x10f780

  /// The byte that a mark stands for.
  static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
    first..<(first + 0x80) ~= scalar.value ? UInt8(truncatingIfNeeded: scalar.value - first + 0x80) : nil
  }
}

/// The character set of texts that belong together: those of a file, a playlist, a station.
public struct TextReading: Sendable, Hashable, CustomStringConvertible {
  /// The character set.
  public let charset: Charset
  /// True if it was guessed, false if the listener has chosen it.
  public let isGuessed: Bool

  /// Texts that are read in this character set.
  public init(_ charset: Charset, isGuessed: Bool) { (self.charset, self.isGuessed) = (charset, isGuessed) }

  /// Reads texts of unknown encoding, as their bytes. Any thread.
  ///
  /// - Parameter chosen: The listener's choice; `nil` to guess.
  public init(of texts: [[UInt8]], chosen: Charset? = .chosen) {
    charset = chosen ?? CharsetGuess(texts).charset()
    isGuessed = chosen == nil
  }

  /// Reads the lines of a document; `nil` if it is in UTF-8.
  public init?(ofLines document: [UInt8]) {
    guard !isUTF8(document) else { return nil }
    let lines = document.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    self.init(of: lines.lazy.filter { $0.contains { $0 >= 0x80 } }.map { Array($0) })
  }

  /// `windows-1251 (guessed)`.
  public var description: String { "\(charset) (\(isGuessed ? "guessed" : "set"))" }

  /// The text of bytes: UTF-8 if it is valid, else in this character set.
  public func text(_ bytes: some Collection<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self) ?? charset.text(bytes)
  }
}

/// True if bytes are text in UTF-8.
public func isUTF8(_ bytes: [UInt8]) -> Bool {
  do { _ = try UTF8Span(validating: bytes.span) } catch { return false }
  return true
}
