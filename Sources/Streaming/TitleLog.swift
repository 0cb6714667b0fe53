/// The titles of a stream, each with the byte at which it begins, in order. Pure.
struct TitleLog {
  /// Limit of titles: enough for hours of any real station.
  private static let limit = 256

  private var entries: [(byteOffset: Int64, title: String)] = []

  /// The title at a byte.
  func title(at byteOffset: Int64) -> String? { entries.last { $0.byteOffset <= byteOffset }?.title }

  /// Appends a title that a station has sent; `start` is the oldest kept byte. Returns false if the title is not new.
  mutating func append(_ title: String, at place: Int64, oldestByte start: Int64) -> Bool {
    guard title != entries.last?.title else { return false }
    // Of the titles whose bytes are gone only the last one still applies.
    let gone = entries.lastIndex { $0.byteOffset <= start } ?? 0
    entries = entries[gone...].suffix(Self.limit - 1) + [(place, title)]
    return true
  }

  /// Inserts the title of a segment. Returns false if the title is not new.
  mutating func insert(_ title: String, at place: Int64) -> Bool {
    guard title != self.title(at: place) else { return false }
    let index = entries.firstIndex { $0.byteOffset > place } ?? entries.count
    entries = (entries[..<index] + [(place, title)] + entries[index...]).suffix(Self.limit)
    return true
  }
}
