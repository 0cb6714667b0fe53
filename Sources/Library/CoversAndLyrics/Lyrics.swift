/// The words of a song, line by line, with the times of lines and words where the source has them.
public struct Lyrics: Sendable, Hashable {
  public struct Line: Sendable, Hashable {
    /// Seconds into the track; `nil` if the lyrics have no times.
    public var time: Double?
    /// The text; empty for a pause.
    public var text: String
    /// The starts of words within `text`, in order of time; empty without times of words.
    public var words: [Word]

    public init(time: Double? = nil, _ text: String, words: [Word] = []) {
      (self.time, self.text, self.words) = (time, text, words)
    }
  }

  /// The start of a word.
  public struct Word: Sendable, Hashable {
    /// Seconds into the track.
    public var time: Double
    /// Characters of the line before the word.
    public var offset: Int

    public init(time: Double, offset: Int) { (self.time, self.offset) = (time, offset) }
  }

  /// The largest number of lines of a song; later ones are ignored.
  public static let lineLimit = 10_000

  /// The lines, in order of time if they have times.
  public var lines: [Line]

  public init(lines: [Line]) { self.lines = lines }

  /// The same lines, all times later by a number of seconds, or earlier if negative. No time is before the start.
  public func shifted(by seconds: Double) -> Lyrics {
    var lyrics = self
    for index in lines.indices {
      lyrics.lines[index].time = lines[index].time.map { max(0, $0 + seconds) }
      for word in lines[index].words.indices {
        lyrics.lines[index].words[word].time = max(0, lines[index].words[word].time + seconds)
      }
    }
    return lyrics
  }

  /// True if the lines have times.
  public var isSynchronized: Bool { lines.first?.time != nil }

  /// The index of the line that is sung at a time: the last one that has begun. `nil` before the first line, and
  /// without times.
  public func line(at seconds: Double) -> Int? {
    // Lines are in order of time, and there are few.
    lines.lastIndex { $0.time.map { $0 <= seconds } ?? false }
  }

  /// The characters of a line whose words have begun at a time; `nil` without times of words.
  public func sungCharacters(of line: Int, at seconds: Double) -> Int? {
    let words = lines[line].words
    guard !words.isEmpty else { return nil }
    return words.first { $0.time > seconds }?.offset ?? lines[line].text.count
  }

  /// The time of the first change after a time, of a line or a word; `nil` after the last one.
  public func nextChange(after seconds: Double) -> Double? {
    lines.lazy.flatMap { [$0.time].compactMap(\.self) + $0.words.map(\.time) }.filter { $0 > seconds }.min()
  }
}
