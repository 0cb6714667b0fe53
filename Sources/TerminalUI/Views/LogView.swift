internal import Cells
internal import Commands

/// The view Log: the last thousand events.
struct LogView: TablePane {
  private static let limit = 1000

  private var rows: [TextTable.Row] = []
  var table = TextTable(nameColumns: 20, nameStyle: .plain, followsEnd: true)

  func emptyText(_ model: ScreenModel) -> String {
    "No events yet: tracks, pauses and errors are listed here, with their reasons."
  }

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    if case .log(let entry) = message { note(entry, model) }
    return []
  }

  /// The times of events are no names.
  func name(ofRow row: Int, _ model: ScreenModel) -> String { "" }

  mutating func refresh(_ model: ScreenModel) {
    table.show(rows, columns: model.paneColumns, typography: model.typography)
  }

  private mutating func note(_ entry: LogEntry, _ model: ScreenModel) {
    let place = entry.position.map { timeText($0) }
    let column = place.map { String(repeating: " ", count: max(2, 9 - $0.count)) + $0 }
    rows.append(TextTable.Row(entry.time + (column ?? ""), model.shown(entry.text)))
    if rows.count > Self.limit { rows.removeFirst(rows.count - Self.limit) }
  }
}
