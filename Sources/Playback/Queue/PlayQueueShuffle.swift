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
