/// The priorities of entries, which count in random order: from 0, as they are at first, to 255. A removed entry may return.
struct QueuePriorities: Sendable, Hashable {
  private var values: [QueueEntry.ID: Int] = [:]

  var isEmpty: Bool { values.isEmpty }

  subscript(id: QueueEntry.ID) -> Int {
    get { values[id] ?? 0 }
    set { values[id] = newValue > 0 ? min(newValue, 255) : nil }
  }

  /// Rows, the highest priority first, those of one priority in their order. `id`: the entry of a row.
  func sorted(_ rows: ArraySlice<Int>, _ id: (Int) -> QueueEntry.ID) -> [Int] {
    let ranked = rows.enumerated().map { (rank: (-self[id($1)], $0), row: $1) }
    return ranked.sorted { $0.rank < $1.rank }.map(\.row)
  }
}
