internal import Player

/// The last thousand things that happened.
struct LogView: Sendable {
  private static let limit = 1000
  private(set) var rows: [TextTable.Row] = []
  var table = TextTable(nameColumns: 20, nameStyle: .plain, followsEnd: true)

  /// Adds one. Who reads back is not disturbed.
  mutating func note(_ entry: LogEntry) {
    let place = entry.position.map { timeText($0) }
    let column = place.map { String(repeating: " ", count: max(2, 9 - $0.count)) + $0 }
    rows.append(TextTable.Row(entry.time + (column ?? ""), entry.text))
    if rows.count > Self.limit { rows.removeFirst(rows.count - Self.limit) }
  }
}
