public import ByteIO

/// Lines of playlist files that the queue does not have: names of stations, attributes, groups, comments.
public struct PlaylistNotes {
  private var header: [UInt8] = []
  /// The lines before an entry, by the line that `PlaylistWriter` writes for it.
  private var lines: [[UInt8]: [UInt8]] = [:]
  /// The comments after the last entry.
  private var tail: [UInt8] = []

  /// All lines of the M3U file at `path` that are not entries, and the names that other playlists give to addresses.
  /// Skips files that cannot be read, and what is beyond `MediaCollector.documentByteLimit`.
  public init(of path: BytePath, names others: [BytePath] = []) {
    if let document = Self.document(path) { readLines(of: document, in: path.parent) }
    for other in others {
      for (line, title, seconds) in Self.names(in: other) {
        let seconds = seconds.flatMap { Int(exactly: $0.rounded()) } ?? -1
        note(Array("#EXTINF:\(seconds),\(title)\n".utf8), at: line)
      }
    }
  }

  /// The names that playlist files give to addresses, by the line that `PlaylistWriter` writes; the first name counts.
  public static func titles(in files: [BytePath]) -> [[UInt8]: String] {
    Dictionary(files.flatMap(names).map { ($0.line, $0.title) }) { first, _ in first }
  }

  /// The bytes of a playlist of these entries, with the lines that describe them. Comments are written at the first
  /// place of an entry only.
  public func bytes(of locations: [MediaLocation]) -> [UInt8] {
    var bytes = header.starts(with: "#EXTM3U".utf8) ? header : Array("#EXTM3U\n".utf8) + header
    var written: Set<[UInt8]> = []
    for location in locations {
      let line = PlaylistWriter.line(for: location)
      if let own = lines[line] {
        bytes += written.insert(line).inserted ? own : Self.withoutComments(own)
      }
      bytes += line
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes + tail
  }

  private static func withoutComments(_ lines: [UInt8]) -> [UInt8] {
    let newline = UInt8(ascii: "\n")
    return lines.split(separator: newline).flatMap { $0.starts(with: "#EXT".utf8) ? $0 + [newline] : [] }
  }

  private static func document(_ path: BytePath) -> [UInt8]? {
    (try? wholeFile(path, byteLimit: MediaCollector.documentByteLimit))?.withoutUTF16
  }

  private mutating func readLines(of document: [UInt8], in folder: BytePath) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    var rest = document.starts(with: mark) ? document[mark.count...] : document[...]
    var own: [UInt8] = []
    var finder = EntryFinder(folder: folder, extensions: [])
    // One line at a time: a list of millions would take many times the memory of the file.
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      rest = rest[line.endIndex...].dropFirst()
      if ["#EXTM3U", "#PLAYLIST:"].contains(where: { line.starts(with: $0.utf8) }) {
        header += line + [UInt8(ascii: "\n")]
      } else if line.first == UInt8(ascii: "#") {
        own += line + [UInt8(ascii: "\n")]
        // At the end they describe nothing.
        if !line.starts(with: "#EXT".utf8) { tail += line + [UInt8(ascii: "\n")] }
      } else if line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) {
        let location = finder.location(of: PlaylistReader.Item(target: Array(line)))
        if !own.isEmpty { note(own, at: PlaylistWriter.line(for: location)) }
        (own, tail) = ([], [])
      }
    }
  }

  private static func names(in path: BytePath) -> [(line: [UInt8], title: String, seconds: Double?)] {
    guard let format = PlaylistFormat(fileExtension: path.fileExtension), let document = document(path) else {
      return []
    }
    return PlaylistReader.items(in: document, format: format).compactMap { item in
      guard let title = StreamDocument.line(item.title), !title.isEmpty,
        case let location = MediaLocation(written: item.target, in: BytePath("")), case .url = location
      else { return nil }
      return (PlaylistWriter.line(for: location), title, item.seconds)
    }
  }

  /// The first description stays.
  private mutating func note(_ new: [UInt8], at line: [UInt8]) { lines[line] = lines[line] ?? new }
}
