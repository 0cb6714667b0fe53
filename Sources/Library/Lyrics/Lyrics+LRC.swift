/// LRC, the format of files and tags with times:
///
///     [ar:Artist]  [offset:+250]          about the song; a positive offset (milliseconds) shows lines earlier
///     [00:12.34]A line                    minutes, seconds, fraction; also [00:12:34] and [00:12]
///     [00:12.34][01:02.00]A refrain       several times of one line
///     [00:12.34]<00:12.34>A <00:12.80>line      the times of words (enhanced LRC)
extension Lyrics {
  /// Reads LRC, or plain text if no line has a time.
  public init(text: String) {
    var timed: [Line] = []
    var plain: [Line] = []
    var offset = 0.0
    for row in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      guard timed.count < Self.lineLimit, plain.count < Self.lineLimit else { break }
      var scanner = LRCScanner(row)
      let times = scanner.takeTimes()
      if times.isEmpty {
        if let milliseconds = scanner.takeOffset() {
          offset = milliseconds / 1000
        } else if !scanner.isAboutSong {
          plain.append(Line(String(row.trimmed)))
        }
        continue
      }
      let (content, words) = scanner.takeWords()
      // The times of words belong to the first time of the line.
      timed += times.prefix(Self.lineLimit - timed.count).enumerated().map { index, time in
        Line(time: time, content, words: index == 0 ? words : [])
      }
    }
    if timed.isEmpty {
      while plain.last?.text.isEmpty == true { plain.removeLast() }
      self.init(lines: Array(plain.drop { $0.text.isEmpty }))
    } else {
      self = Lyrics(lines: timed.sortedByTime()).shifted(by: -offset)
    }
  }
}

extension [Lyrics.Line] {
  /// Sorts lines by time. Lines with the same time keep their order.
  fileprivate func sortedByTime() -> [Lyrics.Line] {
    enumerated().sorted { ($0.element.time ?? 0, $0.offset) < ($1.element.time ?? 0, $1.offset) }.map(\.element)
  }
}

/// Reads one row of LRC.
private struct LRCScanner {
  private var rest: Substring

  /// Times of one line; the rest is text.
  private static let timeLimit = 100

  init(_ row: Substring) { rest = row.trimmed }

  /// The times at the start: `[mm:ss.xx]`, several times.
  mutating func takeTimes() -> [Double] {
    var times: [Double] = []
    while times.count < Self.timeLimit, let time = takeTime("[", "]") {
      times.append(time)
      rest = rest.trimmed
    }
    return times
  }

  /// Milliseconds of `[offset:+250]`.
  func takeOffset() -> Double? {
    guard isAboutSong, rest.lowercased().hasPrefix("[offset:") else { return nil }
    let digits = rest.dropFirst(8).dropLast().drop { $0.isWhitespace || $0 == "+" }
    return Int32(digits.trimmed).map(Double.init)
  }

  /// True for `[name:value]`.
  var isAboutSong: Bool {
    guard rest.first == "[", rest.last == "]", let colon = rest.firstIndex(of: ":") else { return false }
    let name = rest[..<colon].dropFirst()
    return !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "#") }
  }

  /// The text without the times of words, and these times.
  mutating func takeWords() -> (text: String, words: [Lyrics.Word]) {
    guard rest.contains("<") else { return (String(rest), []) }
    var text = ""
    var count = 0
    var words: [Lyrics.Word] = []
    while let character = rest.first {
      if character == "<", let time = takeTime("<", ">") {
        words.append(Lyrics.Word(time: time, offset: count))
      } else {
        // No word begins with a space.
        if !(text.isEmpty && character.isWhitespace) {
          text.append(character)
          count += 1
        }
        rest.removeFirst()
      }
    }
    return (text, words)
  }

  /// A time between brackets, in seconds; takes nothing if there is none.
  private mutating func takeTime(_ opening: Character, _ closing: Character) -> Double? {
    guard rest.first == opening, let end = rest.prefix(20).firstIndex(of: closing) else { return nil }
    guard let time = Self.time(rest[..<end].dropFirst()) else { return nil }
    rest = rest[end...].dropFirst()
    return time
  }

  /// `mm:ss`, `mm:ss.xx`, `mm:ss:xx`, in seconds.
  private static func time(_ text: Substring) -> Double? {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "." }
    guard 2...3 ~= parts.count, parts.allSatisfy({ 1...5 ~= $0.count && $0.allSatisfy(\.isASCIIDigit) }),
      let minutes = Double(parts[0]), let seconds = Double(parts[1]), seconds < 60
    else { return nil }
    let fraction = parts.count > 2 ? Double("0." + parts[2]) ?? 0 : 0
    return minutes * 60 + seconds + fraction
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

extension Substring {
  /// The text without blanks at both ends.
  fileprivate var trimmed: Substring {
    var text = drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
