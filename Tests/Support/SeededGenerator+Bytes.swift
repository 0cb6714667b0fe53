package import AudioModel

extension SeededGenerator {
  /// Random bytes; here, since this module is optimized in tests, and theirs are not.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      var word: UInt64 = 0
      for place in buffer.indices {
        word = place % 8 == 0 ? next() : word >> 8
        buffer.initializeElement(at: place, to: UInt8(truncatingIfNeeded: word))
      }
      length = count
    }
  }
}
