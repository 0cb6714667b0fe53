public import ByteIO
internal import Glibc

extension MediaLocation {
  /// What people write: a path, relative to `folder`, or an address; `file:` addresses become paths.
  public init(written text: [UInt8], in folder: BytePath) {
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
    self = .file(BytePath(rest[(rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)...].removingPercentEscapes))
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
    let readings = [slashed, Array(String(guessing: path.bytes).utf8), Array(String(guessing: slashed).utf8)]
    return readings.lazy.map { folder.appending(BytePath($0)) }.first { FileKind($0) != nil } ?? written
  }
}

func isUTF8(_ bytes: [UInt8]) -> Bool {
  do { _ = try UTF8Span(validating: bytes.span) } catch { return false }
  return true
}

private func isASCIILetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= lowercased(byte) }
