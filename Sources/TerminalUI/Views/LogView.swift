/// The last thousand things that happened.
struct LogView: Sendable {
  private static let limit = 1000
  private(set) var rows: [TextTable.Row] = []
  var table = TextTable(nameColumns: 20, nameStyle: .plain, followsEnd: true)

  /// Adds one. Who reads back is not disturbed.
  mutating func note(_ entry: LogEntry) {
    let place = entry.position.map { timeText($0) } ?? ""
    let blanks = String(repeating: " ", count: max(0, 7 - place.count))
    rows.append(TextTable.Row("\(entry.time)  \(blanks)\(place)", entry.text))
    if rows.count > Self.limit { rows.removeFirst(rows.count - Self.limit) }
  }
}
