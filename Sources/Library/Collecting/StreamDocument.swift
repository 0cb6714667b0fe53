internal import ByteIO

/// A playlist of streams, with the lines that people wrote around them: comments, attributes, paths of files.
struct StreamDocument {
  private typealias Line = ArraySlice<UInt8>

  private struct Entry {
    var stream: StreamList.Stream
    /// The lines before those of this entry.
    var others: [Line]
    /// The lines of this entry before its address.
    var own: [Line]
    var address: Line
  }

  private var header: [UInt8]
  private var entries: [Entry] = []
  /// The lines behind the last entry.
  private var tail: [Line] = []

  /// Reads a playlist. Skips an address that is there twice; leaves lines beyond `limit` entries alone.
  init(_ document: [UInt8], limit: Int) {
    var lines = Self.lines(of: document)[...]
    var reader = PlaylistReader(format: .m3u) { TextReading(ofLines: document) }
    var addresses: Set<String> = []
    var others: [Line] = []
    var own: [Line] = []
    header = document.isEmpty ? Array("#EXTM3U\n".utf8) : []
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    if let first = lines.first, [[], mark].contains(where: { first.starts(with: $0 + "#EXTM3U".utf8) }) {
      header = Array(first)
      lines = lines.dropFirst()
    }
    while entries.count < limit, let line = lines.popFirst() {
      let content = Self.content(line)
      guard !content.isEmpty, let item = reader.read(content) else {
        own.append(line)
        continue
      }
      guard case .url(let address) = MediaLocation(written: item.target, in: BytePath("")) else {
        others += own + [line]
        own = []
        continue
      }
      if addresses.insert(address).inserted {
        let stream = StreamList.Stream(address, title: item.title)
        entries.append(Entry(stream: stream, others: others, own: own, address: line))
        others = []
      } else {
        others += own.filter { !Self.isDescription($0) }
      }
      own = []
    }
    tail = others + own + lines
  }

  var streams: [StreamList.Stream] { entries.map(\.stream) }

  /// The bytes of a playlist of other streams, with the lines of this one at their places.
  func bytes(of streams: [StreamList.Stream]) -> [UInt8] {
    var bytes = header
    func add(_ line: some Collection<UInt8>) {
      if let last = bytes.last, !Self.isEnd(last) { bytes.append(UInt8(ascii: "\n")) }
      bytes += line
    }
    func add(new stream: StreamList.Stream) {
      if let title = Self.line(stream.title), !title.isEmpty { add(Array("#EXTINF:-1,\(title)\n".utf8)) }
      // A password that the user wrote into the file stays.
      add(stream.address.utf8.filter { !Self.isEnd($0) } + [UInt8(ascii: "\n")])
    }
    let wanted = Set(streams.map(\.address))
    var rest = streams[...]
    for entry in entries {
      for line in entry.others { add(line) }
      guard wanted.contains(entry.stream.address),
        let place = rest.firstIndex(where: { $0.address == entry.stream.address })
      else {
        for line in entry.own where !Self.isDescription(line) { add(line) }
        continue
      }
      for stream in rest[..<place] { add(new: stream) }
      let lines = rest[place].title == entry.stream.title ? entry.own : Self.titled(entry.own, rest[place].title)
      for line in lines + [entry.address] { add(line) }
      rest = rest[(place + 1)...]
    }
    for stream in rest { add(new: stream) }
    for line in tail { add(line) }
    return bytes
  }

  /// The lines of an entry with another title; durations and attributes stay.
  private static func titled(_ lines: [Line], _ title: String?) -> [Line] {
    let title = Array((Self.line(title) ?? "").utf8)
    guard let index = lines.lastIndex(where: { PlaylistReader.description(in: content($0)) != nil }) else {
      var new = Array("#EXTINF:-1,".utf8) + title
      new.append(UInt8(ascii: "\n"))
      return title.isEmpty ? lines : lines + [new[...]]
    }
    let text = content(lines[index])
    let comma = PlaylistReader.description(in: text).flatMap { PlaylistReader.firstComma(in: $0) }
    var new = Array(text[..<(comma ?? text.endIndex)])
    new.append(UInt8(ascii: ","))
    new += title
    new += lines[index][text.endIndex...]
    var lines = lines
    lines[index] = new[...]
    return lines
  }

  /// A title on one line: with line breaks it would become several entries.
  static func line(_ title: String?) -> String? {
    title?.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// True for `#EXTINF` and its kind, which describe the entry that follows.
  private static func isDescription(_ line: Line) -> Bool {
    line.prefix(4).map { $0 > 0x40 ? $0 & 0xdf : $0 } == Array("#EXT".utf8)
  }

  // MARK: Lines

  private static func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

  private static func content(_ line: Line) -> Line { line.prefix { !isEnd($0) } }

  /// The lines with their ends.
  private static func lines(of document: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var start = 0
    for (index, byte) in document.enumerated() where isEnd(byte) {
      let isHalf = byte == UInt8(ascii: "\r") && document[(index + 1)...].first == UInt8(ascii: "\n")
      guard !isHalf else { continue }
      lines.append(document[start...index])
      start = index + 1
    }
    return start < document.count ? lines + [document[start...]] : lines
  }
}
