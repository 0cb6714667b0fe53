internal import AudioModel

/// LRC, the format of files and tags with times:
///
///     [ar:Artist]  [offset:+250]          about the song; a positive offset (milliseconds) shows lines earlier
///     [00:12.34]A line                    minutes, seconds, fraction; also [00:12,34], [00:12:34] and [00:12]
///     [1:02:03.45]A late line             hours
///     [00:12.34][01:02.00]A refrain       several times of one line
///     [00:12.34]<00:12.34>A <00:12.80>line      the times of words (enhanced LRC), also in square brackets
///     A translation                       without a time: belongs to the line before
extension Lyrics {
  /// Reads LRC, or plain text if no line has a time.
  public init(text: String) {
    var timed: [Line] = []
    var plain: [Line] = []
    var offset = 0.0
    // The times of the last line that has any.
    var latest: [Double] = []
    let rows = text.split(omittingEmptySubsequences: false) { $0.isNewline || $0 == "\u{feff}" }
    for row in rows {
      guard timed.count < Self.lineLimit, plain.count < Self.lineLimit else { break }
      var scanner = LRCScanner(row)
      let times = scanner.takeTimes()
      if times.isEmpty {
        if let milliseconds = scanner.takeOffset() {
          offset = milliseconds / 1000
        } else if !scanner.isAboutSong {
          let text = String(row.trimmed)
          plain.append(Line(text))
          if !text.isEmpty {
            timed += (latest.isEmpty ? [0] : latest).prefix(Self.lineLimit - timed.count).map { Line(time: $0, text) }
          }
        }
        continue
      }
      latest = times
      let (content, words) = scanner.takeWords()
      // The times of words belong to the first time of the line.
      timed += times.prefix(Self.lineLimit - timed.count).enumerated().map { index, time in
        Line(time: time, content, words: index == 0 ? words : [])
      }
    }
    if latest.isEmpty {
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
    return Double(String(digits.trimmed)).flatMap { abs($0) < 1e9 ? $0 : nil }
  }

  /// True for `[name:value]` with a name that programs write; any other line in brackets is text.
  var isAboutSong: Bool {
    guard rest.first == "[", rest.last == "]", let colon = rest.firstIndex(of: ":") else { return false }
    return Self.names.contains(rest[..<colon].dropFirst().lowercased())
  }

  private static let names: Set<String> = [
    "#", "al", "ar", "au", "by", "encoding", "hash", "id", "kana", "la", "length", "lr", "offset", "qq", "re", "sign",
    "ti", "tool", "total", "t_time", "ve",
  ]

  /// The text without the times of words, and these times.
  mutating func takeWords() -> (text: String, words: [Lyrics.Word]) {
    guard rest.contains(where: { "<[".contains($0) }) else { return (String(rest), []) }
    var text = ""
    var count = 0
    var words: [Lyrics.Word] = []
    while let character = rest.first {
      if let time = takeTime("<", ">") ?? takeTime("[", "]") {
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
    guard rest.first == opening, let end = rest.prefix(24).firstIndex(of: closing) else { return nil }
    guard let time = Self.time(rest[..<end].dropFirst().trimmed) else { return nil }
    rest = rest[end...].dropFirst()
    return time
  }

  /// `mm:ss`, `mm:ss.xx`, `mm:ss:xx`, `h:mm:ss.xx`, in seconds. Some programs count seconds and minutes beyond 59, and
  /// some write a comma for the point.
  private static func time(_ text: Substring) -> Double? {
    var clock = text.split(separator: ":", omittingEmptySubsequences: false)
    var fraction: Substring = "0"
    if let last = clock.last, let point = last.firstIndex(where: { ".,".contains($0) }) {
      clock[clock.count - 1] = last[..<point]
      fraction = last[point...].dropFirst()
    } else if clock.count == 3 {
      fraction = clock.removeLast()
    }
    guard 2...3 ~= clock.count, clock.allSatisfy({ $0.isNumber(upTo: 5) }), fraction.isNumber(upTo: 9) else {
      return nil
    }
    return clock.reduce(0) { $0 * 60 + (Double($1) ?? 0) } + (Double("0." + fraction) ?? 0)
  }
}

extension Substring {
  /// True for some ASCII digits.
  fileprivate func isNumber(upTo digits: Int) -> Bool {
    1...digits ~= count && allSatisfy { $0.isASCII && $0.isNumber }
  }
}
