internal import ByteIO

/// Reads a playlist line by line: a pure function of its bytes. Skips lines that make no sense.
struct PlaylistReader {
  struct Item: Hashable {
    /// A path or address, as written.
    var target: [UInt8] = []
    /// The same as text, in the character set of the playlist; `nil` if `target` is in UTF-8.
    var targetText: String?
    /// The title of an address. Titles of files in M3U are not read, because the files have tags: 100,000 titles would
    /// take time and memory.
    var title: String?
    /// More than 0.
    var seconds: Double?

    var address: WebAddress { WebAddress(targetText ?? String(decoding: target, as: UTF8.self)) }
  }

  let format: PlaylistFormat
  /// M3U: the description of the entry that follows, as a part of the given lines.
  private var description: ArraySlice<UInt8> = []
  /// PLS: the parts of numbered entries, which come in any order.
  private var numbered: [Int: Item] = [:]
  private var isInPlaylist = true
  private var isFirstLine = true

  /// The character set of lines that are not in UTF-8, once there are any.
  private var reading: TextReading?
  private let findReading: () -> TextReading?

  /// - Parameter reading: Finds the character set of the whole playlist; called for the first line that is not in UTF-8.
  init(format: PlaylistFormat, reading: @escaping () -> TextReading? = { nil }) {
    (self.format, findReading) = (format, reading)
  }

  static func items(in document: [UInt8], format: PlaylistFormat) -> [Item] {
    let document = document.withoutUTF16
    if format.isXML { return XMLPlaylist.items(in: document, format: format) }
    var reader = PlaylistReader(format: format) { TextReading(ofLines: document) }
    let lines = document.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return lines.compactMap { reader.read($0) } + reader.finish()
  }

  /// Entries that `finish` will return.
  var pendingCount: Int { numbered.count }

  /// Reads one line, without its end. Returns the entry that it completes.
  mutating func read(_ line: ArraySlice<UInt8>) -> Item? {
    // A byte order mark may precede the first line.
    if isFirstLine {
      isFirstLine = false
      if line.starts(with: [0xef, 0xbb, 0xbf]) { return read(line.dropFirst(3)) }
    }
    switch format {
    case .m3u: return readM3U(line)
    case .pls: readPLS(line)
    case .xspf, .asx, .wpl, .cue: break  // Not by lines.
    }
    return nil
  }

  /// The remaining entries, at the end: those that no single line completes.
  func finish() -> [Item] {
    numbered.sorted { $0.key < $1.key }.map(\.value).filter { !$0.target.isEmpty }
  }

  // #EXTM3U
  // #EXTINF:123,Artist - Title        seconds, -1 for unknown; attributes may follow the number
  // path or address
  private mutating func readM3U(_ line: ArraySlice<UInt8>) -> Item? {
    if line.first == UInt8(ascii: "#") {
      if let text = Self.description(in: line) { description = text }
      return nil
    }
    guard !isBlank(line) else { return nil }
    defer { description = [] }
    var item = Item(target: Array(line))
    item.targetText = otherText(item.target)
    if item.target.firstOffset(of: UInt8(ascii: ":"), in: 0..<line.count) != nil {
      item.seconds = seconds(description)
      if let comma = Self.firstComma(in: description) { item.title = title(description[(comma + 1)...]) }
    }
    return item
  }

  // [playlist]                       or [Reference], with Ref1= …
  // File1=path or address
  // Title1=…
  // Length1=123                       seconds, -1 for unknown
  private mutating func readPLS(_ line: ArraySlice<UInt8>) {
    let line = line.drop(while: isBlank)
    if line.first == UInt8(ascii: "[") {
      isInPlaylist = line.dropping(prefix: "[playlist]") != nil || line.dropping(prefix: "[reference]") != nil
    } else if isInPlaylist, let equals = line.firstIndex(of: UInt8(ascii: "=")) {
      let key = line[..<(line[..<equals].lastIndex { !isBlank($0) }.map { $0 + 1 } ?? equals)]
      let value = line[(equals + 1)...].drop(while: isBlank)
      if let number = number(of: key, prefix: "file") ?? number(of: key, prefix: "ref"), !isBlank(value) {
        numbered[number, default: Item()].target = Array(value)
        numbered[number, default: Item()].targetText = otherText(Array(value))
      } else if let number = number(of: key, prefix: "title") {
        numbered[number, default: Item()].title = title(value)
      } else if let number = number(of: key, prefix: "length") {
        numbered[number, default: Item()].seconds = seconds(value)
      }
    }
  }

  private func number(of key: ArraySlice<UInt8>, prefix: StaticString) -> Int? {
    key.dropping(prefix: prefix).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  /// The whole number at the start, if it is a possible duration. Ignores a fraction.
  private func seconds(_ text: ArraySlice<UInt8>) -> Double? {
    var seconds = 0
    for byte in text {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { break }
      seconds = seconds * 10 + Int(byte - UInt8(ascii: "0"))
      guard seconds < 1 << 32 else { return nil }
    }
    return seconds > 0 ? Double(seconds) : nil
  }

  /// M3U: the part of a line that describes an entry; `nil` for another line.
  static func description(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? { line.dropping(prefix: "#EXTINF:") }

  /// The comma before the title, which is outside the quotes of attributes.
  static func firstComma(in text: ArraySlice<UInt8>) -> Int? {
    var isQuoted = false
    return text.firstIndex { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
  }

  private mutating func title(_ text: ArraySlice<UInt8>) -> String? {
    let text = text.drop { $0 == UInt8(ascii: " ") }
    guard !text.isEmpty else { return nil }
    return otherText(Array(text)) ?? String(decoding: text, as: UTF8.self)
  }

  /// Text that is not in UTF-8.
  private mutating func otherText(_ bytes: [UInt8]) -> String? {
    guard !isUTF8(bytes) else { return nil }
    reading = reading ?? findReading() ?? TextReading(of: [bytes])
    return reading?.charset.text(bytes)
  }

  private func isBlank(_ line: ArraySlice<UInt8>) -> Bool { line.allSatisfy(isBlank) }

  private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension ArraySlice where Element == UInt8 {
  /// The rest after `prefix`, ignoring the case of ASCII letters; `nil` without that prefix.
  fileprivate func dropping(prefix: StaticString) -> ArraySlice? {
    let length = prefix.utf8CodeUnitCount
    guard count >= length else { return nil }
    for place in 0..<length where lowercased(self[startIndex + place]) != lowercased(prefix.utf8Start[place]) {
      return nil
    }
    return dropFirst(length)
  }
}
