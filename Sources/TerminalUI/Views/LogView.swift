/// The last thousand things that happened.
struct LogView: Sendable {
  private static let limit = 1000
  private(set) var entries: [LogEntry] = []
  var list = ListView()

  func matches(_ pattern: SearchPattern, _ row: Int) -> Bool { pattern.matches(entries[row].text, entries[row].time) }

  /// Adds one. Who reads back is not disturbed.
  mutating func note(_ entry: LogEntry) {
    let wasAtEnd = list.selectedPlace >= list.shownCount - 1
    entries.append(entry)
    if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
    list.setCount(entries.count, matching: matches)
    if wasAtEnd { list.move(.last) }
  }
}
