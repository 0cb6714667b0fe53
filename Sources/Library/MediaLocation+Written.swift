internal import ByteIO
internal import Glibc

extension MediaLocation {
  /// What people write: a path, relative to `folder`, or an address; `file:` addresses become paths.
  init(written text: [UInt8], in folder: BytePath) {
    guard let scheme = Self.scheme(of: text) else {
      self = .file(Self.existing(BytePath(text), in: folder))
      return
    }
    guard scheme.elementsEqual("file".utf8) else {
      self = .url(String(decoding: text, as: UTF8.self))
      return
    }
    // file:///path, file://host/path
    let rest = text.dropFirst("file://".utf8.count)
    self = .file(BytePath(percentDecoded(rest[(rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)...])))
  }

  /// The letters before `://`, in lower case.
  private static func scheme(of text: [UInt8]) -> [UInt8]? {
    guard text.first != UInt8(ascii: "/") else { return nil }
    // RFC 3986 §3.1: ALPHA *( ALPHA / DIGIT / "+" / "-" / "." ). One letter would be a drive.
    let scheme = text.prefix {
      isASCIILetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || [0x2b, 0x2d, 0x2e].contains($0)
    }
    guard scheme.count > 1, let first = scheme.first, isASCIILetter(first),
      text[scheme.endIndex...].starts(with: "://".utf8)
    else { return nil }
    return scheme.map(lowercased)
  }

  /// The path, in the way it must have been meant: where there is nothing by the bytes as written, Latin-1 may have
  /// been, or the separators of another system.
  private static func existing(_ path: BytePath, in folder: BytePath) -> BytePath {
    let written = folder.appending(path)
    let backslash = path.bytes.firstOffset(of: UInt8(ascii: "\\"), in: 0..<path.bytes.count)
    guard backslash != nil || !isUTF8(path.bytes), FileKind(written) == nil else { return written }
    let slashed = path.bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
    let readings = [slashed, Array(String(latin1: path.bytes).utf8), Array(String(latin1: slashed).utf8)]
    return readings.lazy.map { folder.appending(BytePath($0)) }.first { FileKind($0) != nil } ?? written
  }
}

func isUTF8(_ bytes: [UInt8]) -> Bool {
  do { _ = try UTF8Span(validating: bytes.span) } catch { return false }
  return true
}

private func isASCIILetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= lowercased(byte) }

/// RFC 3986 §2.1; what is no escape stays.
private func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var decoded: [UInt8] = []
  var rest = text
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

private func hexDigit(_ byte: UInt8) -> UInt8? {
  Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { byte < 0x80 ? UInt8($0) : nil }
}
