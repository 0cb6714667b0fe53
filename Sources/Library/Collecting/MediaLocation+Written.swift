public import ByteIO
internal import Glibc

extension MediaLocation {
  /// A location as a person writes it: a path, relative to `folder`, or an address. `file:` addresses become paths.
  public init(written text: [UInt8], in folder: BytePath) {
    // Names may begin with blanks, addresses do not.
    if let first = text.first, isBlank(first), case let rest = Array(text.drop(while: isBlank)),
      Self.scheme(of: rest) != nil
    {
      self.init(written: rest, in: folder)
      return
    }
    guard let scheme = Self.scheme(of: text) else {
      self = Self.written(BytePath(text), in: folder)
      return
    }
    guard scheme.elementsEqual("file".utf8) else {
      self = .url(String(decoding: text, as: UTF8.self))
      return
    }
    // file:///path, file://host/path
    let rest = text.dropFirst("file://".utf8.count)
    self = Self.written(
      BytePath(rest[(rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)...].removingPercentEscapes), in: folder)
  }

  /// The location of an entry of a playlist: by its bytes or, if no file has such a name, by its text.
  init(_ item: PlaylistReader.Item, in folder: BytePath) {
    self.init(written: item.target, in: folder)
    guard let text = item.targetText, case .file(let path) = self, FileKind(path) == nil else { return }
    switch MediaLocation(written: Array(text.utf8), in: folder) {
    case .file(let path) where FileKind(path) != nil: self = .file(path)
    case .track(let path, let number) where FileKind(path) != nil: self = .track(path, number: number)
    default: break
    }
  }

  /// The form that `init(written:in:)` reads, but the path of a file as it is.
  public var written: BytePath {
    if case .file(let path) = self { path } else { BytePath(PlaylistWriter.line(for: self)) }
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

  /// The location of a path: a track if it ends like one (`album.cue#3`) and no file has that name.
  private static func written(_ path: BytePath, in folder: BytePath) -> MediaLocation {
    let whole = existing(path, in: folder)
    guard case .track(let sheet, let number) = MediaLocation(libraryPath: path), FileKind(whole) == nil else {
      return .file(whole)
    }
    return .track(existing(sheet, in: folder), number: number)
  }

  /// The existing path that was meant. If there is no file by the bytes as written, tries Latin-1, the separators of
  /// other systems, and the escapes of addresses.
  private static func existing(_ path: BytePath, in folder: BytePath) -> BytePath {
    // Before a list of readings is made: a playlist may have 100,000 paths.
    guard !path.hasOneReading else { return folder.appending(path) }
    let readings = path.readings.map(folder.appending)
    return readings.first { FileKind($0) != nil } ?? readings[0]
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

private func isASCIILetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= lowercased(byte) }
