/// The order in which the rows of a list play, and a cursor in it. A turn is a place in this order.
struct PlayingOrder: Sendable {
  /// The rows in random order; `nil` for the order of the list.
  var rows: [Int]?
  /// The number of turns before the cursor.
  var before = 0
  /// True if the cursor stands on a row. If not, it stands before the turn `before`: at the start, or because its row
  /// was removed.
  var hasCurrent = false

  subscript(turn: Int) -> Int { rows?[turn] ?? turn }

  /// The row of the cursor; `nil` if it stands on none.
  var current: Int? { hasCurrent ? self[before] : nil }

  /// The turn after that of the cursor.
  var nextTurn: Int { before + (hasCurrent ? 1 : 0) }

  mutating func move(to turn: Int) { (before, hasCurrent) = (turn, true) }

  /// Moves the cursor to a row. In random order, a row with a later turn loses it; a played row is played again.
  mutating func select(row: Int) {
    let target = nextTurn
    if rows == nil {
      before = row
    } else if let turn = rows?.firstIndex(of: row), turn != before || !hasCurrent {
      rows?.remove(at: turn)
      before = turn < target ? target - 1 : target
      rows?.insert(row, at: before)
    }
    hasCurrent = true
  }

  // MARK: Changes of the list

  /// Follows new rows, which have no turns yet in random order.
  mutating func makeRoom(for count: Int, at row: Int) {
    if rows == nil, row < before { before += count }
    rows = rows?.map { $0 >= row ? $0 + count : $0 }
  }

  /// Follows the removal of rows. `stays`: true for each row that is kept.
  mutating func keep(_ stays: [Bool]) {
    hasCurrent = hasCurrent && stays[self[before]]
    before = (0..<before).count { stays[self[$0]] }
    var row = 0
    let new = stays.map { stays in
      defer { if stays { row += 1 } }
      return row
    }
    rows = rows?.filter { stays[$0] }.map { new[$0] }
  }

  /// Follows the move of a row, whose turn stays in random order.
  mutating func move(row: Int, to target: Int) {
    // The row of what stood in `other` before.
    let moved = { (other: Int) in
      if other == row { return target }
      if row < other, other <= target { return other - 1 }
      return target <= other && other < row ? other + 1 : other
    }
    if let old = rows {
      rows = old.map(moved)
    } else if hasCurrent {
      before = moved(before)
    } else {
      // A cursor between two rows stays between them.
      before += (target < before ? 1 : 0) - (row < before ? 1 : 0)
    }
  }

  // MARK: Random order

  /// Takes away the turns that these rows had.
  mutating func removePast(_ past: [Int]) {
    let past = Set(past)
    rows?.removeAll(where: past.contains)
    before -= past.count
  }

  /// Gives wishes that stand side by side in the list, and are still to come, their turns in the order of their rows.
  mutating func align(_ wishes: QueueWishes, _ entries: [QueueEntry]) {
    guard let old = rows, !wishes.isEmpty else { return }
    let turns = (nextTurn..<old.count).filter { wishes.contains(entries[old[$0]]) }.sorted { old[$0] < old[$1] }
    let wished = turns.map { old[$0] }
    var first = 0
    for end in wished.indices.map({ $0 + 1 }) where end == wished.count || wished[end] != wished[end - 1] + 1 {
      for (row, turn) in zip(wished[first..<end], turns[first..<end].sorted()) { rows?[turn] = row }
      first = end
    }
  }

  /// Spreads `new` evenly over the rows from a turn on, which keep their order.
  mutating func mergeAtRandom(_ new: [Int], from turn: Int, using generator: inout some RandomNumberGenerator) {
    guard let rows, !new.isEmpty else { return }
    var old = rows[turn...]
    var new = new.shuffled(using: &generator)[...]
    var merged: [Int] = []
    merged.reserveCapacity(old.count + new.count)
    while !old.isEmpty || !new.isEmpty {
      let takesOld = Int.random(in: 0..<(old.count + new.count), using: &generator) < old.count
      merged.append(takesOld ? old.removeFirst() : new.removeFirst())
    }
    self.rows?.replaceSubrange(turn..., with: merged)
  }
}
