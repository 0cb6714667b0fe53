internal import ByteIO

/// The titles of a stream, each with the byte at which it begins, in order. Pure, but for the character set that the
/// listener has chosen for all texts.
struct TitleLog {
  /// Limit of titles: enough for hours of any real station.
  private static let limit = 256
  /// Limit of texts to guess from.
  private static let sampleLimit = 64

  private var entries: [(byteOffset: Int64, title: String)] = []
  /// The character set that the listener has given this stream.
  private let charset: Charset?
  /// The bytes of titles of unknown encoding, and the guess by all of them.
  private var samples: [[UInt8]] = []
  private var guess = Charset.windows1252

  init(charset: Charset? = nil) { self.charset = charset }

  func title(at byteOffset: Int64) -> String? {
    let title = entries.last { $0.byteOffset <= byteOffset }?.title
    guard let title, title.hasMarks else { return title }
    return title.decoded(as: charset ?? .chosen ?? guess)
  }

  /// The character set of titles that are not in UTF-8; `nil` if there are none.
  var reading: TextReading? {
    samples.isEmpty ? nil : TextReading(charset ?? .chosen ?? guess, isGuessed: charset ?? .chosen == nil)
  }

  /// Appends a title that a station has sent, which may have marks; `start` is the oldest kept byte. Returns false if
  /// the title is not new.
  mutating func append(_ title: String, at offset: Int64, oldestByte start: Int64) -> Bool {
    guard title != entries.last?.title else { return false }
    learn(title)
    // Of the titles whose bytes are gone only the last one still applies.
    let gone = entries.lastIndex { $0.byteOffset <= start } ?? 0
    entries = entries[gone...].suffix(Self.limit - 1) + [(offset, title)]
    return true
  }

  /// Inserts the title of a segment. Returns false if the title is not new.
  mutating func insert(_ title: String, at offset: Int64) -> Bool {
    guard title != entries.last(where: { $0.byteOffset <= offset })?.title else { return false }
    learn(title)
    let index = entries.firstIndex { $0.byteOffset > offset } ?? entries.count
    entries = (entries[..<index] + [(offset, title)] + entries[index...]).suffix(Self.limit)
    return true
  }

  private mutating func learn(_ title: String) {
    guard let bytes = title.markedBytes, !samples.contains(bytes) else { return }
    samples = samples.suffix(Self.sampleLimit - 1) + [bytes]
    guess = TextReading(of: samples, chosen: nil).charset
  }
}
