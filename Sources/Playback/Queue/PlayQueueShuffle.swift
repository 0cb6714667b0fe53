extension Array where Element == Int {
  mutating func mapInPlace(_ transform: (Int) -> Int) {
    for place in indices { self[place] = transform(self[place]) }
  }

  /// Spreads `new` evenly over the entries from `start` on. These keep their order.
  mutating func mergeAtRandom(_ new: [Int], from start: Int, using generator: inout some RandomNumberGenerator) {
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
