extension Int {
  /// The row of what stood in this row before the one in `index` moved to `target`.
  func moved(from index: Int, to target: Int) -> Int {
    if self == index { return target }
    if index < self, self <= target { return self - 1 }
    return target <= self && self < index ? self + 1 : self
  }
}

extension Array where Element == Int {
  mutating func mapInPlace(_ transform: (Int) -> Int) {
    for place in indices { self[place] = transform(self[place]) }
  }

  /// Gives wishes that stand side by side in the list their turns in the order of their rows.
  ///
  /// - Parameter start: The first turn that is still to come.
  mutating func align(_ wishes: QueueWishes, from start: Int, _ entries: [QueueEntry]) {
    guard !wishes.isEmpty else { return }
    let turns = (start..<count).filter { wishes.contains(entries[self[$0]]) }.sorted { self[$0] < self[$1] }
    let rows = turns.map { self[$0] }
    var first = 0
    for end in rows.indices.map({ $0 + 1 }) where end == rows.count || rows[end] != rows[end - 1] + 1 {
      for (row, turn) in zip(rows[first..<end], turns[first..<end].sorted()) { self[turn] = row }
      first = end
    }
  }

  /// Spreads `new` evenly over the entries from `start` on. These keep their order.
  mutating func mergeAtRandom(_ new: [Int], from start: Int, using generator: inout some RandomNumberGenerator) {
    if new.isEmpty { return }
    var old = self[start...]
    var new = new.shuffled(using: &generator)[...]
    var merged: [Int] = []
    merged.reserveCapacity(old.count + new.count)
    while !old.isEmpty || !new.isEmpty {
      let takesOld = Int.random(in: 0..<(old.count + new.count), using: &generator) < old.count
      merged.append(takesOld ? old.removeFirst() : new.removeFirst())
    }
    replaceSubrange(start..., with: merged)
  }
}

extension [QueueEntry] {
  /// The list with some entries moved by a number of rows. None passes another one of them, or an end of the list.
  func moving(_ indices: [Int], by rows: Int) -> [QueueEntry] {
    // The nth entry leaves room for those before it, and for those after it.
    let last = count - indices.count
    let targets = indices.enumerated().map { place, index in Swift.max(place, Swift.min(index + rows, last + place)) }
    let moved = Set(indices)
    var rest = self.indices.filter { !moved.contains($0) }.makeIterator()
    var new: [QueueEntry] = []
    new.reserveCapacity(count)
    var place = 0
    for row in self.indices {
      if place < targets.count, targets[place] == row {
        new.append(self[indices[place]])
        place += 1
      } else if let index = rest.next() {
        new.append(self[index])
      }
    }
    return new
  }
}
