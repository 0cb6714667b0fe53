public import ByteIO

extension PlaylistRecord {
  private static let (lineLimit, byteLimit, fileLimit) = (100_000, 1 << 26, 1000)

  private static let ownNames = ["lib.pl": "cmus library", "queue.pl": "cmus queue"]

  /// True for the first bytes of a list of absolute paths and addresses, one a line, without any head: a playlist of cmus.
  static func isCmus(_ bytes: [UInt8]) -> Bool {
    let line = bytes.prefix { $0 != 0x0a }
    return line.first == UInt8(ascii: "/")
      || ["cue:///", "http://", "https://"].contains { line.starts(with: $0.utf8) }
  }

  /// A playlist of cmus, named after its file; the list of its library and its queue are such files, too. The end of a
  /// list that is too long is left out.
  public static func cmus(_ file: BytePath, _ bytes: [UInt8]) -> PlaylistRecord {
    let name = file.lastComponent.description
    let lines = bytes.split(separator: 0x0a, maxSplits: lineLimit).prefix(lineLimit)
    return PlaylistRecord(name: ownNames[name] ?? name, entries: lines.compactMap { Entry(cmus: $0) })
  }

  /// The playlists in the folder `playlists` beside the cache of cmus.
  static func besideCache(_ cache: BytePath) -> [PlaylistRecord] {
    // The cache may come from standard input.
    guard cache != BytePath("-") else { return [] }
    let folder = cache.parent.appending(BytePath("playlists"))
    let names = ((try? namesInFolder(folder)) ?? []).sorted { $0.lexicographicallyPrecedes($1) }
    return names.prefix(fileLimit).compactMap { name in
      let file = folder.appending(BytePath(name))
      guard let bytes = try? wholeFile(file, byteLimit: byteLimit), isCmus(bytes) else { return nil }
      return cmus(file, bytes)
    }
  }
}

extension PlaylistRecord.Entry {
  /// `/a/b.mp3`, `http://host/live`, or `cue:///a/b.cue/3`; `nil` for anything else.
  fileprivate init?(cmus line: ArraySlice<UInt8>) {
    let (sheet, digits) = ("cue://".utf8.count, line.reversed().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    let location: MediaLocation
    if line.first == UInt8(ascii: "/") {
      location = .file(BytePath(line))
    } else if line.starts(with: "cue:///".utf8) {
      guard let number = Int(String(decoding: digits.reversed(), as: UTF8.self)), 1...9999 ~= number else { return nil }
      location = .track(BytePath(line.dropFirst(sheet).dropLast(digits.count + 1)), number: number)
    } else if line.starts(with: "http://".utf8) || line.starts(with: "https://".utf8) {
      location = .url(String(decoding: line, as: UTF8.self))
    } else {
      return nil
    }
    self.init(location: PlaylistWriter.line(for: location), key: nil, title: nil)
  }
}
