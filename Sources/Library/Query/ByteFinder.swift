internal import Glibc

/// Finds a short sequence of bytes in a long text: compares its first two bytes at 32 places at a time.
struct ByteFinder {
  private let word: [UInt8]

  /// - Parameter word: At least one byte.
  init(_ word: [UInt8]) { self.word = word }

  /// The first place of the bytes at or after `start`; `nil` if there is none.
  func first(in text: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
    guard let base = text.baseAddress, let first = word.first, start < text.count else { return nil }
    guard word.count > 1 else {
      return memchr(base + start, Int32(first), text.count - start).map { UnsafeRawPointer($0) - base }
    }
    let last = text.count - word.count
    guard start <= last else { return nil }
    let second = word[1]
    var place = start
    let firsts = SIMD32<UInt8>(repeating: first)
    let seconds = SIMD32<UInt8>(repeating: second)
    // The second load reads one byte further.
    while place + 33 <= text.count, place <= last {
      let a = (base + place).loadUnaligned(as: SIMD32<UInt8>.self) .== firsts
      let b = (base + place + 1).loadUnaligned(as: SIMD32<UInt8>.self) .== seconds
      // Safety: both types have 32 bytes; a mask's bytes are 0 or 0xff.
      let both = unsafeBitCast(a .& b, to: SIMD4<UInt64>.self)
      if both[0] | both[1] | both[2] | both[3] != 0 {
        for lane in 0..<4 where both[lane] != 0 {
          var bits = both[lane]
          while bits != 0 {
            let byte = bits.trailingZeroBitCount / 8
            let found = place + lane * 8 + byte
            if found <= last, isHere(base + found) { return found }
            bits &= ~(0xff << UInt64(byte * 8))
          }
        }
      }
      place += 32
    }
    while place <= last {
      if text[place] == first, text[place + 1] == second, isHere(base + place) { return place }
      place += 1
    }
    return nil
  }

  private func isHere(_ place: UnsafeRawPointer) -> Bool {
    word.count == 2 || word.withUnsafeBytes { memcmp(place, $0.baseAddress ?? place, word.count) == 0 }
  }
}
