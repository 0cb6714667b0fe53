/// The entries that are to play before all others, until they do; a removed one may return. Entries for `next` have
/// earlier turns than enqueued ones.
struct QueueWishes: Sendable, Hashable {
  private(set) var placements: [QueueEntry.ID: PlayQueue.Placement] = [:]

  var isEmpty: Bool { placements.isEmpty }

  /// `nil` for an entry that is none.
  subscript(id: QueueEntry.ID) -> PlayQueue.Placement? {
    get { placements[id] }
    set { placements[id] = newValue == .end ? nil : newValue }
  }

  func contains(_ entry: QueueEntry) -> Bool { placements[entry.id] != nil }

  mutating func set(_ placement: PlayQueue.Placement, for entries: [QueueEntry]) {
    if placement == .end, isEmpty { return }
    for entry in entries { self[entry.id] = placement }
  }

  /// Forgets all others.
  mutating func keep(_ entries: [QueueEntry]) {
    let kept = Set(entries.map(\.id))
    placements = placements.filter { kept.contains($0.key) }
  }

  mutating func forget(_ ids: Set<QueueEntry.ID>) { placements = placements.filter { !ids.contains($0.key) } }

  mutating func removeAll() { placements = [:] }

  /// The turn after those that are as strong as `placement`. `id`: the entry of a turn.
  func turn(after placement: PlayQueue.Placement, in turns: Range<Int>, _ id: (Int) -> QueueEntry.ID) -> Int {
    guard !isEmpty else { return turns.lowerBound }
    let last = turns.last { turn in
      guard let wish = placements[id(turn)] else { return false }
      return wish == .next || placement != .next
    }
    return last.map { $0 + 1 } ?? turns.lowerBound
  }

  /// Forgets those of these entries that stand neither behind the current row nor beside another one. Returns their rows.
  ///
  /// - Parameter rows: The rows that are still to come.
  mutating func removeStrays(
    of ids: Set<QueueEntry.ID>, in rows: ArraySlice<Int>, _ entries: [QueueEntry], current: Int?
  ) -> [Int] {
    let isWish = { [self] (row: Int) in entries.indices.contains(row) && contains(entries[row]) }
    let strays = rows.filter { row in
      ids.contains(entries[row].id) && isWish(row) && !isWish(row - 1) && !isWish(row + 1) && row - 1 != current
    }
    for row in strays { self[entries[row].id] = nil }
    return strays
  }
}
