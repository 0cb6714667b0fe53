/// A small random generator whose whole state is a value, so that a copied queue shuffles alike (Steele, Lea and Flood,
/// "Fast splittable pseudorandom number generators", 2014).
struct SplitMix64: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension Array where Element == Int {
  mutating func mapInPlace(_ transform: (Int) -> Int) {
    for place in indices { self[place] = transform(self[place]) }
  }

  /// Spreads `new` evenly over what lies from `start` on, whose own order stays.
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
